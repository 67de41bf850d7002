"""Threads in plain English: events that followed one another, told here and there in prose.

The paper's events and their wording were never published; names, links and grid are ours.
"""

from itertools import pairwise
from random import Random
from typing import Any, ClassVar

from tasks.byte_cache import ByteCache
from tasks.corpus import corpus_hash, load_corpus
from tasks.facts import TaskFacts
from tasks.needle_threading.events import LONGEST_LINK, MOST_EVENTS, draw_events, link
from tasks.needle_threading.family import Axes, NeedleThreadingTask, whole
from tasks.needle_threading.grids import (
    NATURAL_DIRECTION,
    NATURAL_LENGTH,
    NATURAL_MULTI_DIRECTION,
    NATURAL_MULTI_LENGTH,
    NATURAL_MULTI_SIZE,
    NATURAL_SIZE,
    NATURAL_THREADS,
    SOURCE,
)
from tasks.needle_threading.retrieval import json_list
from tasks.needle_threading.sentences import Passage, corpus_passage, seeded_passage
from tasks.needle_threading.threads import lay_many
from tasks.options import TaskOptions
from tasks.sample import Axis, Sample, Text

_CACHE_BYTES = 32 * 2**20
_LEAST_PROSE = 400
"""Characters: room for one sentence of our prose at least."""


_FACTS = TaskFacts(answer="values", text="prose", overall=None)


class NaturalTask(NeedleThreadingTask):
    """A thread of length n is n links, so n + 1 events: asked is the first, right the last."""

    def __init__(self, options: TaskOptions) -> None:
        super().__init__(options)
        self._corpus = load_corpus(options.haystack) if options.haystack else None
        self._corpus_hash = corpus_hash(self._corpus or "")
        self._passages = ByteCache[tuple[int, int], Passage](
            _CACHE_BYTES, lambda passage: passage.held_bytes
        )

    def infeasible(self, axes: Axes) -> str | None:
        """Why this combination can have no prompt: at most half of it may be links."""
        size, links = whole(axes, "size"), self._links(axes)
        needed = links * LONGEST_LINK + max(links * LONGEST_LINK, _LEAST_PROSE)
        if needed > size:
            return f"needs {needed} chars for {links} links in as much prose, size is {size}"
        events = links + self.values_asked(axes)
        if events > MOST_EVENTS:
            return f"needs {events} events, there are names for {MOST_EVENTS}"
        if self._corpus is not None and len(self._corpus) < size:
            return f"the haystack folder holds {len(self._corpus)} chars only, size is {size}"
        return None

    def _links(self, axes: Axes) -> int:
        return self.values_asked(axes) * whole(axes, "thread_length")

    def _inputs(self) -> dict[str, str]:
        inputs = super()._inputs()
        return inputs if self._corpus is None else {**inputs, "haystack": self._corpus_hash}

    def _passage(self, seed: int, chars: int) -> Passage:
        corpus = self._corpus
        if corpus is None:
            return self._passages.get((seed, chars), lambda: seeded_passage(seed, chars))
        return self._passages.get((seed, chars), lambda: corpus_passage(corpus, seed, chars))

    def _draw(self, axes: Axes, seed: int) -> Sample:
        rng = self._rng(axes, seed)
        length, total = whole(axes, "thread_length"), self._links(axes)
        names = draw_events(rng, total + self.values_asked(axes))
        threads = [names[at : at + length + 1] for at in range(0, len(names), length + 1)]
        links = [[link(rng, *pair) for pair in pairwise(thread)] for thread in threads]
        prose = self._passage(seed, whole(axes, "size"))
        prose = prose.cut(whole(axes, "size") - sum(len(text) + 1 for row in links for text in row))
        slots = lay_many(_slots(rng, len(prose.ends), total), length, str(axes["direction"]), rng)
        told = {
            slot: text
            for row, places in zip(links, slots, strict=True)
            for slot, text in zip(places, row, strict=True)
        }
        return self._sample(Text(prose.with_sentences(told, total)), threads)

    def _sample(self, text: Text, threads: list[list[str]]) -> Sample:
        firsts, lasts = [thread[0] for thread in threads], [thread[-1] for thread in threads]
        many = self.answers_axis is not None
        target: dict[str, Any] = {
            "mode": "list" if many else "single",
            "k": len(lasts),
            "expected": lasts,
            "queries": firsts,
            "ordered": many,
            "kind": "name",
            "names": [name for thread in threads for name in thread],
        }
        if not many:
            target["path"] = threads[0][1:]
        asked = {"events": json_list(firsts)} if many else {"event": firsts[0]}
        return Sample(
            prompt=self._prompt(text, asked, {}),
            target=target,
            kind=self.facts.text,
            lengths={"haystack_chars": len(text)},
        )


def _slots(rng: Random, ends: int, total: int) -> list[int]:
    """A place for each link: an end of a sentence, times `total`, plus a rank where they share.

    No two share one as long as there are enough.
    """
    if total <= ends:
        return [end * total for end in rng.sample(range(ends), total)]
    return [rng.randrange(ends) * total + rank for rank in range(total)]


class NaturalThreading(NaturalTask):
    """The last event of one thread."""

    name: ClassVar[str] = "needle_threading.natural_threading"
    axes: ClassVar[tuple[Axis, ...]] = (NATURAL_SIZE, NATURAL_LENGTH, NATURAL_DIRECTION)
    source: ClassVar[str] = f"{SOURCE}, natural text"
    shares: ClassVar[tuple[str, ...]] = ("size", "thread_length", "direction")
    facts: ClassVar[TaskFacts] = _FACTS

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes


class NaturalMultiThreading(NaturalTask):
    """The last events of several threads."""

    name: ClassVar[str] = "needle_threading.natural_multi_threading"
    axes: ClassVar[tuple[Axis, ...]] = (
        NATURAL_MULTI_SIZE,
        NATURAL_MULTI_LENGTH,
        NATURAL_THREADS,
        NATURAL_MULTI_DIRECTION,
    )
    source: ClassVar[str] = f"{SOURCE}, natural text, figure 13"
    shares: ClassVar[tuple[str, ...]] = ("size", "thread_length", "threads", "direction")
    answers_axis: ClassVar[str | None] = "threads"
    facts: ClassVar[TaskFacts] = _FACTS

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes
