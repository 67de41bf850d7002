"""How gateways count, written after their documentation, for sweeps in virtual time."""

import asyncio
import random
from typing import Protocol

from multidict import CIMultiDict

from runner.providers.http.answer import Answer
from runner.providers.http.faults import Fault
from runner.providers.http.transport import Outgoing, Transport
from runner.wire import Deadlines


class Counter(Protocol):
    def admits(self, now: float) -> bool: ...


class Nginx:
    """`limit_req`: what exceeds a steady rate piles up, and is refused beyond the burst."""

    def __init__(self, rate: float, burst: float = 0.0) -> None:
        self._rate, self._burst = rate, burst
        self._excess, self._last = 0.0, float("-inf")

    def admits(self, now: float) -> bool:
        excess = 0.0
        if self._last > float("-inf"):
            excess = max(self._excess - (now - self._last) * self._rate + 1.0, 0.0)
        if excess > self._burst:
            return False
        self._excess, self._last = excess, now
        return True


class Haproxy:
    """`http_req_rate(PERIOD) gt LIMIT`: what is denied counts as well."""

    def __init__(self, limit: float, period_s: float) -> None:
        self._limit, self._period_s = limit, period_s
        self._before = self._count = 0
        self._start = 0.0

    def admits(self, now: float) -> bool:
        periods = int((now - self._start) / self._period_s)
        if periods:
            self._before = self._count if periods == 1 else 0
            self._count = 0
            self._start += periods * self._period_s
        self._count += 1
        left = 1.0 - (now - self._start) / self._period_s
        return self._count + self._before * left <= self._limit


class Chance:
    """Refusals that have nothing to do with a rate."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._luck = random.Random(1)

    def admits(self, now: float) -> bool:
        return self._luck.random() >= self._share


class Gateway:
    """A way to a provider past somebody who counts, and refuses without a word."""

    def __init__(
        self, inner: Transport, counter: Counter, *, status: int = 429, away_s: float = 0.0
    ) -> None:
        self._inner = inner
        self._counter = counter
        self._status = status
        self._one_way_s = away_s / 2
        self.log: list[tuple[float, bool]] = []
        """When each request came, and whether it was let through."""

    async def post(self, outgoing: Outgoing, deadlines: Deadlines) -> Answer | Fault:
        await asyncio.sleep(self._one_way_s)
        now = asyncio.get_running_loop().time()
        admitted = self._counter.admits(now)
        self.log.append((now, admitted))
        if admitted:
            came = await self._inner.post(outgoing, deadlines)
        else:
            came = Answer(
                status=self._status,
                headers=CIMultiDict({"content-type": "text/html"}),
                body=b"<html><head><title>No</title></head><body>nginx</body></html>",
                now=1_700_000_000.0 + now,
                first_byte_s=0.0,
            )
        await asyncio.sleep(self._one_way_s)
        return came

    async def aclose(self) -> None:
        await self._inner.aclose()

    def let_through(self, begin: float, end: float) -> int:
        return sum(admitted for at, admitted in self.log if begin <= at < end)

    def refused(self, begin: float, end: float) -> int:
        return sum(not admitted for at, admitted in self.log if begin <= at < end)
