"""A thread that splits: at each step several pairs bear the same key and only one leads on."""

from typing import ClassVar

from tasks.facts import TaskFacts
from tasks.needle_threading.family import Axes, whole
from tasks.needle_threading.grids import BRANCHED_LENGTH, BRANCHING, SIZE, SOURCE
from tasks.needle_threading.pair_task import BESIDE_OVERALL, PairTask, Question
from tasks.sample import Axis, Sample


class BranchedThreading(PairTask):
    """The value at the end of the longest branch."""

    name: ClassVar[str] = "needle_threading.branched_threading"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, BRANCHED_LENGTH, BRANCHING)
    source: ClassVar[str] = f"{SOURCE}, appendix A"
    shares: ClassVar[tuple[str, ...]] = ("size", "thread_length", "branching")
    prompt_switches: ClassVar[tuple[str, ...]] = ("nt.order", "nt.branch_last")
    facts: ClassVar[TaskFacts] = BESIDE_OVERALL

    def chance(self, axes: Axes) -> float | None:
        """Nobody has said what guessing gives here."""
        del axes

    def pairs_needed(self, axes: Axes) -> int:
        """The first pair, and a pair for each branch of each later step."""
        return 1 + sum(self._widths(axes))

    def _widths(self, axes: Axes) -> list[int]:
        """Branches at steps 2, 3, ...; branches at the last step would all be equally long."""
        widths = [whole(axes, "branching")] * (whole(axes, "thread_length") - 1)
        if not self._switches["nt.branch_last"]:
            widths[-1] = 1
        return widths

    def _draw(self, axes: Axes, seed: int) -> Sample:
        haystack = self._haystack(axes, seed)
        drawn = self._rng(axes, seed).sample(range(haystack.pairs), self.pairs_needed(axes))
        start, *rest = drawn
        thread, branches, keys = [start], [start], dict[int, str]()
        for width in self._widths(axes):
            branches, rest = rest[:width], rest[width:]
            keys.update(dict.fromkeys(branches, haystack.value(thread[-1])))
            thread.append(branches[0])  # places are random, so the first branch is any branch
        key = haystack.key(start)
        question = Question(
            expected=[haystack.value(index) for index in branches],
            queries=[key],
            asked={"key": key},
            path=[haystack.value(index) for index in thread],
        )
        return self._sample(haystack.with_keys(keys), question)
