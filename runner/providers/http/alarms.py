"""Deadlines of many calls under one timer.

A timer of its own for each call, moved once and cancelled, costs more than the rest of our part in
sending a short prompt. Nearly all deadlines are never reached, so one timer waits for the earliest
of them all; when it fires, what is due is cancelled and the next earliest is waited for.
"""

import asyncio
from math import inf


class Alarm:
    """One call's deadline on the loop's clock."""

    __slots__ = ("_cancels_before", "at", "rang", "task")

    def __init__(self, task: asyncio.Task[object], at: float) -> None:
        self.at = at
        self.task = task
        self.rang = False
        self._cancels_before = task.cancelling()

    def ring(self) -> None:
        """Cancel the task, and remember that it was us."""
        self.rang = True
        self.task.cancel()

    def is_ours(self) -> bool:
        """Whether a CancelledError that was just caught came from this alarm alone."""
        return self.rang and self.task.uncancel() <= self._cancels_before


class Alarms:
    """All deadlines of one loop."""

    def __init__(self) -> None:
        self._set: set[Alarm] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = inf

    def __len__(self) -> int:
        return len(self._set)

    def start(self, at: float) -> Alarm:
        """An alarm that cancels the current task at `at` unless it is stopped."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  coroutines run in tasks
        alarm = Alarm(task, at)
        self._set.add(alarm)
        if at < self._timer_at:
            self._wait_for(at)
        return alarm

    def move(self, alarm: Alarm, at: float) -> None:
        """Give an alarm another time."""
        if at == alarm.at:
            return
        alarm.at = at
        if at < self._timer_at:
            self._wait_for(at)

    def stop(self, alarm: Alarm) -> None:
        """Forget an alarm; the timer is left alone, and does nothing if it finds nothing due."""
        self._set.discard(alarm)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, inf

    def _wait_for(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(at, self._fire)
        self._timer_at = at

    def _fire(self) -> None:
        self._timer, self._timer_at = None, inf
        now = asyncio.get_running_loop().time()
        due = [alarm for alarm in self._set if alarm.at <= now]
        for alarm in due:
            self._set.discard(alarm)
            alarm.ring()
        if self._set:
            self._wait_for(min(alarm.at for alarm in self._set))
