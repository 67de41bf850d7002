"""NeedleChain (arXiv 2507.22411): every sentence of the context is needed for the answer.

Forward, backward and mixed tell one chain of comparisons in three orders; stack tells independent
salaries. For one `k`, `val` and seed the four share their workers and the three chains their facts.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from tasks import profiles, wording
from tasks.facts import TaskFacts, UnitTokens
from tasks.grid import expand
from tasks.needlechain.instance import Bound, Chain, draw
from tasks.needlechain.names import NAMES
from tasks.needlechain.prompt import Asked, Question, build
from tasks.options import TaskOptions
from tasks.sample import Axis, Sample, Scalar, TaskPoint

FAMILY = "needlechain"
AXES = (
    Axis(
        name="k",
        published=(5, 10, 20, 50, 100, 200),
        unit="needles",
        source="paper section 4 and make_data.py",
        minimum=1,
        maximum=len(NAMES),
    ),
    Axis(
        name="question",
        published=("single", "total"),
        is_apart=True,
        source="paper section 3: the last worker's salary, or the sum of all",
        choices=("single", "total"),
        has_curves=True,
    ),
    Axis(
        name="val",
        published=(1600,),
        unit="dollars",
        source="make_data.py; 160 and 16000 can be selected there",
        choices=(160, 1600, 16000),
    ),
)
DECODING: Mapping[str, Any] = {"temperature": 0.6, "top_p": 0.95, "max_tokens": 16384}
"""The paper's; models that take no temperature (o-series) run at their own default of 1."""


_FACTS = TaskFacts(
    answer="amount",
    text="names",
    unit_tokens=UnitTokens(low=8.0, expected=12.5, worst=25.0),
    overall=FAMILY,
    official_repeats=100,
)


class NeedleChain(ABC):
    """What the four tasks have in common."""

    name: ClassVar[str]
    chain: ClassVar[Chain]
    version: ClassVar[int] = 1
    axes: ClassVar[tuple[Axis, ...]] = AXES
    size_axis: ClassVar[str] = "k"
    size_unit: ClassVar[str] = "needles"
    source: ClassVar[str] = "NeedleChain, arXiv 2507.22411, section 3"
    shares: ClassVar[tuple[str, ...]] = ("k", "val")
    facts: ClassVar[TaskFacts]

    def __init__(self, options: TaskOptions) -> None:
        self._switches = profiles.prompt_switches(
            FAMILY, {**profiles.effective("default", {}), **options.switches}
        )
        self._wording = wording.load(FAMILY, options.prompts)
        self._inputs = {"prompts": self._wording.hash} if self._wording.hash else {}

    def infeasible(self, axes: Mapping[str, Scalar]) -> str | None:  # noqa: ARG002  the protocol's
        """Every combination has a prompt."""
        return None

    @abstractmethod
    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """The accuracy that guessing gives; None where nobody can say."""

    def values_asked(self, axes: Mapping[str, Scalar]) -> int:
        """One amount."""
        del axes
        return 1

    def reply_tokens(self, axes: Mapping[str, Scalar]) -> float:
        """Visible tokens of a usual reply: the chain is told step by step."""
        return 60 + 45 * float(cast("int", axes["k"]))

    def decoding(self, axes: Mapping[str, Scalar]) -> Mapping[str, Any]:  # noqa: ARG002
        """The published sampling, the same at every point."""
        return DECODING

    def generate(self, axes: Mapping[str, Scalar], seed: int) -> Sample:
        """The chain or stack of this seed and the question about it."""
        return build(self._asked(axes, seed), self._wording)

    def _asked(self, axes: Mapping[str, Scalar], seed: int) -> Asked:
        k, val = int(cast("int", axes["k"])), int(cast("int", axes["val"]))
        instance = draw(k, val, cast("Bound", self._switches["needlechain.bound"]), seed)
        series = instance.series[self.chain]
        single = axes["question"] == "single"
        return Asked(
            chain=self.chain,
            question=cast("Question", axes["question"]),
            names=instance.names,
            lines=series.lines,
            presented=series.presented,
            answer=series.single if single else series.total,
        )

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """The cross product of the axes."""
        for axes in expand(self.name, self.axes, given):
            yield TaskPoint(
                task=self.name,
                version=self.version,
                axes=axes,
                switches=self._switches,
                inputs=self._inputs,
            )


class Forward(NeedleChain):
    """Each fact compares with the one before it."""

    name: ClassVar[str] = "needlechain.forward"
    chain: ClassVar[Chain] = "forward"
    facts: ClassVar[TaskFacts] = _FACTS

    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes


class Backward(NeedleChain):
    """The forward facts from last to first."""

    name: ClassVar[str] = "needlechain.backward"
    chain: ClassVar[Chain] = "backward"
    facts: ClassVar[TaskFacts] = _FACTS

    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes


class Mixed(NeedleChain):
    """The forward facts in a random order; the official code calls it chaotic."""

    name: ClassVar[str] = "needlechain.mixed"
    chain: ClassVar[Chain] = "mixed"
    facts: ClassVar[TaskFacts] = _FACTS

    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes


class Stack(NeedleChain):
    """Independent facts that only have to be found; the official code calls it parallel."""

    name: ClassVar[str] = "needlechain.stack"
    chain: ClassVar[Chain] = "stack"
    facts: ClassVar[TaskFacts] = _FACTS

    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes
