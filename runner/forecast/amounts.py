"""A quantity that is not known yet: the least it can be, what to expect, the most it can be."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Low, expected and worst of one quantity."""

    low: float = 0.0
    expected: float = 0.0
    worst: float = 0.0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            low=self.low + other.low,
            expected=self.expected + other.expected,
            worst=self.worst + other.worst,
        )

    def times(self, factor: float) -> "Amount":
        """That many of it."""
        return Amount(
            low=self.low * factor, expected=self.expected * factor, worst=self.worst * factor
        )

    @classmethod
    def total(cls, amounts: Iterable["Amount"]) -> Self:
        """The sum; nothing is nothing."""
        items = list(amounts)
        return cls(
            low=sum(item.low for item in items),
            expected=sum(item.expected for item in items),
            worst=sum(item.worst for item in items),
        )

    def to_json(self) -> dict[str, float]:
        """The three numbers."""
        return {"low": self.low, "expected": self.expected, "worst": self.worst}
