import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from runner.money.ledger import Ledger, Reservation
from tests.fakes.virtual_loop import run_virtual


def test_a_hold_is_freed_down_to_the_bill():
    ledger = Ledger(budget=100, committed=10)
    reservation = ledger.reserve(90)
    assert reservation is not None
    assert ledger.reserve(1) is None
    reservation.settle(30)
    statistics = ledger.statistics()
    assert (statistics.committed, statistics.held, statistics.left) == (40, 0, 60)


def test_an_unknown_bill_keeps_the_hold_for_good():
    ledger = Ledger(budget=100, committed=0)
    reservation = ledger.reserve(60)
    assert reservation is not None
    reservation.keep()
    assert ledger.statistics().committed == 60
    assert ledger.reserve(41) is None


def test_a_reservation_ends_once():
    reservation = Ledger(budget=None, committed=0).reserve(5)
    assert reservation is not None
    reservation.release()
    with pytest.raises(AssertionError):
        reservation.settle(1)


def test_a_negative_price_is_a_bug():
    with pytest.raises(AssertionError):
        Ledger(budget=None, committed=0).reserve(-1)


def test_without_a_budget_everything_is_granted_and_counted():
    ledger = Ledger(budget=None, committed=0)
    assert ledger.reserve(10**18) is not None
    assert ledger.statistics().left is None


def test_dispatch_waits_for_running_calls_and_ends_when_none_is_running():
    async def main() -> list[str]:
        ledger = Ledger(budget=100, committed=0)
        story: list[str] = []
        running = ledger.reserve(100)
        assert running is not None

        async def ask(name: str, amount: int) -> None:
            reservation = await ledger.reserve_when_possible(amount)
            story.append(f"{name} {'yes' if reservation else 'no'}")
            if reservation is not None:
                await asyncio.sleep(1)
                reservation.settle(amount)

        async with asyncio.TaskGroup() as group:
            group.create_task(ask("a", 60))
            group.create_task(ask("b", 60))
            await asyncio.sleep(1)
            running.settle(10)
        return story

    assert run_virtual(main()) == ["a yes", "b no"]


def test_a_cancelled_wait_leaves_nothing_behind():
    async def main() -> int:
        ledger = Ledger(budget=10, committed=0)
        running = ledger.reserve(10)
        assert running is not None
        async with asyncio.TaskGroup() as group:
            task = group.create_task(ledger.reserve_when_possible(5))
            await asyncio.sleep(0)
            task.cancel()
        running.release()
        return ledger.statistics().held

    assert run_virtual(main()) == 0


class LedgerMachine(RuleBasedStateMachine):
    """No sequence of reservations and their ends ever puts more than the budget at stake."""

    reservations = Bundle("reservations")
    BUDGET = 1000

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger(budget=self.BUDGET, committed=0)
        self.spent = 0
        self.held = 0

    @rule(target=reservations, amount=st.integers(0, 400))
    def reserve(self, amount: int) -> Reservation | None:
        reservation = self.ledger.reserve(amount)
        if reservation is not None:
            self.held += amount
        else:
            assert self.spent + self.held + amount > self.BUDGET
        return reservation

    @rule(reservation=consumes(reservations), share=st.floats(0, 1))
    def settle(self, reservation: Reservation | None, share: float) -> None:
        if reservation is not None:
            cost = int(reservation.amount * share)
            reservation.settle(cost)
            self.spent += cost
            self.held -= reservation.amount

    @rule(reservation=consumes(reservations))
    def keep(self, reservation: Reservation | None) -> None:
        if reservation is not None:
            reservation.keep()
            self.spent += reservation.amount
            self.held -= reservation.amount

    @rule(reservation=consumes(reservations))
    def release(self, reservation: Reservation | None) -> None:
        if reservation is not None:
            reservation.release()
            self.held -= reservation.amount

    @invariant()
    def adds_up(self) -> None:
        statistics = self.ledger.statistics()
        assert (statistics.committed, statistics.held) == (self.spent, self.held)
        assert statistics.committed + statistics.held <= self.BUDGET


TestLedgerMachine = LedgerMachine.TestCase


@given(st.integers(0, 10**15), st.integers(0, 10**15))
def test_committed_money_of_earlier_runs_counts(budget: int, committed: int):
    ledger = Ledger(budget=budget, committed=committed)
    room = max(0, budget - committed)
    assert (ledger.reserve(room) is not None) == (committed + room <= budget)
    assert ledger.reserve(room + 1) is None
