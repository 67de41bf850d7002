"""One attempt under way, and the row that says how it ended."""

from msgspec import Struct

from runner.clock import Clock
from runner.engine.hold import Bill
from runner.limits.demand import Grant
from runner.wire import Result, Usage
from state.records import AttemptRow

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

    def row(self, result: Result, clock: Clock, bill: Bill, *, final: bool) -> AttemptRow:
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
