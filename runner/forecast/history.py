"""What a result file already holds for a plan; nothing is written to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from queries.catalog import install
from runner.plan import Plan
from state.load import sql
from state.reading import open_for_reading

_ENDED = """
SELECT cell_id, outcome, list(repeat) AS repeats
FROM stg_trials
WHERE outcome <> 'pending'
GROUP BY cell_id, outcome
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Trials that are done, and money that is gone."""

    exists: bool = False
    done: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    committed_pusd: int = 0
    notice: str | None = None


def read_history(db: Path, sweep_name: str, plan: Plan, retry: frozenset[str]) -> History:
    """What is there; an empty history where there is no file. Raises StoreError."""
    if not db.exists():
        return History()
    with open_for_reading(db, install_views=install) as reader:
        return History(
            exists=True,
            done=_done(reader.connection, {cell.cell_id for cell in plan.cells}, retry),
            committed_pusd=_committed(reader.connection, sweep_name),
            notice=reader.notice,
        )


def _done(
    connection: duckdb.DuckDBPyConnection, wanted: set[str], retry: frozenset[str]
) -> dict[str, frozenset[int]]:
    done: dict[str, set[int]] = {}
    rows: list[tuple[Any, ...]] = connection.execute(_ENDED).fetchall()
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
