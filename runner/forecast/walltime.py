"""How long one model's trials take under its limits, and which limit it is that they wait for."""

from collections.abc import Mapping
from dataclasses import dataclass

from runner.config.models import LimitsConfig
from runner.limits.bucket import BURST_SHARE
from runner.limits.periods import DAY_S, MINUTE_S

ASSUMED_SLOTS = 64
"""Calls in flight that are assumed where nobody set a number: the sweep finds its own."""
PER_DAY = "requests per day"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast one call goes: measured on earlier calls, or assumed."""

    first_token_s: float
    per_input_token_s: float
    per_output_token_s: float
    source: str

    def call_s(self, input_tokens: float, output_tokens: float) -> float:
        """Seconds of one call."""
        return (
            self.first_token_s
            + self.per_input_token_s * input_tokens
            + self.per_output_token_s * output_tokens
        )

    def stretched(self, factor: float, source: str) -> "Pace":
        """The same shape at another speed."""
        return Pace(
            first_token_s=self.first_token_s * factor,
            per_input_token_s=self.per_input_token_s * factor,
            per_output_token_s=self.per_output_token_s * factor,
            source=source,
        )

    def __str__(self) -> str:
        reading, writing = self.per_input_token_s, self.per_output_token_s
        return (
            f"{self.first_token_s:.1f} s to begin"
            + (f", {1 / reading:,.0f} tokens/s read" if reading else "")
            + (f", {1 / writing:,.0f} tokens/s written" if writing else "")
            + f" ({self.source})"
        )


HOSTED = Pace(
    first_token_s=1.0, per_input_token_s=1 / 20_000, per_output_token_s=1 / 60, source="assumed"
)
"""A usual hosted model; read in parallel, written one after another."""
ON_THIS_MACHINE = Pace(
    first_token_s=0.2, per_input_token_s=1 / 400, per_output_token_s=1 / 40, source="assumed"
)
"""A small model on a few processor cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is to be sent to one model."""

    trials: float
    input_tokens: float
    output_tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WallTime:
    """Seconds under each limit; the longest one binds."""

    seconds: float
    binding: str
    by_limit: Mapping[str, float]
    slots: int
    slots_assumed: bool
    pace: Pace

    @property
    def within_a_day(self) -> float:
        """Seconds if there were no limit on days."""
        return max((time for name, time in self.by_limit.items() if name != PER_DAY), default=0.0)


def wall_time(load: Load, limits: LimitsConfig, concurrency: int | None, pace: Pace) -> WallTime:
    """Time from the first call to the last, if each limit is used to the full."""
    slots = concurrency or limits.concurrency
    n = max(load.trials, 1e-9)
    call_s = pace.call_s(load.input_tokens / n, load.output_tokens / n)
    amounts = {
        "requests": (load.trials, limits.rpm, MINUTE_S),
        "input tokens": (load.input_tokens, limits.itpm, MINUTE_S),
        "output tokens": (load.output_tokens, limits.otpm, MINUTE_S),
        "tokens": (load.input_tokens + load.output_tokens, limits.tpm, MINUTE_S),
        PER_DAY: (load.trials, limits.rpd, DAY_S),
    }
    by_limit = {
        name: _drained(amount, limit, period) + call_s
        for name, (amount, limit, period) in amounts.items()
        if limit is not None and load.trials
    }
    # Fewer trials than slots never wait for one.
    rounds = max(1.0, load.trials / (slots or ASSUMED_SLOTS)) if load.trials else 0.0
    by_limit["slots x latency"] = rounds * call_s
    binding = max(by_limit, key=lambda name: by_limit[name])
    return WallTime(
        seconds=by_limit[binding],
        binding=binding,
        by_limit=by_limit,
        slots=slots or ASSUMED_SLOTS,
        slots_assumed=slots is None,
        pace=pace,
    )


def _drained(amount: float, limit: float, period_s: float) -> float:
    """Seconds until a full bucket and its refill have given so much."""
    return max(0.0, amount - limit * BURST_SHARE) / limit * period_s
