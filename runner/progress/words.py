"""A lane and a sweep in a few words each: what the live table, plain lines and `status` say."""

from collections.abc import Mapping

from runner.progress.states import Wait
from runner.progress.view import LaneView, SweepView
from runner.terminal.words import amount, duration, money


def state_of(lane: LaneView) -> str:
    """What a lane does or waits for, in two or three words."""
    if lane.ended:
        return lane.ended
    backoff = f", backoff {lane.backing_off}" if lane.backing_off else ""
    if lane.waiting is Wait.OUTAGE:
        return f"outage, next try in {duration(lane.waiting_s)}"
    if lane.waiting is Wait.RETRY_AFTER:
        return f"told to wait {duration(lane.waiting_s)}{backoff}"
    if lane.waiting is Wait.LIMITER:
        return f"rate limit{backoff}"
    if lane.waiting is Wait.BACKOFF:
        return backoff.removeprefix(", ") or "backoff"
    return (lane.waiting or "running") + backoff


def ranked(errors: Mapping[str, int]) -> list[str]:
    """Calls without an answer by outcome, most first."""
    most_first = sorted(errors.items(), key=lambda item: -item[1])
    return [f"{outcome} {count:,}" for outcome, count in most_first]


def errors_of(lane: LaneView) -> str:
    """How a lane's calls ended that gave no answer."""
    return " ".join(ranked(lane.errors))


def figures_of(lane: LaneView, *, oldest: str = "oldest ") -> list[str]:
    """The numbers of a lane, each with its name."""
    age = f" ({oldest}{duration(lane.oldest_s)})" if lane.in_flight else ""
    return [
        f"{lane.done:,}/{lane.planned:,}",
        f"in flight {lane.in_flight:,}{age}",
        f"{amount(lane.tokens_per_s)} tok/s",
        money(lane.spent_usd),
        *([f"429s {lane.rate_limited:,}"] if lane.rate_limited else []),
        *([] if lane.eta_s is None else [f"ETA {duration(lane.eta_s)}"]),
    ]


def purse_of(view: SweepView) -> str:
    """What all models together have spent, hold for running calls, and have left."""
    spent = f"spent {money(view.spent_usd)}, held {money(view.held_usd)}"
    if view.budget_usd is None:
        return f"{spent}, no budget set"
    left = left_usd(view.budget_usd, view.spent_usd, view.held_usd)
    return f"budget {money(view.budget_usd)}: {spent}, left {money(left)}"


def left_usd(budget: float, spent: float, held: float) -> float:
    """What of a budget neither is spent nor may be by calls under way; never less than nothing."""
    return max(0.0, budget - spent - held)
