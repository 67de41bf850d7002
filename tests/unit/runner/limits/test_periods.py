import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.limits.demand import Demand, Dimension
from runner.limits.limiter import Limiter
from runner.limits.periods import DAY_S, HOUR_S, MINUTE_S, period_of
from runner.providers.meaning.headers import limit_hints
from runner.wire import LimitHint
from tests.fakes.virtual_loop import run_virtual

PERIODS = (MINUTE_S, HOUR_S, DAY_S)


@given(
    period=st.sampled_from(PERIODS),
    limit=st.integers(1, 5_000_000),
    share=st.floats(0.0001, 1.0),
)
def test_a_limit_that_refills_evenly_tells_its_period(period: float, limit: int, share: float):
    used = max(1, int(limit * share))
    hint = LimitHint(
        dimension="requests",
        limit=limit,
        remaining=limit - used,
        reset_s=period * used / limit,
    )
    assert period_of(hint) in {period, None}
    if period * used / limit >= 1.0:
        assert period_of(hint) == period


@pytest.mark.parametrize(
    ("limit", "remaining", "reset_s", "period"),
    [
        (60, 10, 12.0, MINUTE_S),  # a minute that starts anew at once
        (5000, 0, 151.0, MINUTE_S),  # a debt of one and a half buckets
        (1000, 990, 1800.0, HOUR_S),  # an hour that starts anew at once
        (1000, 10, 40_000.0, DAY_S),
        (60, 60, 0.0, None),
        (60, 59, 0.02, None),
        (None, 59, 5.0, None),
        (60, None, 5.0, None),
        (60, 10, None, None),
    ],
)
def test_what_a_reset_says(
    limit: int | None, remaining: int | None, reset_s: float | None, period: float | None
):
    hint = LimitHint(dimension="requests", limit=limit, remaining=remaining, reset_s=reset_s)
    assert period_of(hint) == period


def headers(remaining: int, reset: str) -> dict[str, str]:
    return {
        "x-ratelimit-limit-requests": "14400",
        "x-ratelimit-remaining-requests": str(remaining),
        "x-ratelimit-reset-requests": reset,
        "x-ratelimit-limit-tokens": "18000",
        "x-ratelimit-remaining-tokens": "17000",
        "x-ratelimit-reset-tokens": "3.33s",
    }


def test_requests_that_are_counted_by_the_day_are_kept_as_such():
    """As Groq tells them: 14,400 a day, of which one comes back every six seconds."""

    async def main() -> tuple[dict[str, float], float]:
        limiter = Limiter(slots=10, limits={})
        grant = await limiter.acquire(Demand(input_tokens=10))
        limiter.learn(limit_hints(headers(14370, "2m59.56s"), 0.0), grant)
        levels = dict(limiter.statistics().levels)
        limiter.learn(limit_hints(headers(0, "24h"), 0.0), grant)
        return levels, (await limiter.acquire(Demand(input_tokens=10))).waited_s

    levels, waited_s = run_virtual(main())
    assert set(levels) == {"requests_per_day", "tokens"}
    assert waited_s == pytest.approx(6.0, abs=0.1)


def test_the_user_s_own_limit_a_minute_stands_beside_the_provider_s_a_day():
    async def main() -> dict[str, float]:
        limiter = Limiter(slots=10, limits={Dimension.REQUESTS: 30})
        limiter.learn(limit_hints(headers(10, "23h59m"), 0.0))
        return dict(limiter.statistics().levels)

    levels = run_virtual(main())
    assert levels["requests_per_day"] == pytest.approx(10)
    assert levels["requests"] > 20


def test_what_first_looked_like_a_minute_is_taken_back():
    async def main() -> list[set[str]]:
        limiter = Limiter(slots=10, limits={})
        seen = list[set[str]]()
        for remaining, reset in ((14_400, "0s"), (14_300, "10m"), (14_299, "10m6s")):
            limiter.learn(limit_hints(headers(remaining, reset), 0.0))
            seen.append(set(limiter.statistics().levels))
        return seen

    first, second, third = run_virtual(main())
    assert first == {"requests", "tokens"}
    assert second == third == {"requests_per_day", "tokens"}
