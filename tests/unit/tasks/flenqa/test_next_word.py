import statistics
from itertools import product

import pytest

from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.sample import Scalar, Text
from tests.unit.tasks.flenqa.texts import (
    COUNTER,
    SHORT,
    TASKS,
    text_of,
)

NEXT_WORD = build("flenqa.next_word", TaskOptions())


def next_word_axes(size: int, problem: str) -> dict[str, Scalar]:
    return {"size": size, "padding": "different", "placement": "random", "problem": problem}


@pytest.mark.parametrize(("problem", "size"), list(product(SHORT, (500, 1000, 3000))))
def test_next_word_goes_on_the_reasoning_tasks_text(problem: str, size: int) -> None:
    for seed in range(5):
        point = next_word_axes(size, problem)
        sample = NEXT_WORD.generate(point, seed)
        posed = TASKS[problem].pose({**point, "cot": False}, seed)
        _, _, given = text_of(sample).partition("\n\n")
        given, word = given.removesuffix("\n"), sample.target["label"]
        assert posed.question not in text_of(sample)
        assert posed.text.text.startswith(f"{given} {word}")
        assert not any(len(given) in range(*span) for span in key_spans(problem, seed, posed.text))
        assert sample.lengths["tokens"] == COUNTER.count(given) <= size + 70
    assert {point.axes["padding"] for point in NEXT_WORD.points({})} == {"different"}


def key_spans(problem: str, seed: int, text: Text) -> list[tuple[int, int]]:
    keys = [key.text for key in TASKS[problem].instance(seed).paragraphs]
    return [(text.text.index(key), text.text.index(key) + len(key)) for key in keys]


def test_next_word_is_asked_late_in_the_padding() -> None:
    shares: list[float] = []
    for seed in range(20):
        sample = NEXT_WORD.generate(next_word_axes(3000, "pir"), seed)
        shares.append(sample.lengths["tokens"] / 3000)
    assert statistics.mean(shares) > 0.9


def test_next_word_stands_in_other_text_even_where_there_is_no_padding() -> None:
    for problem, seed in product(SHORT, range(5)):
        sample = NEXT_WORD.generate(next_word_axes(250, problem), seed)
        keys = TASKS[problem].instance(seed).paragraphs
        text = text_of(sample)
        assert all(key.text in text for key in keys)
        assert len(text.rpartition(keys[1].text)[2].split()) >= 6
        assert abs(sample.lengths["tokens"] - 250) < 110
