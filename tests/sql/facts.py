"""Writes facts into an in-memory file, a line per trial, with every default spelled once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

import duckdb
import orjson
from msgspec.structs import astuple

from queries.catalog import install
from state.database.columns import columns
from state.database.migrate import migrate
from state.database.old_cells import fill_facts
from state.records import (
    AttemptRow,
    CellRow,
    ModelRow,
    PendingRow,
    Row,
    ScoreRow,
    StartRow,
    SweepCellRow,
    SweepRow,
    TrialRow,
)
from state.tables import TABLES
from tasks.identity import stable_hash, trial_seed
from tasks.profiles import effective

PRICE = {"input": 1_000_000, "output": 4_000_000, "cache_read": 500_000, "tiers": []}
"""Pico-dollars per token: 1 and 4 dollars per million."""
STARTED = 1_700_000_000_000_000


def dumps(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


@cache
def _shared() -> duckdb.DuckDBPyConnection:
    """Installing the views takes longer than most tests, so it is done once."""
    connection = duckdb.connect()
    migrate(connection)
    install(connection)
    return connection


def emptied() -> duckdb.DuckDBPyConnection:
    """The shared database without a row."""
    connection = _shared()
    for table in TABLES.values():
        connection.execute(f"delete from {table.name}")  # noqa: S608
    return connection


@dataclass
class Facts:
    """A file being written; `view` reads it through the views."""

    rows: dict[type[Row], list[Any]] = field(default_factory=dict)
    simulated: bool = False
    sweep_id: str = "sweep-1"
    repeats: int = 5
    planned: set[tuple[str, str]] = field(default_factory=set)
    asked: dict[str, int] = field(default_factory=dict)
    points: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, *rows: Any) -> Self:
        for row in rows:
            self.rows.setdefault(type(row), []).append(row)
        return self

    def sweep(
        self,
        sweep_id: str = "sweep-1",
        *,
        name: str = "first",
        seed: int = 0,
        repeats: int = 5,
        budget_pusd: int | None = None,
        profile: str = "default",
        switches: Mapping[str, Any] | None = None,
        at: int = 0,
    ) -> Self:
        self.sweep_id, self.repeats = sweep_id, repeats
        values = effective(profile, switches or {})  # type: ignore[arg-type]
        return self.add(
            SweepRow(
                sweep_id,
                name,
                STARTED + at,
                seed,
                repeats,
                budget_pusd,
                profile,
                dumps(values),
                "{}",
                self.simulated,
                0,
                "0.1.0",
            )
        )

    def model(
        self,
        model: str,
        *,
        price: Mapping[str, Any] | None = PRICE,
        window: int | None = 128_000,
        tokenizer: str = "o200k_base",
    ) -> Self:
        text = None if price is None else dumps(price)
        return self.add(ModelRow(self.sweep_id, model, window, text, "config", tokenizer))

    def cell(
        self,
        task: str,
        size: float | None = None,
        *,
        model: str = "alpha",
        provider: str = "openai",
        unit: str = "chars",
        params: Mapping[str, Any] | None = None,
        window: int | None = 128_000,
        base_url: str = "",
        switches: Mapping[str, Any] | None = None,
        **axes: Any,
    ) -> str:
        if "k" in axes:
            size, unit = axes["k"], "needles"
        elif size is not None:
            axes = {"size": size, **axes}
        params = params or {"temperature": 0}
        cell_id = stable_hash([provider, base_url, model, task, axes, params, switches])
        if cell_id not in self.asked:
            self.asked[cell_id] = 0
            self.points[cell_id] = (task, dumps(axes))
            self.add(
                CellRow(
                    cell_id,
                    provider,
                    base_url,
                    model,
                    task,
                    1,
                    size,
                    unit,
                    dumps(axes),
                    dumps(params),
                    dumps(switches or {}),
                    "{}",
                    window,
                    self.simulated,
                )
            )
        if (self.sweep_id, cell_id) not in self.planned:
            self.planned.add((self.sweep_id, cell_id))
            self.add(SweepCellRow(self.sweep_id, cell_id, self.repeats))
        return cell_id

    def trial(
        self,
        cell_id: str,
        value: float | None = None,
        *,
        outcome: str = "answered",
        label: str | None = None,
        detail: Mapping[str, Any] | None = None,
        repeat: int | None = None,
        prompt: str | None = None,
        chars: int = 1000,
        kind: str = "uuid",
        seed: int | None = None,
        scored_at: int = 0,
        **attempt: Any,
    ) -> str:
        repeat = self.asked[cell_id] if repeat is None else repeat
        self.asked[cell_id] = max(repeat + 1, self.asked[cell_id])
        trial_id = stable_hash([cell_id, repeat, seed])
        task, point = self._point(cell_id)
        prompt = prompt or stable_hash([task, point, repeat])
        self.add(
            TrialRow(
                trial_id,
                cell_id,
                repeat,
                trial_seed(0, repeat) if seed is None else seed,
                prompt,
                chars,
                kind,
                "{}",
                "{}",
            )
        )
        if outcome != "unsent":
            self.attempt(trial_id, outcome=outcome, **attempt)
        if value is not None:
            self.score(trial_id, value, label=label, detail=detail, at=scored_at)
        return trial_id

    def _point(self, cell_id: str) -> tuple[str, str]:
        return self.points[cell_id]

    def attempt(
        self,
        trial_id: str,
        *,
        n: int = 1,
        outcome: str = "answered",
        final: bool = True,
        cost: int | None = 1_000_000,
        maybe_billed: bool = False,
        reserved: int | None = 2_000_000,
        estimate: int = 250,
        ended: bool = True,
        tokens: tuple[int | None, int | None, int | None, int | None, int | None] = (
            240,
            0,
            0,
            10,
            None,
        ),
        latency_s: float | None = 1.5,
        http_status: int | None = 200,
    ) -> Self:
        attempt_id = stable_hash([trial_id, n])
        self.add(StartRow(attempt_id, trial_id, self.sweep_id, n, STARTED + n, reserved, estimate))
        if not ended:
            return self
        return self.add(
            AttemptRow(
                attempt_id,
                trial_id,
                n,
                STARTED + n,
                STARTED + n + 1_500_000,
                outcome,
                http_status,
                None,
                None,
                *tokens,
                cost,
                maybe_billed,
                final,
                0.1,
                0.2,
                latency_s,
            )
        )

    def score(
        self,
        trial_id: str,
        value: float,
        *,
        label: str | None = None,
        detail: Mapping[str, Any] | None = None,
        switches: Mapping[str, Any] | None = None,
        at: int = 0,
        profile: str = "default",
    ) -> Self:
        return self.add(
            ScoreRow(
                trial_id,
                "scorer",
                1,
                profile,
                value,
                label or ("correct" if value == 1 else "wrong"),
                dumps(detail or {}),
                dumps(switches or {}),
                STARTED + at,
                again=any(row.trial_id == trial_id for row in self.rows.get(ScoreRow, ())),
            )
        )

    def pending(self, model: str, outcome: str, trials: int) -> Self:
        return self.add(PendingRow(self.sweep_id, model, outcome, trials, STARTED))

    def connect(self, path: str | None = None) -> duckdb.DuckDBPyConnection:
        """A connection to a file with these facts and all views; in memory without a path."""
        if path is None:
            connection = emptied().cursor()
        else:
            connection = duckdb.connect(path)
            migrate(connection)
            install(connection)
        for row_type, rows in self.rows.items():
            table = TABLES[row_type]
            connection.register("batch", columns(table.row, list(map(astuple, rows))))
            connection.execute(f"insert into {table.name} by name select * from batch")  # noqa: S608
            connection.unregister("batch")
        fill_facts(connection)  # as the tasks say them: tests/unit/state/database/test_old_cells.py
        return connection


def view(facts: Facts, query: str) -> list[dict[str, Any]]:
    """Rows of a query over the facts, as dicts."""
    with facts.connect() as connection:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
