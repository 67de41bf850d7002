import json

import pytest

from tasks.sample import Text
from tests.unit.tasks.needle_threading.haystacks import haystack, make, pairs


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
