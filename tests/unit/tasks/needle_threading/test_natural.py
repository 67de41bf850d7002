"""Events hidden in prose can be followed by reading the text alone."""

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tasks.needle_threading.events import LONGEST_LINK, draw_events, link
from tasks.needle_threading.natural import NaturalMultiThreading, NaturalThreading
from tasks.needle_threading.sentences import passage
from tasks.options import TaskOptions
from tasks.prose import Prose
from tasks.sample import DoesNotFitError, Sample, TaskError

NAME = r"[A-Z][a-z]+ of [A-Z][a-z]+"


def story(sample: Sample) -> str:
    return max(sample.prompt.messages[0].parts, key=len).text


def follow(text: str, event: str) -> str:
    """Reads link sentences, which are those with `and then`, and walks along them."""
    after: dict[str, str] = {}
    for sentence in re.findall(r"[^.]*, and then [^.]*\.", text):
        named = re.findall(NAME, sentence)
        if len(named) == 2:
            assert named[0] not in after
            after[named[0]] = named[1]
    while event in after:
        event = after[event]
    return event


@pytest.mark.parametrize("direction", ["forward", "backward", "random"])
@pytest.mark.parametrize(("size", "length"), [(5000, 1), (5000, 5), (10_000, 25)])
def test_thread_leads_to_the_expected_event(direction: str, size: int, length: int) -> None:
    task = NaturalThreading(TaskOptions())
    axes = {"size": size, "thread_length": length, "direction": direction}
    for seed in range(3):
        sample = task.generate(axes, seed)
        text = story(sample)
        assert follow(text, sample.target["queries"][0]) == sample.target["expected"][0]
        assert len(sample.target["names"]) == length + 1
        assert sample.lengths == {"haystack_chars": len(text)}
        assert size - 400 <= len(text) <= size
        places = [text.rindex(name) for name in sample.target["path"]]
        first_told = [text.index(name) for name in sample.target["path"]]
        if direction != "random":
            told = first_told if direction == "forward" else places
            assert told == sorted(told, reverse=direction == "backward")


def test_threads_lead_to_the_expected_events() -> None:
    task = NaturalMultiThreading(TaskOptions())
    for direction in ("forward", "backward", "random_directions", "all_random"):
        axes = {"size": 20_000, "thread_length": 3, "threads": 25, "direction": direction}
        sample = task.generate(axes, 1)
        text = story(sample)
        ends = [follow(text, event) for event in sample.target["queries"]]
        assert ends == sample.target["expected"]
        assert (sample.target["k"], len(set(sample.target["names"]))) == (25, 100)


def test_without_the_links_it_is_the_prose_of_the_seed() -> None:
    axes = {"size": 5000, "thread_length": 3, "direction": "random"}
    sample = NaturalThreading(TaskOptions()).generate(axes, 2)
    text = story(sample)
    for sentence in re.findall(rf"[^.]*{NAME}[^.]*\.", text):
        text = text.replace(sentence, "")
    assert Prose(2).text(len(text)) == text


def test_links_never_exceed_the_length_that_is_planned_for() -> None:
    rng = random.Random(0)
    names = draw_events(rng, 600)
    lengths = [len(link(rng, a, b)) for a, b in pairwise(names)]
    assert max(lengths) < LONGEST_LINK


def test_prose_takes_at_least_half() -> None:
    task = NaturalThreading(TaskOptions())
    axes = {"size": 2000, "thread_length": 25, "direction": "random"}
    with pytest.raises(DoesNotFitError, match="25 links"):
        task.generate(axes, 0)
    assert list(task.points({"size": [2000], "thread_length": [25]})) == []


def corpus(folder: Path, text: str) -> TaskOptions:
    folder.joinpath("a.txt").write_text(text, encoding="utf-8")
    return TaskOptions(haystack=folder)


def test_own_text_takes_the_place_of_prose(tmp_path: Path) -> None:
    sentences = " ".join(f"The {word} shone." for word in map("moon{}".format, range(900)))
    task = NaturalThreading(corpus(tmp_path, sentences))
    point = next(iter(task.points({"size": [5000], "thread_length": [2]})))
    assert set(point.inputs) == {"haystack"}
    samples = [task.generate(point.axes, seed) for seed in range(3)]
    for sample in samples:
        text = story(sample)
        assert "moon" in text
        assert follow(text, sample.target["queries"][0]) == sample.target["expected"][0]
        assert 4900 < len(text) <= 5000
    assert len({story(sample)[:200] for sample in samples}) == 3


def test_own_text_may_have_no_sentence_at_all(tmp_path: Path) -> None:
    task = NaturalThreading(corpus(tmp_path, "sea " * 3000))
    sample = task.generate({"size": 5000, "thread_length": 4, "direction": "forward"}, 0)
    assert follow(story(sample), sample.target["queries"][0]) == sample.target["expected"][0]


def test_own_text_that_is_too_short_is_not_used(tmp_path: Path) -> None:
    task = NaturalThreading(corpus(tmp_path, "Too short. " * 10))
    axes = {"size": 5000, "thread_length": 2, "direction": "random"}
    assert "110 chars only" in (task.infeasible(axes) or "")


def test_unreadable_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="nowhere"):
        NaturalThreading(TaskOptions(haystack=tmp_path / "nowhere"))


def test_sentence_ends() -> None:
    found = passage('One. "Two!" Three (four?) 3.14 five.\n\nSix.')
    ends = [found.text[:end] for end in found.ends]
    assert [text[-4:] for text in ends] == ["One.", 'wo!"', "ur?)", "ive.", "Six."]
    assert found.cut(20).text == 'One. "Two!"'
    assert found.cut(2).text == "On"
