"""What all FLenQA tasks have in common: grid, padding to a length, prompt, target."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

from tasks.byte_cache import ByteCache
from tasks.corpus import corpus_hash, load_corpus
from tasks.facts import CL100K_TOKENS, TaskFacts
from tasks.flenqa.instance import BaseInstance
from tasks.flenqa.padding import Duplicate, Filler, Units, arranged
from tasks.flenqa.passage import Different
from tasks.flenqa.similar import Similar
from tasks.grid import expand
from tasks.identity import derive_seed
from tasks.options import TaskOptions
from tasks.sample import Axis, DoesNotFitError, Prompt, Sample, Scalar, TaskPoint, Text, user_prompt
from tasks.tokens import exact_counter
from tasks.wording import load

Axes = Mapping[str, Scalar]

SOURCE = "arXiv 2402.14848"
SIZE = Axis(
    name="size",
    published=(250, 500, 1000, 2000, 3000),
    unit="cl100k tokens of the padded text",
    source=f"{SOURCE}, sec. 3",
    minimum=250,
)
PADDING = Axis(
    name="padding",
    published=("duplicate", "similar", "different"),
    source=f"{SOURCE}, sec. 3 (released data: similar and different)",
    choices=("duplicate", "similar", "different"),
)
PLACEMENT = Axis(
    name="placement",
    published=("first", "middle", "last", "random"),
    source=f"{SOURCE}, sec. 3",
    choices=("first", "middle", "last", "random"),
)
COT = Axis(
    name="cot",
    published=(False, True),
    is_apart=True,
    source="released notebook 5a1691c, cell 5",
    has_curves=True,
    choices=(False, True),
)

DECODING: Mapping[str, Any] = {"temperature": 0, "top_p": 0, "max_tokens": 400}

UNPADDED = 250
"""At this size the two key paragraphs are the whole text."""
_TOLERANCE = 70
"""Published: the size is missed by less than this, or the text is drawn again."""
_CLOSE = 20
"""Texts of up to _SHORT tokens are drawn again until they are this close, if that can be, so that
whole paragraphs of padding do not shift a cell's mean."""
_SHORT = 20_000
_TRIES = 12
_CACHE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A problem as it is asked: the text around it, and what a scorer must know."""

    text: Text
    question: str
    label: str
    """`True` or `False`."""
    key_sentences: Sequence[str]
    facts: Sequence[str]
    """What the released data call facts: whole paragraphs, or RuleTaker's two statements."""
    paragraphs: Sequence[str] = ()
    """The key paragraphs, where these are known to stand in the text."""
    rule: str = ""
    lengths: Mapping[str, float] = field(default_factory=dict[str, float])


TRUE_OR_FALSE = TaskFacts(
    answer="true_false", text="prose", unit_tokens=CL100K_TOKENS, overall="flenqa"
)


