"""What follows one result: the reply decides whether to ask again, the policy when and how often.

Waiting for a rate limit uses up no error retries; both attempts and total time are bounded. A
decision is a value and changes nothing: whoever asks acts on it.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from msgspec import Struct
from msgspec.structs import replace
from tenacity import RetryCallState, Retrying, wait_exponential_jitter

from runner.limits.limiter import PARK_AFTER_S
from runner.progress.states import LaneEnd
from runner.wire import Result, RetryKind
from state.records import FINAL, REPEATABLE, STOPS_ACCOUNT, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how long one trial is tried within one sweep."""

    errors: int = 5
    """Repeats after transient and malformed replies, together."""
    overloaded: int = 20
    """Repeats after replies that blame the load: these are not of the request's making."""
    timeouts: int = 1
    """Repeats after our own deadline: a timeout may have been billed."""
    stale: int = 3
    """Repeats at once on a new connection when a pooled one turned out closed."""
    total_s: float = 3600.0
    """No new attempt is begun so long after the first."""
    first_delay_s: float = 1.0
    largest_delay_s: float = 60.0


class RetryCount(Struct, frozen=True, gc=False):
    """What one trial has used up."""

    errors: int = 0
    timeouts: int = 0
    stale: int = 0
    overloaded: int = 0
    """Apart from the other errors, since waits grow with their own kind of failure."""
    rate_limits: int = 0
    fault: str = ""
    """The fingerprint of the malformed reply that was asked again."""


class Blame(Enum):
    """What a failure says of the trial that met it."""

    TRIAL = auto()
    """It may be the trial's own, and uses up a retry."""
    WAY = auto()
    """It is about the way to the endpoint: it uses up nothing."""
    OUTAGE = auto()
    """The same, and the lane says when the next try is."""


class Scope(StrEnum):
    """Whom an end concerns."""

    LANE = "lane"
    ACCOUNT = "account"


class Over(Struct, frozen=True, gc=False):
    """The trial is not asked again; unless `final`, a later run asks it."""

    final: bool


class Again(Struct, frozen=True, gc=False):
    """Ask again after so many seconds; `pauses_lane` where everybody on the lane must wait."""

    delay_s: float
    used: RetryCount
    """What the trial has used up with this repeat."""
    pauses_lane: bool = False


class Ends(Struct, frozen=True, gc=False):
    """Nothing more is sent on the lane, or for the account; the trial stays pending."""

    scope: Scope
    end: LaneEnd
    message: str


Next = Over | Again | Ends
FINISHED = Over(final=True)
LEFT = Over(final=False)


def decide(
    result: Result,
    used: RetryCount,
    policy: RetryPolicy,
    elapsed_s: float,
    blame: Blame = Blame.TRIAL,
) -> Next:
    """What follows a result of a trial that has used up so much since its first attempt."""
    outcome = result.outcome
    if outcome in FINAL:
        return FINISHED
    if (end := _end(result)) is not None:
        return end
    if blame is not Blame.TRIAL:
        return _later(result, used, policy, blame)
    again = _again(result, used, policy)
    if again is not None and elapsed_s + again.delay_s <= policy.total_s:
        return again
    if outcome is Outcome.RATE_LIMITED:
        return Ends(Scope.LANE, LaneEnd.PARKED, f"still rate limited: {result.error}")
    return LEFT if outcome is Outcome.CANCELLED else FINISHED


def _end(result: Result) -> Ends | None:
    """What a reply ends by itself, for the account or the lane."""
    asked = result.retry.retry_after_s
    if result.outcome in STOPS_ACCOUNT:
        return Ends(Scope.ACCOUNT, LaneEnd.STOPPED, f"{result.outcome}: {result.error or ''}")
    if asked is not None and asked > PARK_AFTER_S:
        return Ends(Scope.LANE, LaneEnd.PARKED, f"asked to wait {asked / 3600:.1f} h")
    return None


def _later(result: Result, used: RetryCount, policy: RetryPolicy, blame: Blame) -> Again:
    """The next attempt of a trial that has used up nothing; the lane's patience bounds the time."""
    asked = result.retry.retry_after_s
    if asked:
        return Again(asked, used, pauses_lane=True)
    return Again(0.0 if blame is Blame.OUTAGE else backoff_s(policy, 1), used)


def _again(result: Result, used: RetryCount, policy: RetryPolicy) -> Again | None:
    """The next attempt, whatever the time; None where the reply or the policy allows none."""
    kind, asked = result.retry.kind, result.retry.retry_after_s
    fault = result.fingerprint if result.outcome is Outcome.MALFORMED else ""
    # A paid fault that repeats exactly is the server's habit: it is not bought a third time.
    if result.outcome not in REPEATABLE or kind is RetryKind.NO or (fault and fault == used.fault):
        return None
    if kind is RetryKind.STALE_CONNECTION:
        used = replace(used, stale=used.stale + 1)
        return Again(0.0, used) if used.stale <= policy.stale else None
    if kind is RetryKind.RATE_LIMIT:
        used = replace(used, rate_limits=used.rate_limits + 1)
        delay_s = backoff_s(policy, used.rate_limits) if asked is None else asked
        return Again(delay_s, used, pauses_lane=asked is not None)
    used, times = _with_error(used, result.outcome, fault)
    if used.timeouts > policy.timeouts or _is_over(used, policy):
        return None
    if asked is None:
        return Again(backoff_s(policy, times), used)
    return Again(asked, used, pauses_lane=True)


def _is_over(used: RetryCount, policy: RetryPolicy) -> bool:
    return used.errors > policy.errors or used.overloaded > policy.overloaded


def _with_error(used: RetryCount, outcome: Outcome, fault: str) -> tuple[RetryCount, int]:
    """The count with one more failure, and how often its kind has failed by now."""
    if outcome is Outcome.TIMEOUT:
        return replace(used, timeouts=used.timeouts + 1), used.timeouts + 1
    if outcome is Outcome.OVERLOADED:
        return replace(used, overloaded=used.overloaded + 1), used.overloaded + 1
    return replace(used, errors=used.errors + 1, fault=fault), used.errors + 1


def backoff_s(policy: RetryPolicy, times: int) -> float:
    """Exponential with jitter, as tenacity computes it; `times` is how often a kind has failed."""
    wait = wait_exponential_jitter(
        initial=policy.first_delay_s, max=policy.largest_delay_s, jitter=policy.first_delay_s
    )
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = times
    return wait(state)
