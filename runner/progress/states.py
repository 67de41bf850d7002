"""The states of a run, by the words that the status file and the `pending` rows have for them."""

from enum import StrEnum


class RunState(StrEnum):
    """How far a run is; a stop goes through the middle two."""

    RUNNING = "running"
    DRAINING = "draining"
    """Nothing new is sent; calls in flight may finish."""
    CANCELLING = "cancelling"
    """Calls in flight are ended too."""
    ENDED = "ended"


class LaneEnd(StrEnum):
    """Why a lane sends nothing more."""

    DONE = "done"
    BUDGET = "budget"
    STOPPED = "stopped"
    """The provider does not answer this account any more: no credit, a bad key, a daily limit."""
    PARKED = "parked"
    """The next call may go out in hours only."""
    BREAKER = "breaker"
    """One request after another was refused for the same reason."""
    OUTAGE = "outage"
    """The endpoint was gone for longer than there was patience."""
    INTERRUPTED = "interrupted"


class Wait(StrEnum):
    """What a lane waits for."""

    BUDGET = "budget"
    """Running calls are to leave money for the next."""
    RETRY_AFTER = "retry_after"
    """The provider named a time."""
    LIMITER = "limiter"
    BACKOFF = "backoff"
    OUTAGE = "outage"
    """The endpoint is gone, and one probe at a time asks whether it is back."""
