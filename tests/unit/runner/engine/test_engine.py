import asyncio
from collections import Counter
from typing import Any, TypeVar

import pytest

from runner.engine.engine import Engine, SweepEnd
from runner.engine.observers.events import Event
from runner.wire import Usage
from state.records import (
    AttemptRow,
    CompletionRow,
    Outcome,
    PendingRow,
    Row,
    ScoreRow,
    StartRow,
    TrialRow,
)
from state.store import StoreError
from tests.fakes.memory_store import MemoryStore
from tests.fakes.sweeps import (
    ScriptedProvider,
    SweepRun,
    answered,
    failed,
    limited,
    make_config,
    simple_config,
)
from tests.fakes.virtual_loop import run_virtual

CENT = 10**10
R = TypeVar("R", bound=Row)


def rows(run: SweepRun, kind: type[R]) -> list[R]:
    return run.store.of(kind)


def outcomes(run: SweepRun) -> Counter[str]:
    return Counter(row.outcome for row in rows(run, AttemptRow))


def test_everything_is_sent_once_and_recorded():
    run = SweepRun(simple_config(), {"compat/a": ScriptedProvider()})
    end = run.run()
    assert (end.exit_code, end.pending) == (0, 0)
    for kind in (TrialRow, StartRow, AttemptRow, CompletionRow, ScoreRow):
        assert len(rows(run, kind)) == 10
    assert len({row.trial_id for row in rows(run, TrialRow)}) == 10
    assert all(row.final and row.cost_pusd == 1010 * 10**6 for row in rows(run, AttemptRow))
    assert run.providers["compat/a"].most_in_flight == 4


def test_a_second_run_sends_nothing():
    provider = ScriptedProvider()
    run = SweepRun(simple_config(), {"compat/a": provider})
    run.run()
    again = SweepRun(simple_config(), {"compat/a": provider}, store=run.store)
    assert again.run().exit_code == 0
    assert len(provider.arrivals) == 10


def test_more_repeats_send_only_what_is_missing():
    provider = ScriptedProvider()
    run = SweepRun(simple_config(repeats=3), {"compat/a": provider})
    run.run()
    SweepRun(simple_config(repeats=8), {"compat/a": provider}, store=run.store).run()
    assert len(provider.arrivals) == 8


def test_a_start_is_recorded_before_every_attempt_with_its_hold():
    run = SweepRun(
        simple_config(repeats=3),
        {"compat/a": ScriptedProvider([failed(Outcome.TRANSIENT), limited(1.0)])},
    )
    run.run()
    starts = {row.attempt_id: row for row in rows(run, StartRow)}
    attempts = rows(run, AttemptRow)
    assert len(attempts) == 5
    assert {row.attempt_id for row in attempts} == set(starts)
    assert all((start.reserved_pusd or 0) > 1000 * 10**6 for start in starts.values())


def test_retry_after_pauses_the_lane_and_errors_do_not_add_up():
    provider = ScriptedProvider([limited(30.0)] * 4)
    run = SweepRun(simple_config(), {"compat/a": provider})
    end = run.run()
    assert end.exit_code == 0
    assert outcomes(run) == {"rate_limited": 4, "answered": 10}
    assert [at for at in provider.arrivals if 0.2 < at < 30.0] == []


def test_a_throttled_model_holds_up_nobody():
    config = make_config("""
[sweep]
repeats = 20
[[models]]
id = "compat/slow"
base_url = "http://127.0.0.1:9/v1"
price = 0
limits = { rpm = 2, concurrency = 4 }
[[models]]
id = "compat/fast"
base_url = "http://127.0.0.1:9/v1"
price = 0
limits = { concurrency = 4 }
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = 50
""")
    slow, fast = ScriptedProvider(), ScriptedProvider()
    end = SweepRun(config, {"compat/slow": slow, "compat/fast": fast}).run()
    assert end.exit_code == 0
    assert max(fast.arrivals) < 1.0
    assert max(slow.arrivals) > 500.0


