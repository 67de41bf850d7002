"""The running counts of one lane, read by the terminal, the log and tests."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class LaneStats:
    """Running counts of one model's lane; every field is a fact of this run."""

    model: str
    planned: int
    done_before: int
    done: int = 0
    sent: int = 0
    rate_limited: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    spent_pusd: int = 0
    backing_off: int = 0
    waiting_budget: int = 0
    """Calls that wait for running ones to leave them money."""
    ended: str = ""
    message: str = ""
    outcomes: Counter[str] = field(default_factory=Counter[str])
    final_errors: Counter[str] = field(default_factory=Counter[str])
    """Outcomes of trials that ended without an answer."""
    flying: dict[str, float] = field(default_factory=dict[str, float])
    """attempt_id to the monotonic second it was sent, oldest first."""

    @property
    def left(self) -> int:
        """Trials not done yet."""
        return self.planned - self.done_before - self.done
