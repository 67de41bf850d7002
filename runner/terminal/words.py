"""Numbers as people read them: money, durations, shares, lengths; what is unknown is a dash."""

from collections.abc import Mapping
from typing import Any

from state.records import UNSCORED

UNKNOWN = "-"


def money(usd: float | None) -> str:
    """Dollars with as many digits as matter."""
    if usd is None:
        return UNKNOWN
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def duration(seconds: float | None) -> str:
    """Seconds as 42s, 3m10s or 5h07m."""
    if seconds is None:
        return UNKNOWN
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"


def amount(value: float) -> str:
    """A rate in three digits: 950, 12.3k, 1.2M."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.1f}{unit}"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def length(value: float | None) -> str:
    """2000 as 2k, 1500000 as 1.5M."""
    if value is None:
        return UNKNOWN
    for unit, factor in (("M", 1e6), ("k", 1e3)):
        if value >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}"


def percent(value: float | None) -> str:
    """0.982 as 98.2."""
    return UNKNOWN if value is None else f"{100 * value:.1f}"


def percent_between(value: float | None, low: float | None, high: float | None) -> str:
    """A percentage with its interval: 98 (90-100)."""
    if value is None:
        return UNKNOWN
    if low is None or high is None:
        return f"{100 * value:.0f}"
    return f"{100 * value:.0f} ({100 * low:.0f}-{100 * high:.0f})"


def signed(value: float | None) -> str:
    """A difference, with its sign."""
    return UNKNOWN if value is None else f"{value:+.2f}"


def count(value: int | None) -> str:
    """A count with separators."""
    return UNKNOWN if value is None else f"{value:,}"


def probability(value: float | None) -> str:
    """A p-value."""
    return UNKNOWN if value is None else f"{value:.2g}"


def number(value: float | None) -> str:
    """Seconds, a ratio or another number in three digits."""
    return UNKNOWN if value is None else f"{value:.3g}"


def stored(value: Any) -> str:
    """A value as it stands in a table of the file; NULL is nothing."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def plain(value: Any) -> str:
    """Anything else."""
    return UNKNOWN if value is None else str(value)


def asking_again(errors: Mapping[str, int]) -> list[str]:
    """How many trials stand in which error, most first, and what asks them again."""
    most_first = sorted(errors.items(), key=lambda item: -item[1])
    return [
        f"{n:,} replies are stored and have no score; the same command scores them"
        if outcome == UNSCORED
        else f"{n:,} trials ended as {outcome}; ask again with --retry-outcomes {outcome}"
        for outcome, n in most_first
        if n
    ]


def outside_budget(unpriced: int) -> list[str]:
    """That earlier calls were made without a price, so that no budget counts them."""
    if not unpriced:
        return []
    return [
        f"{unpriced:,} earlier calls were made without a price: what they cost is unknown, and "
        "the budget does not count it"
    ]
