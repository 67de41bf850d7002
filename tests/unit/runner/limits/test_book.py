import pytest

from runner.limits.book import FOUND, LimitBook
from runner.limits.demand import Demand, Grant
from runner.limits.limiter import Limiter
from runner.limits.pace import ALARMS
from runner.wire import LimitHint
from tests.fakes.virtual_loop import run_virtual

DAY = LimitHint(dimension="requests", limit=14_400, remaining=14_399, reset_s=6.0)
MINUTE = LimitHint(dimension="requests", limit=60, remaining=59, reset_s=1.0)


def news() -> tuple[LimitBook, list[None]]:
    told: list[None] = []
    return LimitBook({}, 0.0, lambda: told.append(None)), told


def test_a_limit_that_turns_out_to_count_over_another_time_takes_the_other_s_place():
    book, _ = news()
    book.learn([DAY], None, 0.0)
    assert list(book.levels(0.0)) == ["requests_per_day"]
    book.learn([MINUTE], None, 1.0)
    assert list(book.levels(1.0)) == ["requests"]


def test_a_configured_limit_stays_when_the_provider_s_counts_over_another_time():
    book = LimitBook({"requests_per_day": 1000}, 0.0, lambda: None)
    book.learn([DAY], None, 0.0)
    book.learn([MINUTE], None, 1.0)
    assert set(book.levels(1.0)) == {"requests_per_day", "requests"}


def test_only_a_limit_by_the_minute_tells_the_rate():
    book, told = news()
    book.learn([DAY], None, 0.0)
    assert not told
    book.learn([MINUTE], None, 1.0)
    assert len(told) == 1


def sent(book: LimitBook, requests: int, *, now: float) -> Grant:
    """The grant of the last of so many requests, each of 100 tokens."""

    async def grant_of() -> Grant:
        return await Limiter(slots=1, limits={}).acquire(Demand(input_tokens=100))

    grant = run_virtual(grant_of())
    for _ in range(requests):
        grant.sent = book.take(Demand(input_tokens=100), now)
    grant.at = now
    return grant


def turned_away(book: LimitBook, times: int, *, now: float) -> None:
    for n in range(times):
        assert not book.refused(sent(book, 1, now=now + n / 100), now + n / 100)


def test_what_refusals_taught_goes_when_the_limit_has_a_name():
    book, told = news()
    turned_away(book, ALARMS[0][0], now=5.0)
    assert book.waits(Demand(input_tokens=100), 5.0)[FOUND] > 0
    assert len(told) == 1
    book.learn([MINUTE], None, 6.0)
    assert set(book.levels(6.0)) == {"requests"}
    assert len(told) == 2


def test_a_few_refusals_are_chance():
    book, told = news()
    turned_away(book, ALARMS[0][0] - 1, now=5.0)
    assert not book.levels(5.0)
    assert not told


def test_what_the_provider_says_counts_below_the_config_only():
    for limit, kept in ((500, 500), (2000, 1000)):
        book = LimitBook({"requests": 1000}, 0.0, lambda: None)
        book.learn([LimitHint(dimension="requests", limit=limit, remaining=limit)], None, 0.0)
        assert book.levels(0.0)["requests"] == pytest.approx(kept, rel=0.03)


@pytest.mark.parametrize(("level", "explains"), [(1.0, True), (0.9, False)])
def test_a_known_limit_explains_a_refusal_only_where_it_is_low(level: float, explains: bool):
    book = LimitBook({"requests": 100}, 0.0, lambda: None)
    grant = sent(book, 90 if explains else 10, now=0.0)
    assert book.refused(grant, 0.0) is explains


@pytest.mark.parametrize(("limit", "is_chance"), [(100, False), (10_000, True)])
def test_a_refusal_that_a_named_limit_explains_is_no_chance(limit: int, is_chance: bool):
    book = LimitBook({"requests": limit}, 0.0, lambda: None)
    grant = sent(book, 150, now=0.0)
    book.refused(grant, 0.0)
    assert book.is_chance(grant, 0.0) is is_chance
