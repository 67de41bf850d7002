import re
import statistics
from itertools import product

import pytest

from tasks.sample import DoesNotFitError, Scalar
from tests.unit.tasks.flenqa.texts import (
    COUNTER,
    INSTANCES,
    SHORT,
    TASKS,
    axes,
    padded,
    text_of,
)

SIZES = (250, 500, 1000, 2000, 3000)
PADDINGS = ("duplicate", "similar", "different")
PLACEMENTS = ("first", "middle", "last", "random")


@pytest.mark.parametrize("name", SHORT)
def test_instances_are_distinct_and_balanced(name: str) -> None:
    instances = [TASKS[name].instance(seed) for seed in range(INSTANCES)]
    keys = {tuple(key.text for key in instance.paragraphs) for instance in instances}
    assert len(keys) == INSTANCES
    assert len({instance.question + instance.rule for instance in instances}) == INSTANCES
    assert sum(instance.label for instance in instances) == INSTANCES // 2


@pytest.mark.parametrize("name", SHORT)
def test_key_paragraphs_start_with_their_sentence_and_have_the_papers_length(name: str) -> None:
    tokens: list[int] = []
    for seed in range(INSTANCES):
        for key in TASKS[name].instance(seed).paragraphs:
            assert key.text.startswith(key.key_sentence + " ")
            assert key.tokens == COUNTER.count(key.text)
            assert 110 <= key.tokens <= 140
            assert "\n" not in key.text
            assert not re.search(r"\b(true|false)\b", key.text, re.IGNORECASE)
            tokens.append(key.tokens)
    assert 122 < statistics.mean(tokens) < 128


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("padding", PADDINGS)
def test_lengths_are_what_they_claim(name: str, padding: str) -> None:
    for size in SIZES:
        off: list[int] = []
        for placement, seed in product(PLACEMENTS, range(6)):
            text = padded(name, axes(size, padding, placement), seed)
            off.append(COUNTER.count(text) - size)
        assert max(map(abs, off)) < 70
        assert abs(statistics.mean(off)) <= 15 or size == 250 or padding == "duplicate"


@pytest.mark.parametrize("name", SHORT)
def test_duplicates_are_on_average_as_long_as_they_claim(name: str) -> None:
    for size in SIZES[1:]:
        lengths = [
            COUNTER.count(padded(name, axes(size, "duplicate", "first"), seed))
            for seed in range(INSTANCES)
        ]
        assert abs(statistics.mean(lengths) - size) <= 15


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("padding", ["similar", "different"])
def test_key_paragraphs_are_whole_once_and_in_order(name: str, padding: str) -> None:
    for size, placement, seed in product(SIZES, PLACEMENTS, range(3)):
        text = padded(name, axes(size, padding, placement), seed)
        lines = text.split("\n")
        first, second = (key.text for key in TASKS[name].instance(seed).paragraphs)
        assert text.count(first) == text.count(second) == 1
        assert lines.index(first) < lines.index(second)


@pytest.mark.parametrize("name", SHORT)
def test_without_padding_all_variants_are_one_text(name: str) -> None:
    first, second = TASKS[name].instance(5).paragraphs
    texts = {
        padded(name, axes(250, padding, placement), 5)
        for padding, placement in product(PADDINGS, PLACEMENTS)
    }
    assert texts == {f"{first.text}\n{second.text}"}


def test_variants_share_instance_and_text_but_not_padding() -> None:
    task = TASKS["monorel"]
    direct = task.generate(axes(cot=False), 8)
    cot = task.generate(axes(cot=True), 8)
    shared = [part for part in direct.prompt.messages[0].parts if len(part) > 1000]
    assert shared[0] in cot.prompt.messages[0].parts
    assert direct.target["question"] == cot.target["question"]
    assert (direct.target["cot"], cot.target["cot"]) == (False, True)
    other = task.generate(axes(placement="last"), 8)
    assert other.target["facts"] == direct.target["facts"]
    assert other.prompt.hash() != direct.prompt.hash()


def test_order_of_parts() -> None:
    for cot in (False, True):
        for name in SHORT:
            point = axes(500, cot=cot)
            sample = TASKS[name].generate(point, 4)
            text, question = text_of(sample), sample.target["question"]
            mixin = padded(name, point, 4)
            head, tail = text.split(mixin)
            assert text.endswith("\n")
            assert len(sample.prompt.messages) == 1
            assert ("step" in head + tail) is cot
            assert (question in head, question in tail) == {
                "monorel": (True, True),
                "pir": (False, True),
                "ruletaker": (True, True),
            }[name]
            instance = TASKS[name].instance(4)
            if name == "ruletaker":
                assert f"Rule: {instance.rule}\nFacts:\n" in head
                assert instance.rule not in mixin
            if name == "pir":
                assert bool(head) is cot
                assert f"True/False Question: {question}" in tail
            assert tail.count(question) == (2 if name == "monorel" and cot else 1)


def test_targets() -> None:
    ruletaker = TASKS["ruletaker"].generate(axes(), 3).target
    assert ruletaker["dataset"] == "Simplified RuleTaker"
    assert ruletaker["facts"] == ruletaker["key_sentences"]
    assert ruletaker["label"] == "False"
    pir = TASKS["pir"].generate(axes(), 3).target
    assert pir["label"] == "True"
    for fact, key in zip(pir["facts"], pir["key_sentences"], strict=True):
        assert fact.startswith(key)
        assert len(fact) > 300


def test_decoding_is_the_notebooks() -> None:
    assert TASKS["pir"].decoding(axes()) == {"temperature": 0, "top_p": 0, "max_tokens": 400}


def test_grid_and_small_sizes() -> None:
    points = list(TASKS["monorel"].points({}))
    assert len(points) == 5 * 3 * 4 * 2
    with pytest.raises(DoesNotFitError, match="size = 100 is less than the 250 tokens"):
        TASKS["monorel"].generate(axes(100), 0)


def test_released_variants_of_300_problems_are_12000_rows() -> None:
    released: dict[str, list[Scalar]] = {"padding": ["similar", "different"], "cot": [False]}
    assert sum(len(list(TASKS[name].points(released))) for name in SHORT) * INSTANCES == 12_000


def test_sizes_between_the_published_ones() -> None:
    for size in (251, 280, 333, 380, 700, 5000):
        for padding in ("similar", "different"):
            text = padded("pir", axes(size, padding), 3)
            assert abs(COUNTER.count(text) - size) < 70


def test_labels_are_as_many_as_can_be_whatever_the_repeats() -> None:
    for repeats in range(1, 12):
        labels = [TASKS[name].instance(seed).label for name in SHORT for seed in range(repeats)]
        assert abs(2 * sum(labels) - len(labels)) <= 1
        for name in SHORT:
            own = [TASKS[name].label(axes(), seed) for seed in range(repeats)]
            assert abs(2 * sum(own) - repeats) <= 1
            assert own == [TASKS[name].instance(seed).label for seed in range(repeats)]
    both = [TASKS[name].instance(0).label for name in ("monorel", "pir")]
    assert sorted(both) == [False, True]
