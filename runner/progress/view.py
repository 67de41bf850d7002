"""A moment of a sweep, as it is shown to people and written to the status file."""

from dataclasses import dataclass
from typing import Any

from runner.progress.states import LaneEnd, RunState, Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    """A moment of one lane, as shown to people and written to the status file."""

    model: str
    planned: int
    done: int
    in_flight: int
    oldest_s: float
    waiting: Wait | None
    """What the lane waits for; None while calls go out, or only wait for each other."""
    waiting_s: float
    backing_off: int
    rate_limited: int
    errors: dict[str, int]
    tokens_per_s: float
    per_s: float
    spent_usd: float
    eta_s: float | None
    ended: LaneEnd | None
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
    state: RunState

    def to_json(self) -> dict[str, Any]:
        """The status file's content."""
        lanes = {
            lane.model: {
                "done": lane.done,
                "planned": lane.planned,
                "in_flight": lane.in_flight,
                "oldest_s": round(lane.oldest_s, 1),
                "waiting_limiter": lane.waiting is Wait.LIMITER,
                "waiting_retry_after": round(lane.waiting_s, 1)
                if lane.waiting is Wait.RETRY_AFTER
                else 0,
                "waiting_backoff": lane.backing_off,
                "waiting_outage": lane.waiting is Wait.OUTAGE,
                "waiting_budget": lane.waiting is Wait.BUDGET,
                "rate_limited": lane.rate_limited,
                "errors": lane.errors,
                "tokens_per_s": round(lane.tokens_per_s, 1),
                "spent_usd": lane.spent_usd,
                "eta_s": lane.eta_s,
                "ended": lane.ended or "",
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
