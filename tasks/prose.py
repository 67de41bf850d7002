"""Seeded plain English without end, to hide things in.

A paragraph keeps to one topic, one group of people, one place and a handful of things, so that it
reads as being about something. Every sentence is drawn from templates and word lists
(`data/prose.toml`); no sentence comes twice from the same seed. Nothing in it names a person, a
city, a number or an amount, so it can not compete with a needle.
"""

import random
import string
import threading
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import count
from typing import Any

from tasks.identity import derive_seed

_OPENINGS = (
    "{when}, {actors} {did} the {adj} {things} {place}, {tail}.",
    "{place}, the {adj} {things} {was}, and {actors} {did2} the {things2} {how}.",
    "{said} the {adj} {things} {place} {was} whenever {cause}.",
    "{when}, {actors} came to look at the {adj} {things} {place}, {tail}.",
    "{actors} spoke of the {adj} {things} {place} as {judged}, {tail}.",
    "The {things} {place} had always been called {adj}, but {when} they {was}, {tail}.",
    "{when}, the {adj} {things} {place} were thought {judged}, {tail}.",
    "Much has been said about the {adj} {things} {place}, and most of it by {actors}, {tail}.",
)
_MIDDLES = (
    "{link}, the {adj} {things} {was}, {tail}.",
    "{link}, {actors} {did} the {adj} {things} {how}, {tail}.",
    "{said} the {adj} {things} {was} when {cause}.",
    "If {cause}, {actors} {did} the {adj} {things} {how}; otherwise they turned to the {things2}.",
    "The {adj} {things} {was} {when}, and {actors} {did} them {how}.",
    "{actors} {did} the {adj} {things} first, and only after that {did2} the {adj2} {things2}.",
    "{when}, the {adj} {things} {was}, while the {adj2} {things2} were thought {judged}.",
    "{link}, the {adj} {things} were {judged}, {tail}.",
    "Where the {things} {was}, {actors} {did2} the {adj2} {things2} {how}.",
    "{actors} preferred the {adj} {things} to the {adj} ones, {tail}.",
    "{link}, {actors} {did2} the {adj2} {things2}, since the {things} {was} as soon as {cause}.",
    "Because {cause}, the {adj} {things} {was}, {tail}.",
    "The {things} and the {adj2} {things2} were both {judged}, {tail}.",
    "{when}, {actors} {did} the {adj} {things} {place} as soon as {cause}.",
    "The {adj2} {things2} {was2}, {tail}.",
    "{link}, {actors} left the {adj} {things} alone and {did2} the {things2} {how}.",
    "Although {cause}, the {things} {place} {was}, {tail}.",
    "{said} {actors} {did} the {adj} {things} {when}, {tail}.",
    "{how}, {actors} {did} the {adj} {things} until {cause}.",
    "The {adj} {things} {place} {was}; the {adj2} {things2} were {judged}.",
    "{link}, the {adj2} {things2} {was2} when {cause}.",
    "{said} the {things2} {was2}, and that {actors} {did} the {adj} {things} {how}.",
    "Some of the {things} {was}, and others were left for another day, {tail}.",
    "{actors} {did2} the {adj2} {things2} {when}, {tail}.",
)
_CLOSINGS = (
    "{link}, the {adj} {things} were {judged}, {tail}.",
    "{when}, {actors} {did} the last of the {adj} {things}, {tail}.",
    "{said} the {adj} {things} were {judged}, {tail}.",
    "That is why {actors} {did} the {adj} {things} {how}, {tail}.",
    "What could be seen {place} {when} was {judged}, {tail}.",
    "{link}, {actors} were glad that the {adj} {things} {was}, {tail}.",
    "So the {things} {was}, the {adj2} {things2} {was2}, and {actors} were content.",
)
_FOCUS = {"actors": 2, "things": 5, "things2": 3, "place": 2}
"""How many entries of a list one paragraph uses: what makes it hang together."""

