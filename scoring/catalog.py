"""Every scorer by benchmark family, the part of a task's name before the dot."""

from scoring.flenqa import FlenqaScorer
from scoring.needle_threading import NeedleThreadingScorer
from scoring.needlechain import NeedleChainScorer
from scoring.niah import NiahScorer
from scoring.score import Scorer

SCORERS: dict[str, Scorer] = {
    "flenqa": FlenqaScorer(),
    "niah": NiahScorer(),
    "needle_threading": NeedleThreadingScorer(),
    "needlechain": NeedleChainScorer(),
}


def scorer_for(task: str) -> Scorer:
    """The scorer of the family that `task` belongs to. Raises KeyError for an unknown family."""
    return SCORERS[task.partition(".")[0]]
