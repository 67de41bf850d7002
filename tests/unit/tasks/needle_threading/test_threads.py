import pytest

from tests.unit.tasks.needle_threading.haystacks import make, pairs


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
