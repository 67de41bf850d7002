"""What requests take from the limits of a provider, and the grant that lets one be sent."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from msgspec import Struct

from runner.limits.bucket import Bucket
from runner.limits.periods import period_s


class Dimension(StrEnum):
    """What a config may limit; what a provider names besides keeps the provider's own name."""

    REQUESTS = "requests"
    INPUT_TOKENS = "input_tokens"
    OUTPUT_TOKENS = "output_tokens"
    TOKENS = "tokens"
    REQUESTS_PER_DAY = "requests_per_day"


class Demand(NamedTuple):
    """What one request takes: itself, its estimated input and its largest possible output."""

    input_tokens: int = 0
    output_tokens: int = 0


class Line(Bucket):
    """One limit, and how much of it requests and tokens take."""

    __slots__ = ("input", "output", "requests", "told_at")

    def __init__(self, dimension: str, limit: float, now: float) -> None:
        super().__init__(limit, period_s(dimension), now)
        self.requests = int(dimension.startswith("requests"))
        self.input = int(dimension.startswith(("input_tokens", "tokens")))
        self.output = int(dimension.startswith(("output_tokens", "tokens")))
        self.told_at = 0
        """Requests sent until the provider last told the level."""

    def amount(self, requests: int, input_tokens: int, output_tokens: int) -> int:
        """How much of this limit so many requests with so many tokens are."""
        return self.requests * requests + self.input * input_tokens + self.output * output_tokens


class _Grantor(Protocol):
    def correct(self, grant: "Grant", more_input: int, more_output: int) -> None: ...

    def give_back(self, grant: "Grant") -> None: ...


class Grant(Struct, gc=False):
    """Leave to send one request: `settle` when its use is known, `release` exactly once."""

    limiter: _Grantor
    input_tokens: int
    output_tokens: int
    at: float
    waited_s: float
    in_use: int
    """Requests in flight, this one included."""
    sent: tuple[int, int, int]
    """Requests, input and output tokens that were admitted up to and including this."""
    settled: bool = False
    released: bool = False
    refused: bool = False

    def settle(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Give back the difference to what was used, where that is known; keeps the slot.

        Must come before anything is learned from the same reply: the provider's own count of what
        is left no longer holds what was not used.
        """
        if self.settled:
            return
        self.settled = True
        more_input = 0 if input_tokens is None else input_tokens - self.input_tokens
        more_output = 0 if output_tokens is None else output_tokens - self.output_tokens
        if more_input or more_output:
            self.limiter.correct(self, more_input, more_output)

    def hand_back(self) -> None:
        """Release what was never sent: nothing is learned from how long it took."""
        self.refused = True
        self.release(input_tokens=0, output_tokens=0)

    def release(self, *, input_tokens: int | None = None, output_tokens: int | None = None) -> None:
        """Free the slot, and settle if that was not done yet."""
        if self.released:
            raise AssertionError("a grant is released once")
        self.released = True
        if not self.settled:
            self.settle(input_tokens, output_tokens)
        self.limiter.give_back(self)
