"""The running counts of one lane, kept from its events."""

from collections import Counter
from dataclasses import dataclass, field

from runner.engine.observers.events import (
    Ended,
    Event,
    LaneEnded,
    OutageBegun,
    OutageOver,
    Sent,
    Skipped,
    Waits,
)
from runner.progress.states import LaneEnd, Wait
from state.records import SCORED


@dataclass(slots=True)
class LaneStats:
    """Running counts of one model's lane; every field is a fact of this run."""

    model: str
    planned: int
    done_before: int
    done: int = 0
    rate_limited: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    spent_pusd: int = 0
    waiting: Counter[Wait] = field(default_factory=Counter[Wait])
    """Calls that wait to try again, or for running ones to leave them money."""
    ended: LaneEnd | None = None
    message: str = ""
    """Why it ended, or what it waits for."""
    outcomes: Counter[str] = field(default_factory=Counter[str])
    final_errors: Counter[str] = field(default_factory=Counter[str])
    """Outcomes of trials that ended without an answer."""
    flying: dict[str, float] = field(default_factory=dict[str, float])
    """attempt_id to the monotonic second it was sent, oldest first."""

    @property
    def left(self) -> int:
        """Trials not done yet."""
        return self.planned - self.done_before - self.done

    def take(self, event: Event) -> None:
        """Count what happened."""
        match event:
            case Sent():
                self.flying[event.attempt_id] = event.at
            case Ended():
                self._ended(event)
            case Skipped():
                outcome = str(event.outcome)
                self.done += 1
                self.outcomes[outcome] += 1
                self.final_errors[outcome] += 1
            case Waits():
                self.waiting[event.wait] += 1 if event.begun else -1
            case OutageBegun():
                self.message = event.message
            case OutageOver():
                self.message = ""
            case LaneEnded():
                self.ended, self.message = event.end, event.message

    def _ended(self, event: Ended) -> None:
        row, outcome = event.row, str(event.outcome)
        self.flying.pop(row.attempt_id, None)
        self.outcomes[outcome] += 1
        if row.final:
            self.done += 1
            if event.outcome not in SCORED:
                self.final_errors[outcome] += 1
        if event.refused:
            self.rate_limited += 1
        self.spent_pusd += row.cost_pusd or 0
        self.input_tokens += event.input_tokens
        self.output_tokens += event.output_tokens
