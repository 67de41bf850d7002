from pathlib import Path
from random import Random

import pytest

from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError
from tests.unit.tasks.flenqa.texts import COUNTER, axes, flenqa, padded


def test_users_corpus_is_the_other_text(tmp_path: Path) -> None:
    rng = Random(0)
    sentences = [f"Line {at} says {rng.randrange(10**9)}." for at in range(400)]
    (tmp_path / "text.txt").write_text("\n".join(sentences))
    task = flenqa("pir", TaskOptions(haystack=tmp_path))
    text = task.pose(axes(2000, "different", "first"), 0).text.text
    first, second = (key.text for key in task.instance(0).paragraphs)
    passage = text.removeprefix(f"{first}\n{second}\n").split("\n")
    assert set(passage) <= set(sentences)
    assert len(passage) > 50
    (point,) = task.points({name: [value] for name, value in axes().items()})
    assert set(point.inputs) == {"haystack"}


def test_text_without_sentence_ends_says_so(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("word " * 5000)
    task = build("flenqa.pir", TaskOptions(haystack=tmp_path))
    with pytest.raises(DoesNotFitError, match="no padding of whole sentences or paragraphs"):
        task.generate(axes(1000, "different"), 0)


def test_passages_far_beyond_the_published_sizes() -> None:
    text = padded("pir", axes(140_000, "different", "middle"), 1)
    assert abs(COUNTER.count(text) - 140_000) < 70
