"""The money of one trial: held before an attempt is sent, paid or given back when it has ended."""

import math

from msgspec import Struct

from runner.engine.bounds import worst_case_pusd
from runner.engine.feeder import Ready
from runner.engine.lane import Lane
from runner.money.ledger import Ledger, Reservation
from runner.money.price import Price, cost
from runner.progress.states import LaneEnd, Wait
from runner.wire import Result


class Charge(Struct, frozen=True, gc=False):
    """What an attempt cost; `unknown` where it may have been billed and nobody said how much."""

    cost_pusd: int | None
    unknown: bool


FREE_OF_CHARGE = Charge(0, unknown=False)
UNTOLD = Charge(None, unknown=True)


def charge_of(result: Result, price: Price | None, *, bills_errors: bool = False) -> Charge:
    """The bill of an attempt at a price, which may be unknown.

    A complete error answer is free, unless the endpoint is known to bill those too.
    """
    if result.usage is None:
        billed = result.maybe_billed or (bills_errors and result.http_status is not None)
        return UNTOLD if billed else FREE_OF_CHARGE
    if price is None:
        return Charge(None, unknown=False)
    paid = cost(result.usage, price)
    return Charge(paid, unknown=paid is None)


class Hold:
    """What a trial has reserved of the budget for the attempt that it makes next."""

    __slots__ = ("_lane", "_ledger", "_ready", "_reservation", "_worst_case")

    def __init__(self, ledger: Ledger, lane: Lane, ready: Ready) -> None:
        self._ledger = ledger
        self._lane = lane
        self._ready = ready
        self._reservation: Reservation | None = None
        self._worst_case = 0

    @property
    def priced_pusd(self) -> int | None:
        """The amount held; None where no price is known, so that it says nothing."""
        if self._lane.model.price is None or self._reservation is None:
            return None
        return self._reservation.amount

    async def taken(self) -> bool:
        """Hold the worst case of the next attempt, as soon as running calls leave room for it.

        A hold that the last attempt did not use up is kept. False where the budget is at its end,
        and so is the lane then.
        """
        if self._reservation is None:
            self._worst_case = worst_case_pusd(self._lane, self._ready)
            amount = math.ceil(self._worst_case * self._lane.surcharge)
            self._reservation = await self._reserve(amount)
            if self._reservation is None:
                self._lane.end(LaneEnd.BUDGET, "the budget does not hold the next call")
        return self._reservation is not None

    async def _reserve(self, amount: int) -> Reservation | None:
        reservation = self._ledger.reserve(amount)
        if reservation is not None:
            return reservation
        with self._lane.waiting(Wait.BUDGET):
            return await self._ledger.reserve_when_possible(amount)

    def settle(self, bill: Charge, *, asked_again: bool) -> None:
        """Pay a bill; one that is unknown keeps what is held for it."""
        if self._reservation is None:
            return
        if bill.unknown:
            self._reservation.keep()
        elif not bill.cost_pusd and asked_again:
            return  # certainly not billed, and asked again: the hold goes with the next attempt
        else:
            paid = bill.cost_pusd or 0
            self._lane.billed(paid, self._worst_case)
            self._reservation.settle(paid)
        self._reservation = None

    def release(self) -> None:
        """Give back what is still held."""
        if self._reservation is not None:
            self._reservation.release()
            self._reservation = None