class FlenqaTask(ABC):
    """A task of the family; subclasses draw base instances.

    The repeat chooses the base instance: all variants of one repeat ask the same question over the
    same key paragraphs. Labels alternate from repeat to repeat, and not all tasks start with the
    same one, so that true and false differ by one at most over the repeats of any task, and over
    the three tasks of one repeat.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 2
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, PADDING, PLACEMENT, COT)
    size_axis: ClassVar[str] = "size"
    size_unit: ClassVar[str] = "tokens"
    source: ClassVar[str]
    shares: ClassVar[tuple[str, ...]] = ("size", "padding", "placement")
    facts: ClassVar[TaskFacts]
    dataset: ClassVar[str]
    """The task's name in the released data."""
    first_label: ClassVar[bool] = True
    """The label of repeat 0."""

    def __init__(self, options: TaskOptions) -> None:
        self._wording = load("flenqa", options.prompts)
        self.inputs: dict[str, str] = {"prompts": self._wording.hash} if self._wording.hash else {}
        self._counter = exact_counter("cl100k_base")
        self._instances = ByteCache[int, BaseInstance](_CACHE_BYTES, lambda _: 4096)
        self._texts = ByteCache[tuple[Scalar, ...], Text](_CACHE_BYTES, lambda text: 3 * len(text))
        corpus = None
        if options.haystack is not None:
            corpus = load_corpus(options.haystack)
            self.inputs["haystack"] = corpus_hash(corpus)
        self._fillers: Mapping[str, Filler] = {
            "duplicate": Duplicate(),
            "similar": Similar(self.instance),
            "different": Different(self._counter, corpus),
        }

    @abstractmethod
    def _draw(self, rng: Random, *, label: bool) -> BaseInstance:
        """A base instance with this label."""

    def label(self, axes: Axes, seed: int) -> bool:
        """The right answer at this point and seed, found without making the prompt."""
        del axes
        return self.first_label == (seed % 2 == 0)

    def instance(self, seed: int) -> BaseInstance:
        """The base instance of a seed, the same for every variant."""
        rng_seed = derive_seed("flenqa", self.dataset, self.version, seed)
        label = self.label({}, seed)
        return self._instances.get(seed, lambda: self._draw(Random(rng_seed), label=label))

    def passage(self, seed: int, tokens: int, rng: Random) -> str:
        """About so many tokens of the text that pads a seed with other text."""
        units = self._fillers["different"].units(self.instance(seed), seed, rng, tokens)
        return "".join(units.texts).strip()

    def infeasible(self, axes: Axes) -> str | None:
        """Every size from 250 on has a prompt."""
        size = axes["size"]
        if isinstance(size, int | float) and size >= UNPADDED:
            return None
        return f"size = {size!r} is less than the {UNPADDED} tokens of the key paragraphs"

    @abstractmethod
    def chance(self, axes: Axes) -> float | None:
        """The accuracy that guessing gives; None where nobody can say."""

    def values_asked(self, axes: Axes) -> int:
        """One verdict, or one word."""
        del axes
        return 1

    def reply_tokens(self, axes: Axes) -> float:
        """Visible tokens of a usual reply: a few steps and a verdict, or the verdict alone."""
        return 160.0 if axes.get("cot") is True else 5.0

    def decoding(self, axes: Axes) -> Mapping[str, Any]:
        """Greedy, and as short as the notebook's."""
        del axes
        return DECODING

    def generate(self, axes: Axes, seed: int) -> Sample:
        """The prompt and target of one point and seed; same arguments, same bytes."""
        reason = self.infeasible(axes)
        if reason is not None:
            raise DoesNotFitError(f"{self.name}: {reason}")
        posed = self.pose(axes, seed)
        return Sample(
            prompt=self._prompt(posed, cot=axes.get("cot") is True),
            target={
                "dataset": self.dataset,
                "label": posed.label,
                "question": posed.question,
                "key_sentences": list(posed.key_sentences),
                "facts": list(posed.facts),
                "cot": axes.get("cot") is True,
            },
            kind=self.facts.text,
            lengths={
                "tokens": posed.text.tokens(self._counter),
                "nominal": float(str(axes["size"])),
                **posed.lengths,
            },
        )

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """All points; those of size 250 differ in name only, and share their prompts."""
        for axes in expand(self.name, self.axes, given):
            yield TaskPoint(task=self.name, version=self.version, axes=axes, inputs=self.inputs)

    def pose(self, axes: Axes, seed: int) -> Posed:
        """The problem of a point and seed, with its padding around it."""
        instance = self.instance(seed)
        keys = instance.paragraphs
        return Posed(
            text=self._padded(instance, axes, seed),
            question=instance.question,
            label=str(instance.label),
            key_sentences=[key.key_sentence for key in keys],
            facts=[key.key_sentence if instance.rule else key.text for key in keys],
            paragraphs=[key.text for key in keys],
            rule=instance.rule,
            lengths={"key_tokens": sum(key.tokens for key in keys)},
        )

    def _padded(self, instance: BaseInstance, axes: Axes, seed: int) -> Text:
        """The padded text, shared by the ways of asking."""
        variant = (seed, axes["size"], axes["padding"], axes["placement"])
        return self._texts.get(variant, lambda: self._fitted(instance, variant))

    def _fitted(self, instance: BaseInstance, variant: tuple[Scalar, ...]) -> Text:
        seed, size, padding, placement = variant
        filler = self._fillers[str(padding)]
        target = int(str(size))
        parts = (self.dataset, self.version, *variant)
        first, second = instance.paragraphs
        budget = 0 if target == UNPADDED else target - first.tokens - second.tokens
        best: Text | None = None
        missing = target
        for attempt in range(_TRIES):
            rng = Random(derive_seed("padding", *parts, attempt))
            units = filler.units(instance, int(str(seed)), rng, budget) if budget > 0 else Units()
            text = Text(arranged((first.text, second.text), units, str(placement), rng))
            off = target - text.tokens(self._counter)
            if abs(off) < abs(missing):
                best, missing = text, off
            if abs(off) <= (_CLOSE if target <= _SHORT else _TOLERANCE - 1):
                break
            budget += off if abs(off) >= _TOLERANCE else 0
        if best is None or abs(missing) >= _TOLERANCE:
            raise DoesNotFitError(
                f"{self.name}: size = {size}: no padding of whole sentences or paragraphs comes "
                f"within {_TOLERANCE} tokens"
            )
        return best

    def _prompt(self, posed: Posed, *, cot: bool) -> Prompt:
        name = self.name.partition(".")[2]
        fields = {"question": posed.question}
        if posed.rule:
            fields = {"assertion": posed.question, "rule": posed.rule}
        template = f"{name}_{'cot' if cot else 'direct'}"
        return user_prompt(*self._wording.pieces(template, text=posed.text, **fields))
