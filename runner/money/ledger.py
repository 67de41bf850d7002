"""Never a cent over budget: what is spent, what is held, and what may still be promised.

    committed (settled, or possibly billed) + held (calls under way) <= budget, at every instant

A call reserves its worst case before it waits for anything. Money is integer pico-dollars.
"""

import asyncio
from dataclasses import dataclass

from msgspec import Struct


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerStatistics:
    """A moment of the ledger, in pico-dollars."""

    budget: int | None
    committed: int
    held: int
    open_reservations: int

    @property
    def left(self) -> int | None:
        """What may still be reserved; None without a budget."""
        return None if self.budget is None else self.budget - self.committed - self.held


class Reservation(Struct, gc=False):
    """A promise to pay at most `amount`; ended exactly once by settle, keep or release."""

    ledger: "Ledger"
    amount: int
    open: bool = True

    def settle(self, cost: int) -> None:
        """The bill is known."""
        self._close(cost)

    def keep(self) -> None:
        """The bill is unknown: the whole amount stays committed for good."""
        self._close(self.amount)

    def release(self) -> None:
        """It was certainly not billed."""
        self._close(0)

    def _close(self, committed: int) -> None:
        if not self.open:
            raise AssertionError("a reservation ends once")
        self.open = False
        self.ledger.close(self, committed)


class Ledger:
    """The one place that says yes or no to spending."""

    __slots__ = ("_budget", "_changed", "_committed", "_held", "_open")

    def __init__(self, *, budget: int | None, committed: int) -> None:
        self._budget = budget
        self._committed = committed
        self._held = 0
        self._open = 0
        self._changed: list[asyncio.Future[None]] = []

    def reserve(self, amount: int) -> Reservation | None:
        """A reservation, or None when the budget does not hold it now."""
        if amount < 0:
            raise AssertionError("a price is never negative")
        if self._budget is not None and self._committed + self._held + amount > self._budget:
            return None
        self._held += amount
        self._open += 1
        return Reservation(self, amount)

    async def reserve_when_possible(self, amount: int) -> Reservation | None:
        """Wait for running calls to settle until `amount` fits; None once none is running.

        A refusal never touches a running call: their unused holds are what may free the money.
        """
        while (reservation := self.reserve(amount)) is None:
            if self._open == 0:
                return None
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._changed.append(waiter)
            await waiter
        return reservation

    def close(self, reservation: Reservation, committed: int) -> None:
        """End a reservation (for Reservation) and wake whoever waits for money."""
        self._held -= reservation.amount
        self._open -= 1
        self._committed += committed
        if self._changed:
            waiters, self._changed = self._changed, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def statistics(self) -> LedgerStatistics:
        """A moment of the ledger."""
        return LedgerStatistics(
            budget=self._budget,
            committed=self._committed,
            held=self._held,
            open_reservations=self._open,
        )
