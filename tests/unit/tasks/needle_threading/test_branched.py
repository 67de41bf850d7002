import pytest

from tasks.grid import skipped
from tests.unit.tasks.needle_threading.haystacks import make, pairs


@pytest.mark.parametrize(("size", "feasible"), [(2000, 41), (4000, 66), (8000, 81)])
def test_published_number_of_branched_cells(size: int, feasible: int) -> None:
    task = make("branched_threading", branch_last=True)
    assert len(list(task.points({"size": [size]}))) == feasible
    assert sum(skipped(task, {"size": [size]}).values()) == 81 - feasible


def test_branched_cells_need_91_pairs_at_most() -> None:
    task = make("branched_threading", branch_last=True)
    axes = {"size": 8000, "thread_length": 10, "branching": 10}
    assert "91 pairs" in (task.infeasible({**axes, "size": 90 * 80}) or "")
    assert task.infeasible({**axes, "size": 91 * 80}) is None


def branches(held: list[tuple[str, str]], key: str) -> list[list[str]]:
    values = [value for name, value in held if name == key]
    return (
        [[]]
        if not values
        else [[value, *rest] for value in values for rest in branches(held, value)]
    )


@pytest.mark.parametrize("branch_last", [False, True])
@pytest.mark.parametrize(("length", "width"), [(2, 2), (3, 5), (5, 4), (10, 2)])
def test_branched_threading(length: int, width: int, *, branch_last: bool) -> None:
    task = make("branched_threading", branch_last=branch_last)
    axes = {"size": 4000, "thread_length": length, "branching": width}
    sample = task.generate(axes, 4)
    found = branches(pairs(sample), sample.target["queries"][0])
    longest = [values for values in found if len(values) == max(map(len, found))]
    assert {values[-1] for values in longest} == set(sample.target["expected"])
    assert len(longest) == (width if branch_last else 1)
    assert len(longest[0]) == length
    used = {value for values in found for value in values}
    assert len(used) == task.pairs_needed(axes)  # type: ignore[attr-defined]
