import re

import pytest

from tests.unit.tasks.flenqa.texts import (
    SHORT,
    TASKS,
    axes,
    padded,
)


@pytest.mark.parametrize("name", SHORT)
def test_similar_padding_is_about_others(name: str) -> None:
    instance = TASKS[name].instance(2)
    keys = {key.text for key in instance.paragraphs}
    lines = padded(name, axes(3000, "similar", "first"), 2).split("\n")
    others = [line for line in lines if line not in keys]
    assert len(set(others)) == len(others) > 20
    for line in others:
        assert not any(re.search(rf"\b{re.escape(who)}\b", line) for who in instance.entities)
    known = {key.text for seed in range(100) for key in TASKS[name].instance(seed).paragraphs}
    assert set(others) <= known
