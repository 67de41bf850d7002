"""One retry loop: the reply decides whether, the policy decides when and how often.

Waiting for a rate limit uses up no error retries; both attempts and total time are bounded. The
loop itself is tenacity's; everything it asks is answered here without I/O.
"""

from dataclasses import dataclass

from msgspec import Struct
from tenacity import RetryCallState, Retrying, wait_exponential_jitter

from runner.wire import Result, RetryKind
from state.records import REPEATABLE, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how long one trial is tried within one sweep."""

    errors: int = 5
    """Repeats after transient, malformed and overloaded replies, together."""
    timeouts: int = 1
    """Repeats after our own deadline: a timeout may have been billed."""
    stale: int = 3
    """Repeats at once on a new connection when a pooled one turned out closed."""
    total_s: float = 3600.0
    """No new attempt is begun so long after the first."""
    first_delay_s: float = 1.0
    largest_delay_s: float = 60.0


class RetryCount(Struct, gc=False):
    """What one trial has used up."""

    errors: int = 0
    timeouts: int = 0
    stale: int = 0
    rate_limits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Ask again after so many seconds; `pauses_lane` when everybody on the lane must wait."""

    seconds: float
    pauses_lane: bool = False


def backoff_s(policy: RetryPolicy, used: RetryCount) -> float:
    """Exponential with jitter, as tenacity computes it from the attempt number."""
    wait = wait_exponential_jitter(
        initial=policy.first_delay_s, max=policy.largest_delay_s, jitter=policy.first_delay_s
    )
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = used.errors + used.timeouts + used.rate_limits
    return wait(state)


def next_delay(
    policy: RetryPolicy, used: RetryCount, result: Result, elapsed_s: float
) -> Delay | None:
    """When to ask again, or None when the trial ends with this result; counts into `used`."""
    if result.outcome not in REPEATABLE or result.retry.kind is RetryKind.NO:
        return None
    delay = _delay(policy, used, result)
    if delay is not None and elapsed_s + delay.seconds > policy.total_s:
        return None
    return delay


def _delay(policy: RetryPolicy, used: RetryCount, result: Result) -> Delay | None:
    kind, asked = result.retry.kind, result.retry.retry_after_s
    if kind is RetryKind.STALE_CONNECTION:
        used.stale += 1
        return Delay(seconds=0.0) if used.stale <= policy.stale else None
    if kind is RetryKind.RATE_LIMIT:
        used.rate_limits += 1
        seconds = backoff_s(policy, used) if asked is None else asked
        return Delay(seconds=seconds, pauses_lane=True)
    if result.outcome is Outcome.TIMEOUT:
        used.timeouts += 1
        allowed = used.timeouts <= policy.timeouts
    else:
        used.errors += 1
        allowed = used.errors <= policy.errors
    if not allowed:
        return None
    seconds = backoff_s(policy, used) if asked is None else asked
    return Delay(seconds=seconds, pauses_lane=asked is not None)
