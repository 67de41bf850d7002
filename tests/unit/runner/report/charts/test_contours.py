"""Filled contours lie where accuracy is, and nowhere else."""

from hypothesis import given
from hypothesis import strategies as st

from runner.report.charts.contours import LEVELS, fills

accuracies = st.floats(0, 1).map(lambda share: round(share, 3))


def rows(points: dict[tuple[float, float], float]) -> list[dict[str, object]]:
    return [
        {
            "provider": "openai", "model": "m", "setup": "", "simulated": False, "who": "m",
            "task": "t", "axis": "depth", "x": x, "chars": chars, "accuracy": accuracy,
        }
        for (x, chars), accuracy in points.items()
    ]  # fmt: skip


def test_a_level_ends_where_the_line_crosses_it() -> None:
    found = fills(rows({(0, 1000): 1.0, (0, 2000): 0.5}))
    assert [(row["level"], row["begin"], row["end"]) for row in found] == [
        (0.9, 1000, 1200), (0.8, 1200, 1400), (0.7, 1400, 1600), (0.6, 1600, 1800),
        (0.5, 1800, 2000),
    ]  # fmt: skip


def test_between_two_values_it_is_the_mean_of_both() -> None:
    found = fills(rows({(0, 10): 0.9, (0, 20): 0.9, (100, 10): 0.15, (100, 20): 0.15}))
    levels = [row["level"] for row in found]
    assert levels == sorted(levels, reverse=True)
    assert {levels[0], levels[-1]} == {0.8, 0.1}


def test_what_one_of_two_values_lacks_stays_empty() -> None:
    found = fills(rows({(0, 10): 1, (0, 20): 1, (0, 30): 1, (50, 10): 1, (50, 20): 1}))
    assert max(row["end"] for row in found) == 20


def test_one_measured_length_makes_no_area() -> None:
    assert fills(rows({(0, 10): 1.0, (50, 10): 1.0})) == []


@given(grid=st.lists(accuracies, min_size=12, max_size=12))
def test_areas_cover_the_measured_square_without_overlap(grid: list[float]) -> None:
    points = {(x * 10.0, 100.0 * (c + 1)): grid[x * 4 + c] for x in range(3) for c in range(4)}
    found = fills(rows(points))
    area = sum((row["end"] - row["begin"]) * (row["high"] - row["low"]) for row in found)
    assert abs(area - 300 * 20) < 1e-3
    assert {row["level"] for row in found} <= set(LEVELS)
