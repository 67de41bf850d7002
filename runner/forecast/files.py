"""What result files say about a plan before it runs; nothing is written to them.

Apart from the forecast itself, so that a sweep without a file is foretold without DuckDB.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from queries.reading import open_with_views
from runner.config.sweep import SweepConfig
from runner.forecast.forecast import History
from runner.forecast.learned import Learned, learn, learn_from_files
from runner.plan.plan import Done, Plan
from runner.plan.simulated import known_addresses, mark
from state.database.load import sql
from state.database.repeats import repeats_by_cell

_ENDED = """
SELECT cell_id, repeat
FROM stg_trials
WHERE outcome <> 'pending' AND seed >> 32 = $seed
    AND NOT list_contains($retry, outcome)
    AND NOT list_contains($retry, split_part(outcome, ':', 1))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What a plan's own file and earlier ones say."""

    plan: Plan
    """With the models marked that the file knows as simulated."""
    history: History
    learned: Learned


def read_earlier(config: SweepConfig, plan: Plan, db: Path, retry: frozenset[str]) -> Earlier:
    """Read the sweep's own file, where there is one, and those it learns from. Raises StoreError.

    A trial that ended as one of `retry` counts as not done.
    """
    learned = learn_from_files(config.calibrate_from, plan)
    if not db.exists():
        return Earlier(plan=plan, history=History(), learned=learned)
    with open_with_views(db) as reader:
        plan = mark(plan, known_addresses(reader.connection))
        return Earlier(
            plan=plan,
            history=read_history(reader.connection, config.name, plan, retry),
            learned=learned + learn(reader.connection, plan),
        )


def read_history(
    connection: duckdb.DuckDBPyConnection, sweep_name: str, plan: Plan, retry: frozenset[str]
) -> History:
    """What an open file holds."""
    money: list[tuple[Any, ...]] = connection.execute(
        sql("committed"), {"name": sweep_name}
    ).fetchall()
    ((committed_pusd, unpriced),) = money
    return History(
        exists=True,
        done=_done(connection, {cell.cell_id for cell in plan.cells}, retry, plan.seed),
        committed_pusd=int(committed_pusd),
        unpriced=int(unpriced),
    )


def _done(
    connection: duckdb.DuckDBPyConnection, wanted: set[str], retry: frozenset[str], seed: int
) -> Done:
    found = repeats_by_cell(connection.execute(_ENDED, {"seed": seed, "retry": sorted(retry)}))
    return {cell_id: repeats for cell_id, repeats in found.items() if cell_id in wanted}