def test_errors_end_after_their_retries_and_are_countable():
    provider = ScriptedProvider()
    provider.otherwise = failed(Outcome.TRANSIENT)
    run = SweepRun(simple_config(repeats=2), {"compat/a": provider})
    end = run.run()
    assert (end.exit_code, end.pending, end.errors["transient"]) == (5, 0, 2)
    assert len(provider.arrivals) == 2 * 6
    finals = [row.final for row in rows(run, AttemptRow)]
    assert finals.count(True) == 2


def test_a_backoff_holds_no_slot():
    provider = ScriptedProvider([failed(Outcome.TRANSIENT)] * 2)
    run = SweepRun(
        simple_config(repeats=6, model="limits = { concurrency = 2 }"), {"compat/a": provider}
    )
    run.run()
    # Both slots failed at 0.1 s; the others went out at once, not after the backoff of 1 s or more.
    assert sum(at < 0.5 for at in provider.arrivals) == 6


def test_a_bad_key_stops_its_account_quickly_and_nobody_else():
    config = make_config("""
[sweep]
repeats = 50
[[models]]
id = "compat/a"
base_url = "http://127.0.0.1:9/v1"
price = 0
limits = { concurrency = 4 }
[[models]]
id = "compat/b"
base_url = "http://127.0.0.1:9/v1"
price = 0
limits = { concurrency = 4 }
[[models]]
id = "compat/other"
base_url = "http://127.0.0.2:9/v1"
price = 0
limits = { concurrency = 4 }
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = 50
""")
    refused = failed(Outcome.BAD_KEY, error="Incorrect API key", retry=False)
    providers = {name: ScriptedProvider() for name in ("compat/a", "compat/b", "compat/other")}
    providers["compat/a"].otherwise = refused
    run = SweepRun(config, providers)
    end = run.run()
    assert end.exit_code == 4
    assert len(providers["compat/a"].arrivals) <= 4
    assert len(providers["compat/other"].arrivals) == 50
    assert sum("Incorrect API key" in message for message in end.messages) == 1
    pending = 50 - sum(row.final for row in rows(run, AttemptRow) if row.outcome == "answered")
    assert end.pending >= 50 + pending - 50
    assert not any(row.final for row in rows(run, AttemptRow) if row.outcome == "bad_key")


def test_identical_invalid_requests_trip_a_breaker():
    provider = ScriptedProvider()
    provider.otherwise = failed(Outcome.INVALID_REQUEST, error="no such field 17", retry=False)
    end = SweepRun(simple_config(repeats=100), {"compat/a": provider}).run()
    assert end.exit_code == 4
    assert len(provider.arrivals) <= 8 + 4
    assert end.pending >= 88


def test_the_budget_is_never_exceeded_and_a_larger_one_continues():
    provider = ScriptedProvider()
    config = simple_config(repeats=40, budget="0.02usd")
    run = SweepRun(config, {"compat/a": provider})
    end = run.run()
    assert end.exit_code == 3
    spent = sum(row.cost_pusd or 0 for row in rows(run, AttemptRow))
    assert 0.8 * 2 * CENT < spent <= 2 * CENT
    more = SweepRun(
        simple_config(repeats=40, budget="1usd"), {"compat/a": provider}, store=run.store
    )
    assert more.run().exit_code == 0
    assert len(provider.arrivals) == 40


def test_a_bill_that_is_unknown_keeps_its_hold():
    """With a budget for about two worst cases, two unknown bills end the sweep."""
    provider = ScriptedProvider()
    provider.otherwise = answered(usage=None)
    run = SweepRun(simple_config(repeats=10, budget="0.005usd"), {"compat/a": provider})
    end = run.run()
    assert end.exit_code == 3
    attempts = rows(run, AttemptRow)
    assert all(row.maybe_billed and row.cost_pusd is None for row in attempts)
    held = sum(row.reserved_pusd or 0 for row in rows(run, StartRow))
    assert held <= CENT // 2
    assert run.store.committed_pusd("test") == held


def test_a_timeout_is_asked_again_once_and_both_holds_stay():
    provider = ScriptedProvider()
    provider.otherwise = failed(Outcome.TIMEOUT, billed=True)
    run = SweepRun(simple_config(repeats=1, budget="1usd"), {"compat/a": provider})
    assert run.run().exit_code == 5
    assert len(provider.arrivals) == 2
    assert run.store.committed_pusd("test") == sum(
        row.reserved_pusd or 0 for row in rows(run, StartRow)
    )


