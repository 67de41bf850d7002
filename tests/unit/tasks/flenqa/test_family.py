import re
import statistics
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest

from tasks.catalog import build
from tasks.flenqa.family import FlenqaTask
from tasks.flenqa.words import words
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError, Sample, Scalar, Text
from tasks.tokens import exact_counter

COUNTER = exact_counter("cl100k_base")
SHORT = ("monorel", "pir", "ruletaker")
SIZES = (250, 500, 1000, 2000, 3000)
PADDINGS = ("duplicate", "similar", "different")
PLACEMENTS = ("first", "middle", "last", "random")
INSTANCES = 100


def flenqa(name: str, options: TaskOptions) -> FlenqaTask:
    task = build(f"flenqa.{name}", options)
    assert isinstance(task, FlenqaTask)
    return task


TASKS = {name: flenqa(name, TaskOptions()) for name in SHORT}
NEXT_WORD = build("flenqa.next_word", TaskOptions())


def axes(
    size: int = 1000, padding: str = "similar", placement: str = "random", *, cot: bool = False
) -> dict[str, Scalar]:
    return {"size": size, "padding": padding, "placement": placement, "cot": cot}


def padded(name: str, point: dict[str, Scalar], seed: int) -> str:
    task = TASKS[name]
    return task.pose(point, seed).text.text


def text_of(sample: Sample) -> str:
    return sample.prompt.messages[0].text


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


def test_monorel_labels_follow_from_the_key_sentences() -> None:
    for seed in range(INSTANCES):
        instance = TASKS["monorel"].instance(seed)
        pairs = [
            re.fullmatch(r"(\w+ \w+) is (.+) than (\w+ \w+)\.", key.key_sentence)
            for key in instance.paragraphs
        ]
        asked = re.fullmatch(r"Is (\w+ \w+) (.+) than (\w+ \w+)\?", instance.question)
        assert asked is not None
        (a, how, b), (b2, how2, c) = (match.groups() for match in pairs if match is not None)
        assert (b, how) == (b2, how2)
        assert (asked[1], asked[3]) == ((a, c) if instance.label else (c, a))
        assert asked[2] == how


def test_pir_labels_follow_from_the_key_sentences() -> None:
    groups = [set(group) for group in words().properties]
    for seed in range(INSTANCES):
        instance = TASKS["pir"].instance(seed)
        where, what = (key.key_sentence for key in instance.paragraphs)
        person, room = where.removesuffix(".").split(" is in ")
        owner_room, has = what.removesuffix(".").split(" has ")
        asked = instance.question.removesuffix("?").split(" in a room with ")
        assert owner_room.lower() == room.lower()
        assert asked[0] == f"Is {person}"
        assert (asked[1] == has) is instance.label
        assert any({asked[1], has} <= group for group in groups)  # so that false is certain


def test_ruletaker_labels_follow_from_facts_and_rule() -> None:
    groups = {item: at for at, group in enumerate(words().attributes) for item in group}
    kinds: Counter[str] = Counter()
    for seed in range(INSTANCES):
        instance = TASKS["ruletaker"].instance(seed)
        facts = {key.key_sentence for key in instance.paragraphs}
        match = re.fullmatch(r"If X is (\w+) and X is (\w+) then X is (\w+)\.", instance.rule)
        assert match is not None
        (entity,) = instance.entities
        fires = {f"{entity} is {match[1]}.", f"{entity} is {match[2]}."} == facts
        known = facts | ({f"{entity} is {match[3]}."} if fires else set())
        assert (instance.question in known) is instance.label
        assert len({groups[match[at]] for at in (1, 2, 3)}) == 3
        kinds["derived" if instance.label else "wrong rule" if not fires else "other"] += 1
    assert min(kinds.values()) > 10


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


@pytest.mark.parametrize("name", SHORT)
def test_without_padding_all_variants_are_one_text(name: str) -> None:
    first, second = TASKS[name].instance(5).paragraphs
    texts = {
        padded(name, axes(250, padding, placement), 5)
        for padding, placement in product(PADDINGS, PLACEMENTS)
    }
    assert texts == {f"{first.text}\n{second.text}"}


def test_duplicates_take_turns() -> None:
    first, second = (key.text for key in TASKS["pir"].instance(1).paragraphs)
    lines = padded("pir", axes(1000, "duplicate", "first"), 1).split("\n")
    assert lines[:4] == [first, second, first, second]
    assert set(lines) == {first, second}


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


def test_different_padding_is_one_passage_cut_at_sentence_ends() -> None:
    first, second = (key.text for key in TASKS["monorel"].instance(2).paragraphs)
    text = padded("monorel", axes(2000, "different", "last"), 2)
    passage = text.removesuffix(f"\n{first}\n{second}")
    assert passage.endswith(".")
    assert passage[0].isupper()
    inside = padded("monorel", axes(2000, "different", "random"), 2)
    assert all(part.endswith(".") for part in inside.split("\n") if part)


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
