import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.limits.bucket import BURST_SHARE
from runner.limits.demand import Demand, Dimension
from runner.limits.limiter import Limiter, ParkedError
from runner.limits.slots import AdaptiveConcurrency, AdaptiveSettings, slots_for
from runner.wire import LimitHint, RetryDecision, RetryKind, TooMuch, Usage
from tests.fakes.virtual_loop import run_virtual


def test_first_come_first_served_even_for_a_long_prompt_among_small_ones():
    async def main() -> list[str]:
        limiter = Limiter(slots=1000, limits={Dimension.INPUT_TOKENS: 6000})
        order: list[str] = []

        async def ask(name: str, tokens: int) -> None:
            grant = await limiter.acquire(Demand(input_tokens=tokens))
            order.append(name)
            grant.release()

        async with asyncio.TaskGroup() as group:
            group.create_task(ask("first", 5800))
            group.create_task(ask("long", 5000))
            for number in range(20):
                group.create_task(ask(f"small {number}", 10))
        return order

    order = run_virtual(main())
    assert order[:2] == ["first", "long"]
    assert order[2:] == [f"small {number}" for number in range(20)]


def test_a_minute_of_tokens_is_used_and_never_exceeded():
    """Over any time t from the start, at most a full bucket plus t times the rate goes out."""

    async def main() -> list[tuple[float, int]]:
        limiter = Limiter(
            slots=10_000, limits={Dimension.INPUT_TOKENS: 60_000, Dimension.REQUESTS: 600}
        )
        sent: list[tuple[float, int]] = []

        async def ask(tokens: int) -> None:
            await limiter.acquire(Demand(input_tokens=tokens))
            sent.append((asyncio.get_running_loop().time(), tokens))

        async with asyncio.TaskGroup() as group:
            for number in range(600):
                group.create_task(ask(100 + number % 700))
        return sent

    sent = run_virtual(main())
    total = 0
    for at, tokens in sent:
        total += tokens
        assert total <= 60_000 * BURST_SHARE + at * 1000 + 1
    last = sent[-1][0]
    assert total >= 0.95 * min(60_000 + last * 1000, total / 0.95)
    assert total / (58_800 + last * 1000) > 0.99


def test_all_dimensions_are_admitted_together():
    async def main() -> float:
        limiter = Limiter(
            slots=100,
            limits={
                Dimension.REQUESTS: 600,
                Dimension.INPUT_TOKENS: 600,
                Dimension.OUTPUT_TOKENS: 60,
            },
        )
        for _ in range(2):
            await limiter.acquire(Demand(input_tokens=10, output_tokens=50))
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == pytest.approx(50 - 8.8, abs=0.01)


def test_slots_bound_what_is_in_flight_and_may_be_raised_live():
    async def main() -> tuple[int, int, int]:
        limiter = Limiter(slots=2, limits={})
        grants = [await limiter.acquire(Demand()) for _ in range(2)]
        async with asyncio.TaskGroup() as group:
            group.create_task(limiter.acquire(Demand()))
            group.create_task(limiter.acquire(Demand()))
            await asyncio.sleep(0)
            waiting = limiter.waiting
            limiter.slots = 3
            await asyncio.sleep(0)
            raised = limiter.waiting
            grants[0].release()
        return waiting, raised, limiter.in_use

    assert run_virtual(main()) == (2, 1, 3)


def test_lowering_slots_never_preempts():
    async def main() -> int:
        limiter = Limiter(slots=2, limits={})
        for _ in range(2):
            await limiter.acquire(Demand())
        limiter.slots = 1
        return limiter.in_use

    assert run_virtual(main()) == 2


def test_what_was_not_used_comes_back():
    async def main() -> float:
        limiter = Limiter(slots=10, limits={Dimension.OUTPUT_TOKENS: 1000})
        grant = await limiter.acquire(Demand(output_tokens=980))
        grant.release(output_tokens=10)
        await limiter.acquire(Demand(output_tokens=900))
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 0.0


def test_a_grant_is_released_once():
    async def main() -> None:
        grant = await Limiter(slots=1, limits={}).acquire(Demand())
        grant.release()
        with pytest.raises(AssertionError):
            grant.release()

    run_virtual(main())


def test_a_pause_holds_everybody_and_a_shorter_one_does_not_shorten_it():
    async def main() -> float:
        limiter = Limiter(slots=10, limits={})
        limiter.pause(30.0)
        limiter.pause(2.0)
        await limiter.acquire(Demand())
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == pytest.approx(30.0, abs=0.001)


def test_a_cancelled_waiter_takes_nothing_and_lets_the_next_pass():
    async def main() -> tuple[int, int]:
        limiter = Limiter(slots=1, limits={Dimension.REQUESTS: 10})
        first = await limiter.acquire(Demand())
        async with asyncio.TaskGroup() as group:
            leaving = group.create_task(limiter.acquire(Demand()))
            staying = group.create_task(limiter.acquire(Demand()))
            await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.sleep(0)
            first.release()
            await staying
        return limiter.in_use, limiter.waiting

    assert run_virtual(main()) == (1, 0)


