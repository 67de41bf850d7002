"""What a result file already holds for a plan; nothing is written to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb

from runner.plan import Plan
from state.load import sql

_ENDED = """
SELECT cell_id, outcome, list(repeat) AS repeats
FROM stg_trials
WHERE outcome <> 'pending' AND seed >> 32 = $seed
GROUP BY cell_id, outcome
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Trials that are done, and money that is gone."""

    exists: bool = False
    done: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    committed_pusd: int = 0


def read_history(
    connection: duckdb.DuckDBPyConnection, sweep_name: str, plan: Plan, retry: frozenset[str]
) -> History:
    """What an open file holds; a trial that ended as one of `retry` counts as not done."""
    return History(
        exists=True,
        done=_done(connection, {cell.cell_id for cell in plan.cells}, retry, plan.seed),
        committed_pusd=_committed(connection, sweep_name),
    )


def _done(
    connection: duckdb.DuckDBPyConnection, wanted: set[str], retry: frozenset[str], seed: int
) -> dict[str, frozenset[int]]:
    done: dict[str, set[int]] = {}
    rows: list[tuple[Any, ...]] = connection.execute(_ENDED, {"seed": seed}).fetchall()
    for cell_id, outcome, repeats in rows:
        asked_again = outcome in retry or outcome.partition(":")[0] in retry
        if cell_id in wanted and not asked_again:
            done.setdefault(cell_id, set()).update(repeats)
    return {cell_id: frozenset(repeats) for cell_id, repeats in done.items()}


def _committed(connection: duckdb.DuckDBPyConnection, sweep_name: str) -> int:
    rows: list[tuple[Any, ...]] = connection.execute(
        sql("committed"), {"name": sweep_name}
    ).fetchall()
    return int(rows[0][0])
