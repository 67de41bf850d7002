"""A moment of a running sweep, made from the counts of its lanes."""

from runner.engine.lane import Lane


def waiting_of(lane: Lane, binding: str | None) -> str:
    """What a lane waits for now: budget, retry_after, limiter, backoff, or nothing."""
    if lane.stats.ended:
        return ""
    if lane.stats.waiting_budget:
        return "budget"
    if binding == "retry_after":
        return "retry_after"
    if binding is not None:
        return "" if binding == "slots" else "limiter"
    return "backoff" if lane.stats.backing_off and not lane.stats.flying else ""
