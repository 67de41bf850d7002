"""What requests take from the limits of a provider, and the limits as lines of a ledger."""

from typing import Literal, NamedTuple

from runner.bucket import Bucket

Dimension = Literal["requests", "input_tokens", "output_tokens", "tokens", "requests_per_day"]
MINUTE_S = 60.0
DAY_S = 86_400.0
PERIOD_NAMES = {3600.0: "_per_hour", DAY_S: "_per_day"}
"""Ends the name of a limit that does not count per minute."""


class Demand(NamedTuple):
    """What one request takes: itself, its estimated input and its largest possible output."""

    input_tokens: int = 0
    output_tokens: int = 0


class Line:
    """One limit: its bucket, and how much of it requests and tokens take."""

    __slots__ = ("bucket", "input", "output", "requests", "told_at")

    def __init__(self, dimension: str, bucket: Bucket) -> None:
        self.bucket = bucket
        self.requests = int(dimension.startswith("requests"))
        self.input = int(dimension.startswith(("input_tokens", "tokens")))
        self.output = int(dimension.startswith(("output_tokens", "tokens")))
        self.told_at = 0
        """Requests sent until the provider last told the level."""

    def amount(self, requests: int, input_tokens: int, output_tokens: int) -> int:
        """How much of this limit so many requests with so many tokens are."""
        return self.requests * requests + self.input * input_tokens + self.output * output_tokens


def period_s(dimension: str) -> float:
    """Seconds over which a limit of this name is counted."""
    for period, name in PERIOD_NAMES.items():
        if dimension.endswith(name):
            return period
    return MINUTE_S


def over_period(dimension: str, period: float) -> str:
    """The name of a limit that counts over another time than a minute."""
    return dimension + PERIOD_NAMES.get(period, "")