_Slots = Mapping[str, tuple[str, ...]]
_Template = tuple[tuple[str, ...], tuple[str, ...]]
"""Literals, and the lists between them: one literal more than lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """All word lists; a list under its capitalised name holds its entries as a sentence starts."""

    shared: _Slots
    topics: tuple[tuple[_Slots, ...], ...]
    """Of each topic, its two kinds of thing with either of them in front (the other has a `2`)."""


class Prose:
    """The endless text of one seed; what was made is kept, so a longer text costs the difference.

    `text(a)` is a prefix of `text(b)` for a <= b. Safe to share between threads.
    """

    def __init__(self, seed: int) -> None:
        self._made = _paragraphs(seed)
        self._grow = threading.Lock()
        self._pieces: list[str] = []  # sentences, each with the white space before it
        self._ends: list[int] = []  # characters up to the end of each

    def text(self, chars: int) -> str:
        """The longest run of whole sentences that is not longer than `chars`."""
        self._extend(chars)
        return "".join(self._pieces[: bisect_right(self._ends, chars)])

    def paragraphs(self) -> Iterator[tuple[str, ...]]:
        """The sentences of each paragraph, from the start and without end."""
        paragraph: list[str] = []
        for index in count():
            while index >= len(self._ends):
                self._extend(self.chars)
            piece = self._pieces[index]
            if paragraph and piece.startswith("\n"):
                yield tuple(paragraph)
                paragraph = []
            paragraph.append(piece.lstrip())

    @property
    def chars(self) -> int:
        """Characters made so far, all of them kept in memory."""
        return self._ends[-1] if self._ends else 0

    def _extend(self, chars: int) -> None:
        with self._grow:
            end = self.chars
            while end <= chars:
                for piece in next(self._made):
                    text = piece if end else piece.lstrip()
                    end += len(text)
                    self._pieces.append(text)
                    self._ends.append(end)


def _paragraphs(seed: int) -> Iterator[list[str]]:
    words = _words()
    openings, middles, closings = map(_compiled, (_OPENINGS, _MIDDLES, _CLOSINGS))
    rng = random.Random(derive_seed("prose", seed))
    used: set[str] = set()
    topic = 0
    while True:
        topic = (topic + rng.randrange(1, len(words.topics))) % len(words.topics)
        sides = words.topics[topic]
        slots = _focused({**words.shared, **sides[rng.randrange(len(sides))]}, rng)
        shapes = (*rng.sample(middles, rng.randrange(3, 8)), rng.choice(closings))
        paragraph = [_fresh("\n\n", rng.choice(openings), slots, rng, used)]
        paragraph += [_fresh(" ", shape, slots, rng, used) for shape in shapes]
        yield paragraph


def _focused(slots: dict[str, tuple[str, ...]], rng: random.Random) -> _Slots:
    for name, kept in _FOCUS.items():
        start = rng.randrange(len(slots[name]))
        for spelling in (name, name.capitalize()):
            entries = slots[spelling]
            slots[spelling] = (entries + entries)[start : start + kept]
    return slots


def _fresh(space: str, shape: _Template, slots: _Slots, rng: random.Random, used: set[str]) -> str:
    """A sentence that this text does not have yet, with the white space before it."""
    while True:
        sentence = space + _sentence(shape, slots, rng.getrandbits(128))
        if sentence not in used:
            used.add(sentence)
            return sentence


def _sentence(shape: _Template, slots: _Slots, bits: int) -> str:
    literals, names = shape
    pieces = [literals[0]]
    previous = ""
    for literal, name in zip(literals[1:], names, strict=True):
        entries = slots[name]
        bits, index = divmod(bits, len(entries))
        if entries[index] == previous:  # never `the pears and the pears`
            index = (index + 1) % len(entries)
        previous = entries[index]
        pieces += (previous, literal)
    return "".join(pieces)


def _compiled(templates: tuple[str, ...]) -> tuple[_Template, ...]:
    return tuple(_parsed(template) for template in templates)


def _parsed(template: str) -> _Template:
    parts = list(string.Formatter().parse(template))
    literals = [literal for literal, _, _, _ in parts]
    names = [name for _, name, _, _ in parts if name is not None]
    if not literals[0]:
        names[0] = names[0].capitalize()
    if len(literals) == len(names):
        literals.append("")
    return tuple(literals), tuple(names)


@cache
def _words() -> _Words:
    file = resources.files("tasks").joinpath("data", "prose.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return _Words(
        shared=_lists(tables["shared"]),
        topics=tuple(_sides(topic) for topic in tables["topics"].values()),
    )


def _sides(topic: dict[str, Any]) -> tuple[_Slots, ...]:
    first, second = topic.pop("a"), topic.pop("b")
    return tuple(
        _lists({**topic, **front, **{f"{name}2": entries for name, entries in back.items()}})
        for front, back in ((first, second), (second, first))
    )


def _lists(table: Mapping[str, str]) -> _Slots:
    slots: dict[str, tuple[str, ...]] = {}
    for name, text in table.items():
        entries = tuple(entry.strip() for entry in text.split(";"))
        slots[name] = entries
        slots[name.capitalize()] = tuple(entry[0].upper() + entry[1:] for entry in entries)
    return slots