def test_a_run_that_sends_nothing_says_what_stands_in_an_error():
    provider = ScriptedProvider()
    provider.otherwise = failed(Outcome.TIMEOUT, billed=True)
    config = simple_config(repeats=3)
    run = SweepRun(config, {"compat/a": provider})
    assert run.run().exit_code == 5
    nobody = ScriptedProvider()
    again = SweepRun(config, {"compat/a": nobody}, store=run.store).run()
    assert (again.exit_code, again.errors) == (5, {"timeout": 3})
    assert nobody.arrivals == []
    smaller = SweepRun(simple_config(repeats=2), {"compat/a": nobody}, store=run.store).run()
    assert (smaller.exit_code, smaller.errors) == (5, {"timeout": 2})


def test_a_prompt_over_the_window_is_recorded_and_never_sent():
    provider = ScriptedProvider()
    run = SweepRun(simple_config(repeats=2, model="context_window = 500"), {"compat/a": provider})
    end = run.run()
    assert (end.exit_code, end.pending, provider.arrivals) == (0, 0, [])
    assert outcomes(run) == {"over_context": 2}
    assert all(row.n == 0 and row.cost_pusd == 0 for row in rows(run, AttemptRow))


def test_a_long_retry_after_parks_the_model_and_its_trials_stay_pending():
    provider = ScriptedProvider([limited(7200.0)])
    end = SweepRun(simple_config(), {"compat/a": provider}).run()
    assert end.exit_code == 4
    assert end.pending > 0
    assert "2.0 h" in end.messages[0]


def drained(*, twice: bool) -> tuple[SweepRun, SweepEnd]:
    provider = ScriptedProvider(latency_s=10.0)
    run = SweepRun(simple_config(repeats=20), {"compat/a": provider})

    async def main() -> SweepEnd:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(run.arun())
            await asyncio.sleep(15.0)
            assert run.engine is not None
            run.engine.drain()
            if twice:
                await asyncio.sleep(1.0)
                run.engine.cancel()
        return task.result()

    return run, run_virtual(main())


def test_the_first_stop_lets_calls_in_flight_finish():
    run, end = drained(twice=False)
    assert (end.exit_code, end.pending) == (130, 12)
    assert outcomes(run) == {"answered": 8}


def test_the_second_stop_ends_them_and_says_that_they_may_be_billed():
    run, end = drained(twice=True)
    assert (end.exit_code, end.pending) == (130, 16)
    assert outcomes(run) == {"answered": 4, "cancelled": 4}
    cancelled = [row for row in rows(run, AttemptRow) if row.outcome == "cancelled"]
    assert all(row.maybe_billed and not row.final for row in cancelled)


def test_a_stop_wakes_whoever_waits_to_try_again():
    provider = ScriptedProvider([limited(600.0)] * 4)
    run = SweepRun(simple_config(), {"compat/a": provider})

    async def main() -> float:
        async with asyncio.TaskGroup() as group:
            group.create_task(run.arun())
            await asyncio.sleep(5.0)
            assert run.engine is not None
            run.engine.drain()
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) < 10.0


class FullDisk(MemoryStore):
    """Takes a few rows, then nothing."""

    left = 60

    async def append(self, *rows: Row) -> None:
        self.left -= 1
        if self.left < 0:
            raise StoreError("no space left on the disk")
        await super().append(*rows)


def test_nothing_is_sent_once_facts_cannot_be_kept():
    provider = ScriptedProvider()
    run = SweepRun(simple_config(repeats=500), {"compat/a": provider}, store=FullDisk())
    with pytest.raises(StoreError, match="no space left"):
        run.run()
    assert len(provider.arrivals) < 60


class NothingNew(MemoryStore):
    """Begins a few calls, then none; takes what comes back."""

    begun = 0

    async def append(self, *rows: Row) -> None:
        self.begun += 1
        if self.begun > 20:
            raise StoreError("the database broke")
        await super().append(*rows)


