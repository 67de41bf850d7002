"""Makes prompts ahead of sending, off the event loop, into a window bounded in bytes."""

import asyncio
import itertools
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor

from msgspec import Struct

from runner.engine.window import Window
from runner.plan.cell import Trial
from runner.plan.rows import trial_row
from runner.tokens.estimate import Estimator, InputEstimate
from state.records import TrialRow
from tasks.facts import TextKind
from tasks.sample import Sample, TaskError

TARGET_BATCH_BYTES = 128 * 1024
"""Of new text: small prompts, and questions that share a haystack, are made many at a time, so that
one hop to a thread serves many."""
MOST_BATCH_BYTES = 32 * 1024 * 1024
"""Of all text, since the next prompts may share nothing: what the window may be exceeded by."""
LARGEST_BATCH = 64


class Ready(Struct, frozen=True, kw_only=True, gc=False):
    """A trial with its prompt."""

    trial: Trial
    sample: Sample
    row: TrialRow
    """The `trials` row, written before the first attempt."""
    estimate: InputEstimate
    units: int
    """What the estimate was made from; usage is compared with it."""


class Unready(Struct, frozen=True, kw_only=True, gc=False):
    """A trial whose prompt cannot be made, and why."""

    trial: Trial
    reason: str


def make_batch(trials: list[Trial], estimator: Estimator) -> list[Ready | Unready]:
    """Prompts, hashes and token counts of a batch; runs in a worker thread."""
    estimates: dict[tuple[TextKind, int, int], InputEstimate] = {}
    return [_make_ready(trial, estimator, estimates) for trial in trials]


def _make_ready(
    trial: Trial, estimator: Estimator, estimates: dict[tuple[TextKind, int, int], InputEstimate]
) -> Ready | Unready:
    """The prompt of one trial, encoded here once so that the event loop never does it.

    Questions on one haystack are of one length, and estimated once.
    """
    try:
        sample = trial.cell.task.generate(trial.cell.point.axes, trial.seed)
    except TaskError as error:
        return Unready(trial=trial, reason=str(error))
    sample.prompt.encode()
    units = estimator.units(sample)
    row = trial_row(trial, sample, sample.prompt.hash())
    alike = (sample.kind, units, row.prompt_chars)
    estimate = estimates.get(alike)
    if estimate is None:
        estimate = estimates[alike] = estimator.estimate(sample, units)
    return Ready(trial=trial, sample=sample, row=row, estimate=estimate, units=units)


class Feeder:
    """An asynchronous iterator of ready trials for one lane."""

    __slots__ = ("_batch", "_estimator", "_executor", "_pending", "_ready", "_trials", "_window")

    def __init__(
        self, trials: Iterator[Trial], *, estimator: Estimator, window: Window, executor: Executor
    ) -> None:
        self._trials = trials
        self._estimator = estimator
        self._window = window
        self._executor = executor
        self._ready: deque[Ready | Unready] = deque()
        self._pending: asyncio.Future[list[Ready | Unready]] | None = None
        self._batch = 1

    def __aiter__(self) -> "Feeder":
        return self

    async def __anext__(self) -> Ready | Unready:
        if not self._ready:
            await self._refill()
        item = self._ready.popleft()
        if self._pending is None and len(self._ready) <= self._batch and self._window.has_room:
            self._begin()
        return item

    async def _refill(self) -> None:
        if self._pending is None:
            await self._window.room()
            self._begin()
        if self._pending is None:
            raise StopAsyncIteration
        # Shielded: a dispatcher cancelled here must find the batch again in aclose.
        batch = await asyncio.shield(self._pending)
        self._pending = None
        before, largest = self._window.used_bytes, 1
        for item in batch:
            if isinstance(item, Ready):
                self._window.add(item.sample.prompt)
                largest = max(largest, item.sample.prompt.json_bytes)
        self._ready.extend(batch)
        new = max(1, self._window.used_bytes - before)
        wanted = min(TARGET_BATCH_BYTES * len(batch) // new, MOST_BATCH_BYTES // largest)
        self._batch = max(1, min(LARGEST_BATCH, wanted))

    def _begin(self) -> None:
        trials = list(itertools.islice(self._trials, self._batch))
        if trials:
            loop = asyncio.get_running_loop()
            self._pending = loop.run_in_executor(
                self._executor, make_batch, trials, self._estimator
            )

    async def aclose(self) -> None:
        """Wait for a batch that is being made, and let all prompts go."""
        if self._pending is not None:
            await self._pending
            self._pending = None
        for item in self._ready:
            if isinstance(item, Ready):
                self._window.remove(item.sample.prompt)
        self._ready.clear()