def test_admitted_and_cancelled_in_the_same_turn_gives_everything_back():
    async def main() -> int:
        limiter = Limiter(slots=1, limits={Dimension.INPUT_TOKENS: 100})
        first = await limiter.acquire(Demand(input_tokens=50))
        async with asyncio.TaskGroup() as group:
            waiter = group.create_task(limiter.acquire(Demand(input_tokens=40)))
            await asyncio.sleep(0)
            first.release(input_tokens=50)  # admits the waiter, whose task has not run yet
            waiter.cancel()
        assert limiter.statistics().levels["input_tokens"] == pytest.approx(48)
        return limiter.in_use

    assert run_virtual(main()) == 0


def test_a_wait_of_hours_parks_instead_of_hanging():
    async def main() -> None:
        limiter = Limiter(slots=10, limits={Dimension.REQUESTS_PER_DAY: 1})
        await limiter.acquire(Demand())
        with pytest.raises(ParkedError, match=r"24\.0 h"):
            await limiter.acquire(Demand())

    run_virtual(main())


def test_limits_are_learned_from_headers_where_they_are_below_the_configured_ones():
    async def main() -> dict[str, float]:
        limiter = Limiter(slots=10, limits={Dimension.REQUESTS: 100})
        limiter.learn(
            [
                LimitHint(dimension="requests", limit=5, remaining=4),
                LimitHint(dimension="input_tokens", limit=1000, remaining=400),
            ]
        )
        limiter.learn([LimitHint(dimension="input_tokens", limit=2000)])
        return dict(limiter.statistics().levels)

    levels = run_virtual(main())
    assert levels["requests"] == 4
    assert levels["input_tokens"] == pytest.approx(1960 - 580)


def test_statistics_name_what_the_head_waits_for():
    async def main() -> list[str | None]:
        seen: list[str | None] = []
        limiter = Limiter(slots=1, limits={Dimension.REQUESTS: 60, Dimension.INPUT_TOKENS: 60})
        seen.append(limiter.statistics().binding)
        grant = await limiter.acquire(Demand(input_tokens=50))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(limiter.acquire(Demand(input_tokens=50)))
            await asyncio.sleep(0)
            seen.append(limiter.statistics().binding)
            grant.release()
            seen.append(limiter.statistics().binding)
            limiter.pause(5)
            seen.append(limiter.statistics().binding)
            await task
        return seen

    assert run_virtual(main()) == [None, "slots", "input_tokens", "retry_after"]


@settings(max_examples=60, deadline=None)
@given(
    limit=st.integers(2000, 20_000),
    demands=st.lists(st.tuples(st.integers(0, 8000), st.floats(0, 5)), min_size=1, max_size=40),
)
def test_conservation(limit: int, demands: list[tuple[int, float]]):
    """In order, nobody is lost, and the bucket's law holds for any demands and holding times."""

    async def main() -> list[tuple[int, float, int]]:
        limiter = Limiter(slots=3, limits={Dimension.INPUT_TOKENS: limit})
        admitted: list[tuple[int, float, int]] = []
        loop = asyncio.get_running_loop()

        async def ask(index: int, tokens: int, hold_s: float) -> None:
            grant = await limiter.acquire(Demand(input_tokens=tokens))
            admitted.append((index, loop.time(), tokens))
            assert limiter.in_use <= 3
            await asyncio.sleep(hold_s)
            grant.release()

        async with asyncio.TaskGroup() as group:
            for index, (tokens, hold_s) in enumerate(demands):
                group.create_task(ask(index, tokens, hold_s))
        assert limiter.in_use == 0
        assert limiter.waiting == 0
        return admitted

    admitted = run_virtual(main())
    assert [index for index, _, _ in admitted] == list(range(len(demands)))
    capacity, rate = limit * BURST_SHARE, limit / 60
    total = 0.0
    for _, at, tokens in admitted:
        # Before an admission the level is at least min(amount, capacity).
        assert total + min(tokens, capacity) <= capacity + at * rate + 1e-3
        total += tokens


@pytest.mark.parametrize(("sent", "believed"), [(3, False), (40, True), (500, False)])
def test_a_limit_in_words_is_believed_where_what_we_sent_makes_it_likely(sent: int, believed: bool):
    async def main() -> bool:
        limiter = Limiter(slots=1000, limits={})
        for _ in range(sent):
            (await limiter.acquire(Demand())).release()
        limiter.learn([LimitHint(dimension="requests", limit=60, remaining=0, in_words=True)])
        return "requests" in limiter.statistics().levels

    assert run_virtual(main()) is believed


