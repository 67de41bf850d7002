"""Tasks whose haystack is a JSON object of UUID pairs, shared by all questions asked of it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from tasks.byte_cache import ByteCache
from tasks.facts import TaskFacts
from tasks.needle_threading.family import Axes, NeedleThreadingTask, whole
from tasks.needle_threading.pairs import PAIR_CHARS, Haystack, build
from tasks.options import TaskOptions
from tasks.sample import Sample, Scalar, Text

_CACHE_BYTES = 32 * 2**20
"""Ten of the largest haystacks with their encodings; making one again takes milliseconds."""
_CACHED = 256
"""More small ones would only fill memory as a sweep goes on: each is asked about in a row."""


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Question(Struct, frozen=True, kw_only=True, gc=False):
    """What is asked of a haystack, and what is right."""

    expected: Sequence[str]
    asked: Mapping[str, Scalar]
    """Fields of the question's template."""
    queries: Sequence[str] = ()
    echoes: Sequence[str] = ()
    """Keys that the question does not name, but that a reply may list beside its values."""
    instruction: Mapping[str, str] = _NOTHING
    """Fields of the instruction's template."""
    many: bool = False
    """A list is asked for; else one value, and any of the expected ones is right."""
    ordered: bool = False
    """The list should follow the order of the queries."""
    path: Sequence[str] = ()
    """The values along the thread, to see at which step a wrong answer left it."""
    lengths: Mapping[str, float] = _NOTHING


IN_OVERALL = TaskFacts(answer="values", text="uuid", overall="needle_threading", overall_tasks=5)
"""Of the five tasks that the paper's overall mean is taken over."""
BESIDE_OVERALL = TaskFacts(answer="values", text="uuid", overall=None)


class PairTask(NeedleThreadingTask):
    """A task over UUID pairs."""

    def __init__(self, options: TaskOptions) -> None:
        super().__init__(options)
        self._haystacks = ByteCache[tuple[int, int], Haystack](
            _CACHE_BYTES, lambda haystack: max(haystack.held_bytes, _CACHE_BYTES // _CACHED)
        )

    def pairs_needed(self, axes: Axes) -> int:
        """How many different pairs of the haystack the question takes."""
        return self.values_asked(axes)

    def infeasible(self, axes: Axes) -> str | None:
        """Why this combination can have no prompt, else None."""
        needed, room = self.pairs_needed(axes), _room(axes)
        if needed <= room:
            return None
        return f"needs {needed} pairs, a haystack of {axes['size']} chars holds {room}"

    def _haystack(self, axes: Axes, seed: int) -> Haystack:
        pairs = _room(axes)
        return self._haystacks.get((seed, pairs), lambda: build(seed, pairs))

    def _sample(self, text: Text, question: Question) -> Sample:
        target = {
            "mode": "list" if question.many else "single",
            "k": len(question.expected) if question.many else 1,
            "expected": list(question.expected),
            "queries": list(question.queries),
            "ordered": question.ordered,
            "kind": "uuid",
        }
        if question.echoes:
            target["echoes"] = list(question.echoes)
        if question.path:
            target["path"] = list(question.path)
        return Sample(
            prompt=self._prompt(text, question.asked, question.instruction),
            target=target,
            kind=self.facts.text,
            lengths={
                "haystack_chars": len(text),
                "pairs": len(text) // PAIR_CHARS,
                **question.lengths,
            },
        )


def _room(axes: Axes) -> int:
    return whole(axes, "size") // PAIR_CHARS
