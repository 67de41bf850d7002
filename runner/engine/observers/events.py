"""What happens to the calls of a lane, as facts for whoever wants to know: counts, log, tests.

An event is frozen, so whoever observes can change nothing. Two of them are made for each call, so
they are structs that the garbage collector does not follow.
"""

from collections.abc import Callable

from msgspec import Struct

from runner.progress.states import LaneEnd, Wait
from state.records import AttemptRow, Outcome


class Sent(Struct, frozen=True, gc=False):
    """An attempt is durable and goes out."""

    model: str
    attempt_id: str
    at: float
    """Monotonic seconds."""


class Ended(Struct, frozen=True, gc=False):
    """An attempt has ended; also one that was cancelled before it was sent."""

    model: str
    row: AttemptRow
    outcome: Outcome
    refused: bool
    """Whether the provider said that it was too much."""
    input_tokens: int
    """As billed, with the output; 0 where no usage came back."""
    output_tokens: int


class Skipped(Struct, frozen=True, gc=False):
    """A trial that can never be sent is done."""

    model: str
    row: AttemptRow
    outcome: Outcome


class Waits(Struct, frozen=True, gc=False):
    """One call begins to wait for money or to try again, or has waited."""

    model: str
    wait: Wait
    begun: bool


class OutageBegun(Struct, frozen=True, gc=False):
    """The endpoint of a lane is gone: nothing is sent but one probe at a time."""

    model: str
    message: str


class OutageOver(Struct, frozen=True, gc=False):
    """A probe was answered, and the lane goes on."""

    model: str
    message: str


class LaneEnded(Struct, frozen=True, gc=False):
    """A lane sends nothing more; what is in flight finishes."""

    model: str
    end: LaneEnd
    message: str


Event = Sent | Ended | Skipped | Waits | OutageBegun | OutageOver | LaneEnded
Observer = Callable[[Event], None]