def test_what_was_not_used_is_returned_before_the_provider_s_count_is_believed():
    """A refused request is not in the count that comes with its refusal."""

    async def main() -> float:
        limiter = Limiter(slots=10, limits={Dimension.INPUT_TOKENS: 1000})
        grant = await limiter.acquire(Demand(input_tokens=600))
        grant.settle(0, 0)
        limiter.learn([LimitHint(dimension="input_tokens", limit=1000, remaining=100)], grant)
        grant.release()
        return limiter.statistics().levels["input_tokens"]

    assert run_virtual(main()) == 100


def test_a_limit_learned_from_a_reply_counts_what_was_sent_after_it():
    async def main() -> float:
        limiter = Limiter(slots=10, limits={})
        first = await limiter.acquire(Demand(input_tokens=10))
        await limiter.acquire(Demand(input_tokens=300))
        limiter.learn([LimitHint(dimension="input_tokens", limit=1000, remaining=900)], first)
        first.release(input_tokens=400)
        return limiter.statistics().levels["input_tokens"]

    assert run_virtual(main()) == 600


def test_a_refused_request_needs_more_than_what_words_say_is_left():
    """They round what was used down; the same request must not go out at once again."""

    async def main() -> float:
        limiter = Limiter(slots=10, limits={Dimension.INPUT_TOKENS: 6000})
        await limiter.acquire(Demand(input_tokens=5000))
        grant = await limiter.acquire(Demand(input_tokens=700))
        grant.settle(0, 0)
        hint = LimitHint(dimension="input_tokens", limit=6000, remaining=700, in_words=True)
        limiter.learn([hint], grant)
        return limiter.statistics().levels["input_tokens"]

    assert run_virtual(main()) == 699


def adaptive_limiter(**settings: Any) -> Limiter:
    now = asyncio.get_running_loop().time
    adaptive = AdaptiveConcurrency(AdaptiveSettings(**settings), now)
    return Limiter(slots=adaptive, limits={}, now=now)


def test_named_slots_are_taken_step_by_step_without_replies():
    async def main() -> list[float]:
        limiter = adaptive_limiter(maximum=50, patience_s=1.0)
        loop = asyncio.get_running_loop()
        at = list[float]()
        for _ in range(50):
            await limiter.acquire(Demand())
            at.append(loop.time())
        return at

    at = run_virtual(main())
    assert at[:2] == [0.0, 0.0]
    assert len({round(moment, 6) for moment in at[1:]}) == 49, "one after the other"
    assert 3.0 < at[-1] < 4.5


def test_what_became_free_in_a_pause_does_not_go_out_at_once():
    async def main() -> int:
        limiter = adaptive_limiter(maximum=20, patience_s=1.0)
        grants = [await limiter.acquire(Demand()) for _ in range(20)]
        async with asyncio.TaskGroup() as group:
            waiting = [group.create_task(limiter.acquire(Demand())) for _ in range(20)]
            await asyncio.sleep(0)
            limiter.pause(5.0)
            for grant in grants[:15]:
                grant.release()
            await asyncio.sleep(5.01)
            gone_out = sum(task.done() for task in waiting)
            for task in waiting:
                task.cancel()
        return gone_out

    assert run_virtual(main()) == 1


REFUSED = RetryDecision(kind=RetryKind.RATE_LIMIT)


def slots_after(about: TooMuch, *, limits: dict[Dimension, float]) -> tuple[int, int]:
    """Slots before and after a refusal that empty limits explain."""

    async def main() -> tuple[int, int]:
        now = asyncio.get_running_loop().time
        controller = slots_for(40, rate_named=False, now=now)
        limiter = Limiter(slots=controller, limits=limits, now=now)
        for _ in range(10):
            grant = await limiter.acquire(Demand(input_tokens=99))
            limiter.answered(grant, None)
            grant.release()
        before = limiter.slots
        limiter.refused(
            await limiter.acquire(Demand()), RetryDecision(kind=RetryKind.RATE_LIMIT, about=about)
        )
        return before, limiter.slots

    return run_virtual(main())


def test_a_refusal_that_a_rate_explains_costs_no_slots_unless_it_names_them():
    limits: dict[Dimension, float] = {Dimension.INPUT_TOKENS: 1000}
    before, after = slots_after(TooMuch.RATE, limits=limits)
    assert after == before
    before, after = slots_after(TooMuch.CONCURRENCY, limits=limits)
    assert after < before
    before, after = slots_after(TooMuch.RATE, limits={})
    assert after == before, "one refusal may be chance"


def test_an_answer_settles_what_it_used_and_a_refusal_used_nothing():
    async def main() -> list[float]:
        limiter = Limiter(slots=10, limits={Dimension.TOKENS: 1000})
        grants = [await limiter.acquire(Demand(100, 100)) for _ in range(3)]
        limiter.answered(grants[0], Usage(input_tokens=10, output_tokens=20))
        levels = [limiter.statistics().levels["tokens"]]
        limiter.refused(grants[1], REFUSED)
        levels.append(limiter.statistics().levels["tokens"])
        limiter.failed(grants[2], None)
        levels.append(limiter.statistics().levels["tokens"])
        return levels

    assert run_virtual(main()) == [980 - 430, 980 - 230, 980 - 230]
