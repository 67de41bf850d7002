"""One attempt at a trial: what it was given, when it went out, and the rows that it leaves."""

from msgspec import Struct

from runner.clock import Clock
from runner.engine.hold import Charge
from runner.limits.demand import Grant
from runner.plan.cell import Trial
from runner.wire import Result, Usage
from state.records import AttemptRow, CompletionRow, Outcome

UNKNOWN_USAGE = Usage()


class Attempt(Struct, kw_only=True, gc=False):
    """One attempt: what it was given, and when it went out."""

    attempt_id: str
    trial_id: str
    n: int
    grant: Grant
    started_at: int
    sent: float | None = None
    """Monotonic seconds; None as long as its start is not durable."""

    def row(self, result: Result, clock: Clock, bill: Charge, *, final: bool) -> AttemptRow:
        """The `attempts` row of an attempt that ends now."""
        usage = result.usage or UNKNOWN_USAGE
        # Without their names, in the order of the columns: twenty names cost more than the row.
        return AttemptRow(
            self.attempt_id,
            self.trial_id,
            self.n,
            self.started_at,
            clock.now_us(),
            result.stored_outcome,
            result.http_status,
            result.error,
            result.request_id,
            usage.input_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
            bill.cost_pusd,
            bill.unknown,
            final,
            self.grant.waited_s,
            result.first_byte_s,
            None if self.sent is None else clock.monotonic() - self.sent,
        )


def unsent_row(trial: Trial, at: int, outcome: str, error: str) -> AttemptRow:
    """A trial that ends without ever being sent: attempt number 0, and certainly no cost."""
    return AttemptRow(
        attempt_id=f"{trial.trial_id}.0",
        trial_id=trial.trial_id,
        n=0,
        started_at=at,
        finished_at=at,
        outcome=outcome,
        http_status=None,
        error=error,
        request_id=None,
        input_tokens=None,
        cache_read_tokens=None,
        cache_write_tokens=None,
        output_tokens=None,
        reasoning_tokens=None,
        cost_pusd=0,
        maybe_billed=False,
        final=True,
        queue_s=None,
        first_byte_s=None,
        latency_s=None,
    )


def completion_row(trial_id: str, attempt_id: str, result: Result) -> CompletionRow | None:
    """The `completions` row; None where the provider gave nothing that could be a reply."""
    if result.finish_reason is None and not result.text:
        return None
    if result.outcome is Outcome.CANCELLED:
        return None
    return CompletionRow(
        trial_id=trial_id,
        attempt_id=attempt_id,
        text=result.text,
        reasoning_text=result.reasoning_text,
        finish_reason=result.finish_reason,
        model_reported=result.model_reported,
    )
