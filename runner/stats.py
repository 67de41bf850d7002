"""What a lane is doing right now: counted in one place, read by the terminal, the log and tests."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    """A moment of one lane, as shown to people and written to the status file."""

    model: str
    planned: int
    done: int
    in_flight: int
    oldest_s: float
    waiting: str
    """limiter, retry_after, backoff, budget, or empty: what the lane waits for."""
    waiting_s: float
    backing_off: int
    rate_limited: int
    errors: dict[str, int]
    tokens_per_s: float
    per_s: float
    spent_usd: float
    eta_s: float | None
    ended: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepView:
    """A moment of a sweep."""

    name: str
    elapsed_s: float
    lanes: tuple[LaneView, ...]
    budget_usd: float | None
    spent_usd: float
    held_usd: float
    state: str
    """running, draining, cancelling or ended."""

    def to_json(self) -> dict[str, Any]:
        """The status file's content."""
        lanes = {
            lane.model: {
                "done": lane.done,
                "planned": lane.planned,
                "in_flight": lane.in_flight,
                "oldest_s": round(lane.oldest_s, 1),
                "waiting_limiter": lane.waiting == "limiter",
                "waiting_retry_after": round(lane.waiting_s, 1)
                if lane.waiting == "retry_after"
                else 0,
                "waiting_backoff": lane.backing_off,
                "waiting_budget": lane.waiting == "budget",
                "rate_limited": lane.rate_limited,
                "errors": lane.errors,
                "tokens_per_s": round(lane.tokens_per_s, 1),
                "spent_usd": lane.spent_usd,
                "eta_s": lane.eta_s,
                "ended": lane.ended,
                "message": lane.message,
            }
            for lane in self.lanes
        }
        return {
            "name": self.name,
            "state": self.state,
            "elapsed_s": round(self.elapsed_s, 1),
            "budget_usd": self.budget_usd,
            "spent_usd": self.spent_usd,
            "held_usd": self.held_usd,
            "models": lanes,
        }
