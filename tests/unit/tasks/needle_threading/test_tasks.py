"""What each task hides, asks and expects; published grid sizes and points."""

import json
from collections import Counter

import pytest

from tasks.catalog import build
from tasks.grid import skipped
from tasks.needle_threading.family import NeedleThreadingTask
from tasks.needle_threading.retrieval import SingleNeedle
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError, Sample, Scalar, TaskError, Text

NT = "needle_threading"


def make(short: str, **switches: Scalar) -> NeedleThreadingTask:
    options = TaskOptions(switches={f"nt.{name}": value for name, value in switches.items()})
    task = build(f"{NT}.{short}", options)
    assert isinstance(task, NeedleThreadingTask)
    return task


def haystack(sample: Sample) -> str:
    """The piece of the prompt that is a JSON object."""
    (text,) = (part.text for part in sample.prompt.messages[0].parts if part.text[0] == "{")
    return text


def pairs(sample: Sample) -> list[tuple[str, str]]:
    return json.loads(haystack(sample), object_pairs_hook=lambda found: found)


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


def test_retrieval_tasks_share_one_haystack_object() -> None:
    task = make("single_needle")

    def text(depth: int, seed: int) -> Text:
        prompt = task.generate({"size": 4000, "depth": depth}, seed).prompt
        return max(prompt.messages[0].parts, key=len)

    assert text(0, 0) is text(50, 0)
    assert text(0, 0) is not text(0, 1)


@pytest.mark.parametrize("placement", ["random", "clustered"])
@pytest.mark.parametrize("needles", [1, 5, 25])
def test_multi_needle(placement: str, needles: int) -> None:
    axes = {"size": 2000, "needles": needles, "placement": placement}
    sample = make("multi_needle").generate(axes, 1)
    held = dict(pairs(sample))
    assert [held[key] for key in sample.target["queries"]] == sample.target["expected"]
    assert len(set(sample.target["queries"])) == needles == sample.target["k"]
    places = [list(held).index(key) for key in sample.target["queries"]]
    if placement == "clustered":
        assert places == list(range(places[0], places[0] + needles))
    question = sample.prompt.messages[0].text
    assert json.dumps(sample.target["queries"]) in question


@pytest.mark.parametrize("character", ["*", "&", ".", "{", ":"])
@pytest.mark.parametrize("placement", ["random", "clustered"])
def test_conditional_needle(character: str, placement: str) -> None:
    axes = {"size": 2000, "needles": 5, "placement": placement, "character": character}
    sample = make("conditional_needle").generate(axes, 2)
    marked = [pair for pair in pairs(sample) if character in pair[0]]
    assert [value for _, value in marked] == sample.target["expected"]
    assert [key for key, _ in marked] == sample.target["echoes"]
    assert len(marked) == 5
    assert {len(key) for key, _ in pairs(sample)} == {36}
    assert {key.count(character) for key, _ in marked} == {1}
    assert all(key.count("-") == 4 for key, _ in marked)
    assert len(haystack(sample)) == 2000
    tail = sample.prompt.messages[0].text.rpartition("}")[2] if character != "{" else ""
    assert not any(key in tail for key, _ in marked)


def follow(held: dict[str, str], key: str) -> list[str]:
    values = []
    while key in held:
        key = held[key]
        values.append(key)
    return values


@pytest.mark.parametrize("direction", ["forward", "backward", "random"])
@pytest.mark.parametrize("length", [1, 2, 10, 25])
def test_threading(direction: str, length: int) -> None:
    axes = {"size": 2000, "thread_length": length, "direction": direction}
    sample = make("threading").generate(axes, 3)
    held = dict(pairs(sample))
    values = follow(held, sample.target["queries"][0])
    assert (len(values), [values[-1]]) == (length, sample.target["expected"])
    assert values == sample.target["path"]
    places = [list(held.values()).index(value) for value in values]
    if direction != "random":
        assert places == sorted(places, reverse=direction == "backward")


@pytest.mark.parametrize("direction", ["forward", "backward", "random_directions", "all_random"])
def test_multi_threading(direction: str) -> None:
    axes = {"size": 4000, "thread_length": 4, "threads": 5, "direction": direction}
    seen = set()
    for seed in range(8):
        sample = make("multi_threading").generate(axes, seed)
        held = dict(pairs(sample))
        threads = [follow(held, key) for key in sample.target["queries"]]
        assert [values[-1] for values in threads] == sample.target["expected"]
        assert len({value for values in threads for value in values}) == 20
        for values in threads:
            places = [list(held.values()).index(value) for value in values]
            seen.add(
                "forward"
                if places == sorted(places)
                else "backward"
                if places == sorted(places, reverse=True)
                else "mixed"
            )
    both = {"forward", "backward"}
    wanted = {"forward": {"forward"}, "backward": {"backward"}, "random_directions": both}
    assert seen == wanted[direction] if direction in wanted else "mixed" in seen


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
