"""What each task hides, asks and expects; published grid sizes and points."""

from collections import Counter

import pytest

from tasks.grid import skipped
from tasks.needle_threading.retrieval import SingleNeedle
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError, Scalar, TaskError
from tests.unit.tasks.needle_threading.haystacks import make


def test_infeasible_cells_are_counted_by_reason() -> None:
    assert skipped(make("multi_threading"), {"size": [2000]}) == Counter(
        {
            "needs 30 pairs, a haystack of 2000 chars holds 25": 4,
            "needs 40 pairs, a haystack of 2000 chars holds 25": 4,
            "needs 50 pairs, a haystack of 2000 chars holds 25": 4,
        }
    )


def test_infeasible_cells_are_an_error_where_asked() -> None:
    task = make("multi_threading", infeasible="error")
    with pytest.raises(TaskError, match=r"threads = 3.*needs 30 pairs"):
        list(task.points({"size": [2000]}))


def test_published_single_needle_row() -> None:
    sample = make("single_needle").generate({"size": 2000, "depth": 50}, 0)
    assert sample.target["queries"] == ["247a8333-f7b0-b7d2-cda8-056c3d15eef7"]
    assert sample.target["expected"] == ["1759edc3-72ae-2244-8b01-63c1cd9d2b7d"]
    assert sample.lengths == {"haystack_chars": 2000, "pairs": 25, "depth_actual": 48.0}


def test_instruction_stands_where_the_profile_puts_it() -> None:
    axes = {"size": 80, "depth": 0}
    first = make("single_needle").generate(axes, 0).prompt.messages
    last = make("single_needle", order="haystack_first").generate(axes, 0).prompt.messages
    assert [len(first), first[0].role] == [1, "user"]
    assert not first[0].text.startswith("{")
    assert last[0].text.startswith("{")
    assert sorted(first[0].text) == sorted(last[0].text)


def test_identity_holds_only_the_switches_that_shape_the_prompt() -> None:
    def ids(short: str, **switches: Scalar) -> set[str]:
        return {point.point_id for point in make(short, **switches).points({"size": [2000]})}

    assert ids("threading") == ids("threading", branch_last=True, depth_index="round")
    assert ids("threading") == ids("threading", match="prefix", infeasible="skip")
    assert not ids("threading") & ids("threading", order="haystack_first")
    assert not ids("single_needle") & ids("single_needle", depth_index="round")
    assert not ids("branched_threading") & ids("branched_threading", branch_last=True)


def test_room_for_all_answers() -> None:
    assert make("single_needle").decoding({"size": 80, "depth": 0}) == {
        "temperature": 0,
        "max_tokens": 104,
    }
    axes = {"size": 80, "needles": 25, "placement": "random"}
    assert make("multi_needle").decoding(axes)["max_tokens"] == 1064


@pytest.mark.parametrize(
    ("short", "given", "message"),
    [
        ("single_needle", {"size": [79]}, "size = 79 is outside"),
        ("single_needle", {"size": [80.5]}, "size = 80.5 must be whole"),
        ("single_needle", {"depth": [101]}, "depth = 101 is outside"),
        ("single_needle", {"needles": [1]}, "no axis 'needles'"),
        ("multi_needle", {"placement": ["middle"]}, "'random', 'clustered'"),
        ("conditional_needle", {"character": ["a"]}, "character = 'a' is not one of"),
        ("conditional_needle", {"character": ["**"]}, "character"),
        ("threading", {"direction": ["up"]}, "'forward', 'backward', 'random'"),
        ("threading", {"thread_length": [0]}, "thread_length = 0"),
        ("multi_threading", {"threads": [0]}, "threads = 0"),
        ("branched_threading", {"thread_length": [1]}, "thread_length = 1"),
    ],
)
def test_bad_values_are_named(short: str, given: dict, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        list(make(short).points(given))


def test_too_many_pairs_do_not_fit() -> None:
    with pytest.raises(DoesNotFitError, match="needs 25 pairs"):
        make("threading").generate({"size": 80, "thread_length": 25, "direction": "forward"}, 0)


def test_own_wording_changes_the_identity(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[needle_threading]\nsingle_needle = "Find the value."\n', encoding="utf-8")
    task = SingleNeedle(TaskOptions(prompts=path))
    point = next(iter(task.points({})))
    assert set(point.inputs) == {"prompts"}
    assert point.point_id != next(iter(SingleNeedle(TaskOptions()).points({}))).point_id
    text = task.generate(point.axes, 0).prompt.messages[0].text
    assert text.startswith("Find the value.\n{")
