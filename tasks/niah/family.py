"""What all needle-in-a-haystack tasks have in common: lengths, depths, insertion, wording."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from tasks.corpus import corpus_hash, load_corpus
from tasks.facts import TaskFacts
from tasks.grid import expand
from tasks.identity import derive_seed
from tasks.ladders import linear, sigmoid_depths
from tasks.niah.haystack import Haystacks, TokenHaystack, prose_text, repeated
from tasks.niah.insertion import context_length, insertion
from tasks.options import TaskOptions
from tasks.profiles import effective
from tasks.sample import (
    Axis,
    DoesNotFitError,
    Prompt,
    Sample,
    Scalar,
    TaskPoint,
    Text,
    user_prompt,
)
from tasks.tokens import exact_counter
from tasks.wording import load

Axes = Mapping[str, Scalar]

SOURCE = "Arize LLMTest_NeedleInAHaystack 3ca1bfd"
SIZE = Axis(
    name="size",
    published=linear(100, 110_000, 10),
    unit="cl100k tokens, of which `buffer` stay unused",
    source=f"{SOURCE}, context_lengths",
    minimum=1,
)
DEPTH = Axis(
    name="depth",
    published=linear(0, 100, 10),
    unit="percent",
    source=f"{SOURCE}, document_depth_percents",
    has_curves=True,
    minimum=0,
    maximum=100,
    integer=False,
)
DIGITS = Axis(
    name="digits",
    published=(7,),
    unit="digits of the number",
    source=f"{SOURCE}, rnd_number_digits",
    minimum=1,
    maximum=15,
)
BUFFER = Axis(
    name="buffer",
    published=(200,),
    unit="tokens kept free for question and reply",
    source=f"{SOURCE}, final_context_length_buffer",
    minimum=0,
)

_CONTEXT_AT_LEAST = 50
"""Tokens of haystack around a needle, below which there is nothing to search in."""
_DEPTHS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What is put into the haystack, and what is asked about it."""

    needle: str
    question: str
    target: Mapping[str, Any]


class NiahTask(ABC):
    """A task of the family; subclasses say what is hidden.

    Tokens are those of cl100k_base for every model, so that all of them see the same prompts.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 2
    axes: ClassVar[tuple[Axis, ...]]
    size_axis: ClassVar[str] = "size"
    size_unit: ClassVar[str] = "tokens"
    source: ClassVar[str] = SOURCE
    shares: ClassVar[tuple[str, ...]] = ("size",)
    facts: ClassVar[TaskFacts]
    prompt_switches: ClassVar[tuple[str, ...]] = ("niah.negative_slice",)
    """The switches that shape a prompt; niah.depth_dist only chooses which depths are default."""

    def __init__(self, options: TaskOptions) -> None:
        self._switches = {**effective("default", {}), **options.switches}
        self._wording = load("niah", options.prompts)
        self._inputs = {"prompts": self._wording.hash} if self._wording.hash else {}
        self._counter = exact_counter("cl100k_base")
        make = prose_text
        if options.haystack is not None:
            corpus = load_corpus(options.haystack)
            self._inputs["haystack"] = corpus_hash(corpus)
            make = repeated(corpus)
        self._haystacks = Haystacks(self._counter, make)

    @abstractmethod
    def longest_needle(self, axes: Axes) -> int:
        """Tokens of the longest needle that this point may draw."""

    @abstractmethod
    def _hide(self, axes: Axes, rng: Random) -> Hidden:
        """What is hidden at this point."""

    def infeasible(self, axes: Axes) -> str | None:
        """Why this combination can have no prompt, else None."""
        size, buffer = _whole(axes, "size"), _whole(axes, "buffer")
        needed = buffer + self.longest_needle(axes) + _CONTEXT_AT_LEAST
        if size >= needed or self._switches["niah.negative_slice"] == "official":
            return None
        return (
            f"size = {size} is less than the {needed} tokens of buffer ({buffer}), needle and "
            f"{_CONTEXT_AT_LEAST} around it (niah.negative_slice = 'official' allows it)"
        )

    @abstractmethod
    def chance(self, axes: Axes) -> float | None:
        """The accuracy that guessing gives; None where nobody can say."""

    def values_asked(self, axes: Axes) -> int:
        """One answer."""
        del axes
        return 1

    def reply_tokens(self, axes: Axes) -> float:
        """Visible tokens of a usual reply: a sentence."""
        del axes
        return 24.0

    def decoding(self, axes: Axes) -> Mapping[str, Any]:
        """Greedy and short, as the code asks; its top_p of 1 is what every API takes anyway."""
        del axes
        return {"temperature": 0, "max_tokens": 256}

    def generate(self, axes: Axes, seed: int) -> Sample:
        """The prompt and target of one point and seed; same arguments, same bytes."""
        reason = self.infeasible(axes)
        if reason is not None:
            raise DoesNotFitError(f"{self.name}: {reason}")
        rng = Random(derive_seed(self.name, self.version, dict(axes), seed))
        hidden = self._hide(axes, rng)
        size = _whole(axes, "size")
        needle = Text(hidden.needle)
        needle_tokens = needle.tokens(self._counter)
        haystack = self._haystacks.get(seed, size)
        length = context_length(size, _whole(axes, "buffer"), needle_tokens)
        at = insertion(haystack, length, _depth(axes))
        return Sample(
            prompt=self._prompt(haystack, needle, at, length, hidden.question),
            target=hidden.target,
            kind=self.facts.text,
            lengths={
                "tokens": length + needle_tokens,
                "nominal": size,
                "depth_actual": 100 * at / length if length else 0.0,
                "depth_tokens": at,
            },
        )

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """All feasible points; depths are spaced as niah.depth_dist says where none are given."""
        spaced = dict(given)
        if self._switches["niah.depth_dist"] == "sigmoid" and DEPTH in self.axes:
            spaced.setdefault("depth", sigmoid_depths(_DEPTHS))
        for axes in expand(self.name, self.axes, spaced):
            if self.infeasible(axes) is None:
                yield TaskPoint(
                    task=self.name,
                    version=self.version,
                    axes=axes,
                    switches={name: self._switches[name] for name in self.prompt_switches},
                    inputs=self._inputs,
                )

    def _prompt(
        self, haystack: TokenHaystack, needle: Text, at: int, length: int, question: str
    ) -> Prompt:
        before, after = self._wording.split("user", "context", question=question)
        context = [*haystack.cut(0, at), needle, *haystack.cut(at, length)]
        return user_prompt(before, *context, after)


def _depth(axes: Axes) -> float:
    """100 for a task without depths: what it adds stands at the end."""
    depth = axes.get("depth", 100)
    return float(depth) if isinstance(depth, int | float) else 100.0


def _whole(axes: Axes, name: str) -> int:
    value = axes[name]
    return int(value) if isinstance(value, int | float) else 0
