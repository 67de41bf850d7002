import pytest

from tests.unit.tasks.needle_threading.haystacks import make, pairs


@pytest.mark.parametrize(
    ("short", "rows"),
    [
        ("single_needle", 660),
        ("multi_needle", 1080),
        ("conditional_needle", 1080),
        ("threading", 2160),
        ("multi_threading", 5 * (12 * 80 - 12)),
    ],
)
def test_published_grid_sizes_with_five_repeats(short: str, rows: int) -> None:
    assert 5 * len(list(make(short).points({}))) == rows


def test_a_thirteenth_thread_length_gives_the_released_number_of_rows() -> None:
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25]
    assert 5 * len(list(make("threading").points({"thread_length": lengths}))) == 2340


@pytest.mark.parametrize("rule", ["floor", "round"])
@pytest.mark.parametrize("size", [80, 160, 400, 2000, 32000])
def test_depths_run_from_the_first_pair_to_the_last(rule: str, size: int) -> None:
    task = make("single_needle", depth_index=rule)
    found = []
    for depth in range(0, 101, 10):
        sample = task.generate({"size": size, "depth": depth}, 0)
        key, value = sample.target["queries"][0], sample.target["expected"][0]
        found.append(pairs(sample).index((key, value)))
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0, size // 80 - 1)


def test_depth_rules_agree_on_the_published_row_and_differ_elsewhere() -> None:
    def asked(rule: str, depth: int) -> list[str]:
        sample = make("single_needle", depth_index=rule).generate({"size": 2000, "depth": depth}, 0)
        return sample.target["queries"]

    assert asked("floor", 50) == asked("round", 50)
    assert asked("floor", 90) == asked("round", 90)
    assert asked("floor", 70) == asked("round", 70)
    assert asked("floor", 30) == asked("round", 30)
    assert asked("floor", 10) == asked("round", 10)
    assert asked("floor", 80) != asked("round", 80)


def test_the_demo_ladder_has_one_pair_to_five() -> None:
    sizes = [80, 160, 240, 320, 400]
    task = make("single_needle")
    points = list(task.points({"size": sizes, "depth": [0, 50, 100]}))
    lengths = {task.generate(point.axes, 0).lengths["haystack_chars"] for point in points}
    assert (len(points), lengths) == (15, set(map(float, sizes)))


def test_a_size_between_two_pairs_is_recorded_as_it_is() -> None:
    sample = make("single_needle").generate({"size": 1000, "depth": 0}, 0)
    assert sample.lengths["haystack_chars"] == 960
