"""Views of a sweep that is at work, and how the display draws them."""

import io
from typing import Any

from rich.console import Console

from runner.progress.display import LiveDisplay
from runner.progress.states import RunState, Wait
from runner.progress.view import LaneView, SweepView

BUSY: dict[str, Any] = {
    "model": "anthropic/claude-sonnet-4-5",
    "planned": 12_000,
    "done": 4_321,
    "in_flight": 64,
    "oldest_s": 71.0,
    "waiting": Wait.LIMITER,
    "waiting_s": 0.0,
    "backing_off": 3,
    "rate_limited": 17,
    "errors": {"transient": 5, "overloaded": 12, "empty": 2, "refused": 1},
    "tokens_per_s": 12_345.0,
    "per_s": 2.0,
    "spent_usd": 12.34,
    "eta_s": 3_840.0,
    "ended": None,
    "message": "",
}

SAID = ["4,321/12,000", "64", "1m11s", "12.3k", "$12.34", "17", "1h04m", "rate limit, backoff 3"]
"""All of it, in words."""

PURSE = ["$20.00", "$12.34", "$0.5000", "$7.16"]


def lane(**changes: Any) -> LaneView:
    return LaneView(**{**BUSY, **changes})


def view(*lanes: LaneView, **changes: Any) -> SweepView:
    given: dict[str, Any] = {
        "name": "test",
        "elapsed_s": 65.0,
        "lanes": lanes or (lane(), lane(model="compat/a", errors={}, waiting=None, backing_off=0)),
        "budget_usd": 20.0,
        "spent_usd": 12.34,
        "held_usd": 0.5,
        "state": RunState.RUNNING,
    }
    return SweepView(**{**given, **changes})


def drawn(shown: SweepView, width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    console.print(LiveDisplay(console).render(shown))
    return out.getvalue()