def test_what_is_in_flight_when_storage_breaks_comes_back_and_is_kept():
    provider = ScriptedProvider(latency_s=3.0)
    store = NothingNew()
    run = SweepRun(simple_config(repeats=500), {"compat/a": provider}, store=store)
    with pytest.raises(StoreError, match="the database broke"):
        run.run()
    answered_ = [row for row in store.of(AttemptRow) if row.outcome == "answered"]
    assert len(answered_) == len(provider.arrivals) > 0


def test_an_observer_that_raises_cancels_no_call_that_is_paid_for():
    provider = ScriptedProvider(latency_s=3.0)
    seen: list[Event] = []

    def broken(event: Event) -> None:
        seen.append(event)
        if len(seen) == 12:
            raise ZeroDivisionError

    run = SweepRun(simple_config(repeats=500), {"compat/a": provider}, observers=(broken,))
    with pytest.raises(ZeroDivisionError):
        run.run()
    answered_ = [row for row in run.store.of(AttemptRow) if row.outcome == "answered"]
    assert len(answered_) == len(provider.arrivals) > 0


def test_a_view_hook_that_raises_cancels_no_call_that_is_paid_for():
    provider = ScriptedProvider(latency_s=3.0)
    run = SweepRun(simple_config(repeats=500), {"compat/a": provider})
    run.views = _BrokenAfter(3)
    with pytest.raises(ZeroDivisionError):
        run.run()
    answered_ = [row for row in run.store.of(AttemptRow) if row.outcome == "answered"]
    assert 0 < len(answered_) == len(provider.arrivals) < 500


class _BrokenAfter(list[Any]):
    """Takes so many views, and raises for the next one."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._left = count

    def append(self, view: Any) -> None:
        self._left -= 1
        if self._left == 0:
            raise ZeroDivisionError


class _SlowAtTheEnd(MemoryStore):
    """Takes a second to store what was not sent, in which a user presses Ctrl-C again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed = lambda: None

    async def append(self, *rows: Row) -> None:
        await super().append(*rows)
        if any(isinstance(row, PendingRow) for row in rows):
            for _ in range(3):
                self.pressed()
                await asyncio.sleep(0.3)


def test_ctrl_c_while_it_is_recorded_what_was_not_sent_changes_nothing():
    store = _SlowAtTheEnd()
    run = SweepRun(simple_config(repeats=500), {"compat/a": ScriptedProvider()}, store=store)

    def begun(engine: Engine) -> None:
        store.pressed = lambda: engine.cancel() if engine.stopping else engine.drain()
        asyncio.get_running_loop().call_later(1.0, store.pressed)

    end = run_virtual(run.arun(before=begun))
    assert (end.exit_code, end.interrupted) == (130, True)
    pending = rows(run, PendingRow)
    assert [row.trials for row in pending] == [end.pending]
    assert end.pending > 0


def test_usage_corrects_the_limits():
    """Demands are estimates; what was not used returns to the bucket after each reply."""
    provider = ScriptedProvider()
    provider.otherwise = answered(usage=Usage(input_tokens=10, output_tokens=1))
    run = SweepRun(
        simple_config(repeats=30, model="limits = { concurrency = 1, otpm = 300 }"),
        {"compat/a": provider},
    )
    assert run.run().exit_code == 0
    assert max(provider.arrivals) < 10.0


def test_views_tell_what_a_lane_waits_for():
    provider = ScriptedProvider([limited(20.0)])
    run = SweepRun(simple_config(repeats=30), {"compat/a": provider})
    run.run()
    waits = {view.lanes[0].waiting for view in run.views}
    assert "retry_after" in waits
    assert run.views[-1].state == "ended"
    assert run.views[-1].lanes[0].done == 30
    assert run.views[-1].to_json()["models"]["compat/a"]["planned"] == 30


def test_another_seed_is_another_trial_of_the_same_cell():
    provider = ScriptedProvider()
    run = SweepRun(simple_config(repeats=3), {"compat/a": provider})
    run.run()
    other = SweepRun(
        simple_config(repeats=3, sweep="seed = 7"), {"compat/a": provider}, store=run.store
    )
    assert other.run().exit_code == 0
    assert len(provider.arrivals) == 6
