"""One attempt under way, and the row that says how it ended."""

from msgspec import Struct

from runner.clock import Clock
from runner.limits import Grant
from runner.wire import Result, Usage
from state.records import AttemptRow

UNKNOWN_USAGE = Usage()


class Flight(Struct, kw_only=True, gc=False):
    """One attempt: what it was given, and what it has used so far."""

    attempt_id: str
    trial_id: str
    n: int
    grant: Grant
    started_at: int = 0
    sent: float | None = None
    used_input: int | None = 0
    used_output: int | None = 0

    def row(
        self, result: Result, clock: Clock, *, cost_pusd: int | None, unknown: bool, final: bool
    ) -> AttemptRow:
        """The `attempts` row of an attempt that ends now."""
        usage = result.usage or UNKNOWN_USAGE
        return AttemptRow(
            attempt_id=self.attempt_id,
            trial_id=self.trial_id,
            n=self.n,
            started_at=self.started_at,
            finished_at=clock.now_us(),
            outcome=result.stored_outcome,
            http_status=result.http_status,
            error=result.error,
            request_id=result.request_id,
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
            reasoning_tokens=usage.reasoning_tokens,
            cost_pusd=cost_pusd,
            maybe_billed=unknown,
            final=final,
            queue_s=self.grant.waited_s,
            first_byte_s=result.first_byte_s,
            latency_s=None if self.sent is None else clock.monotonic() - self.sent,
        )
