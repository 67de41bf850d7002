"""The store of the engine's tests: the same answers, from plain lists."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pyroaring import FrozenBitMap

from state.records import (
    ERRORS,
    SCORED,
    AttemptRow,
    CellRow,
    CompletionRow,
    Outcome,
    Row,
    ScoreRow,
    StartRow,
    SweepRow,
    TrialRow,
    judge_sweep,
    outcome_of,
)
from state.store import LateRows, Progress, Stored, StoreError
from state.tables import TABLES

R = TypeVar("R", bound=Row)


class MemoryStore:
    """All rows by table, in the order they came."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {table.name: [] for table in TABLES.values()}
        self.fail_with: StoreError | None = None
        """Set by a test: what every append raises."""
        self._keys: set[tuple[str, str]] = set()
        self._closed = False

    @property
    def failure(self) -> StoreError | None:
        """What a test set."""
        return self.fail_with

    async def append(self, *rows: Row) -> None:
        """Keep the rows; a cell or trial that is here already is not kept twice."""
        self.enqueue(*rows)

    def enqueue(self, *rows: Row, late: LateRows | None = None) -> None:
        """Keep the rows at once."""
        if self.fail_with is not None:
            raise self.fail_with
        if self._closed:
            raise StoreError("already closed")
        for row in (*rows, *(late() if late else ())):
            if self._is_new(row):
                self.rows[TABLES[type(row)].name].append(row)

    def _is_new(self, row: Row) -> bool:
        if isinstance(row, TrialRow):
            key = ("trials", row.trial_id)
        elif isinstance(row, CellRow):
            key = ("cells", row.cell_id)
        else:
            return True
        known = key in self._keys
        self._keys.add(key)
        return not known

    def of(self, kind: type[R]) -> list[R]:
        """All rows of one kind."""
        return [row for row in self.rows[TABLES[kind].name] if isinstance(row, kind)]

    def progress(self, cell_ids: Iterable[str], retry: frozenset[str], *, seed: int) -> Progress:
        """What is done under a sweep's seed; outcomes in `retry` count as not done."""
        wanted = set(cell_ids)
        last = self._last_attempts()
        done: dict[str, set[int]] = defaultdict(set)
        attempts: dict[str, int] = {}
        errors: dict[str, dict[int, str]] = defaultdict(dict)
        for trial in self.of(TrialRow):
            attempt = last.get(trial.trial_id)
            if trial.cell_id not in wanted or trial.seed >> 32 != seed or attempt is None:
                continue
            if attempt.final and not {attempt.outcome, str(outcome_of(attempt.outcome))} & retry:
                done[trial.cell_id].add(trial.repeat)
                if (outcome := outcome_of(attempt.outcome)) in ERRORS:
                    errors[trial.cell_id][trial.repeat] = str(outcome)
            else:
                attempts[trial.trial_id] = attempt.n
        return Progress(
            done={cell: FrozenBitMap(repeats) for cell, repeats in done.items()},
            attempts=attempts,
            errors=errors,
        )

    def committed_pusd(self, sweep_name: str) -> int:
        """Money gone or possibly gone in all runs of this sweep: costs, and holds never settled."""
        names = {sweep_name, judge_sweep(sweep_name)}
        runs = {sweep.sweep_id for sweep in self.of(SweepRow) if sweep.name in names}
        ended = {attempt.attempt_id: attempt for attempt in self.of(AttemptRow)}
        return sum(
            _committed(start, ended.get(start.attempt_id))
            for start in self.of(StartRow)
            if start.sweep_id in runs
        )

    def replies(self, *, unscored: bool = False) -> Iterator[Stored]:
        """All stored replies that may be scored, or have not been; in a stable order, streamed."""
        scored = {score.trial_id for score in self.of(ScoreRow)} if unscored else set[str]()
        trials = {trial.trial_id: trial for trial in self.of(TrialRow)}
        tasks = {cell.cell_id: cell.task for cell in self.of(CellRow)}
        last = self._last_attempts()
        for completion in self.of(CompletionRow):
            trial, attempt = trials[completion.trial_id], last[completion.trial_id]
            outcome = outcome_of(attempt.outcome)
            if trial.trial_id in scored:
                continue
            if attempt.attempt_id == completion.attempt_id and outcome in SCORED:
                yield Stored(
                    trial_id=trial.trial_id,
                    task=tasks[trial.cell_id],
                    target=trial.target,
                    text=completion.text,
                    reasoning_text=completion.reasoning_text,
                    truncated=outcome is Outcome.TRUNCATED,
                )

    async def aclose(self) -> None:
        """Accept nothing more."""
        self._closed = True

    def _last_attempts(self) -> dict[str, AttemptRow]:
        last: dict[str, AttemptRow] = {}
        for attempt in self.of(AttemptRow):
            known = last.get(attempt.trial_id)
            if known is None or attempt.n >= known.n:  # several that were never sent are all 0
                last[attempt.trial_id] = attempt
        return last


def _committed(start: StartRow, attempt: AttemptRow | None) -> int:
    if attempt is not None and attempt.cost_pusd is not None and not attempt.maybe_billed:
        return attempt.cost_pusd
    if start.reserved_pusd is not None:
        return start.reserved_pusd
    return attempt.cost_pusd or 0 if attempt is not None else 0
