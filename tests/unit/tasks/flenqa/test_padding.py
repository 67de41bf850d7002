from itertools import product

import pytest

from tests.unit.tasks.flenqa.texts import COUNTER, SHORT, TASKS, axes, padded


@pytest.mark.parametrize("padding", ["similar", "different"])
def test_placements(padding: str) -> None:
    for name, seed in product(SHORT, range(4)):
        first, second = (key.text for key in TASKS[name].instance(seed).paragraphs)
        pair = f"{first}\n{second}"
        assert padded(name, axes(2000, padding, "first"), seed).startswith(pair + "\n")
        assert padded(name, axes(2000, padding, "last"), seed).endswith("\n" + pair)
        before, after = padded(name, axes(2000, padding, "middle"), seed).split(pair)
        assert abs(COUNTER.count(before) - COUNTER.count(after)) <= 140
        assert pair not in padded(name, axes(2000, padding, "random"), seed)


def test_duplicates_take_turns() -> None:
    first, second = (key.text for key in TASKS["pir"].instance(1).paragraphs)
    lines = padded("pir", axes(1000, "duplicate", "first"), 1).split("\n")
    assert lines[:4] == [first, second, first, second]
    assert set(lines) == {first, second}


def test_different_padding_is_one_passage_cut_at_sentence_ends() -> None:
    first, second = (key.text for key in TASKS["monorel"].instance(2).paragraphs)
    text = padded("monorel", axes(2000, "different", "last"), 2)
    passage = text.removesuffix(f"\n{first}\n{second}")
    assert passage.endswith(".")
    assert passage[0].isupper()
    inside = padded("monorel", axes(2000, "different", "random"), 2)
    assert all(part.endswith(".") for part in inside.split("\n") if part)
