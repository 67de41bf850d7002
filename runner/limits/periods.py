"""Tells over what time a limit counts, from how long it takes to refill.

`x-ratelimit-limit-requests` is per minute with one provider and per day with another, and nothing
in the name says which. The reset does: a limit that refills evenly is full again after
`period * used / limit`, and one that starts anew all at once does so within its period.
"""

from runner.wire import LimitHint

MINUTE_S, HOUR_S, DAY_S = 60.0, 3600.0, 86_400.0
PERIOD_NAMES = {3600.0: "_per_hour", DAY_S: "_per_day"}
"""Ends the name of a limit that does not count per minute."""


def period_s(dimension: str) -> float:
    """Seconds over which a limit of this name is counted."""
    for period, name in PERIOD_NAMES.items():
        if dimension.endswith(name):
            return period
    return MINUTE_S


def over_period(dimension: str, period: float) -> str:
    """The name of a limit that counts over another time than a minute."""
    return dimension + PERIOD_NAMES.get(period, "")


LONGEST_MINUTE_S = 90.0
"""Nothing that counts per minute takes longer, short of a debt."""
DEBTS = 30
"""A reset that stands for so many full buckets is of another period, not of a debt."""
NEAR = 0.02
"""How exactly a refill must point to an hour or a day."""
SHORTEST_RESET_S = 1.0
"""Shorter ones are rounded too much to tell."""


def period_of(hint: LimitHint) -> float | None:
    """Seconds over which a limit counts, as one reply tells it; None where it does not."""
    if not hint.limit or hint.remaining is None or hint.reset_s is None:
        return None
    used = hint.limit - hint.remaining
    if used <= 0 or hint.reset_s < SHORTEST_RESET_S:
        return None
    refill_s = hint.limit * hint.reset_s / used
    for period in (HOUR_S, DAY_S):
        if abs(refill_s - period) <= NEAR * period:
            return period
    if hint.reset_s <= LONGEST_MINUTE_S or refill_s < DEBTS * MINUTE_S:
        return MINUTE_S
    return HOUR_S if hint.reset_s <= HOUR_S else DAY_S
