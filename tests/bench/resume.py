"""A file of very many trials: how long a resume takes to know what is missing, and what it holds.

The file is made by SQL, as a sweep would have left it. Each question is asked in a process of its
own, and prints its seconds, on the wall and of the processor, and its peak of memory.
Run: `python -m tests.bench resume [TRIALS] [--keep FILE]`.

A hundred million, on paper: what is done is a bitmap for each cell (12.5 MB in all, less where
repeats follow each other), and the hash of each trial's name is held (`KnownTrials`): 0.8 GB, twice
that while they are sorted. DuckDB takes 1 GB as its limit says, and what does not fit spills beside
the file: about 60 bytes a trial, 6 GB, while it looks for the last attempts. So below 3 GB; time
grows as the rows do: ten times that of ten million.
"""

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from queries.catalog import install
from queries.reading import open_with_views
from state.database.gather import gather_at_rest
from state.database.memory import KEY
from state.stores.duck import DuckStore

TRIALS = 1_000_000
CELLS = 1_000
MISSING = 1_000
"""One trial of so many was never sent."""
MIB = 1 << 20
_MADE = """
INSERT INTO sweeps SELECT 's', 's', now()::TIMESTAMP, 0, $n // $cells, NULL, 'default', '{}', '{}',
    false, $n, '0';
INSERT INTO cells BY NAME SELECT
    'cell-' || i AS cell_id, 'openai' AS provider, 'http://127.0.0.1:1/v1' AS base_url,
    'openai/gpt-' || (i % 4) AS model, 'needle_threading.single_needle' AS task,
    1 AS task_version, 1000.0 * (1 + i // 100) AS size, 'chars' AS size_unit,
    '{"size":' || 1000 * (1 + i // 100) || ',"depth":' || (i // 4) % 25 || '}' AS point,
    '{}' AS params, '{}' AS switches, '{}' AS inputs, 128000 AS context_window,
    false AS simulated, 'needle_threading' AS family, 'values' AS answer, 'depth' AS curve_axis,
    0.04 AS chance, 'needle_threading' AS overall, 5 AS overall_tasks, 1 AS values_asked,
    33.0 AS reply_tokens
FROM range($cells) AS r(i);
INSERT INTO sweep_cells SELECT 's', 'cell-' || i, $n // $cells FROM range($cells) AS r(i);
CREATE TEMP VIEW numbers AS SELECT
    i, md5(i::VARCHAR) AS id, 'cell-' || i % $cells AS cell, i // $cells AS repeat,
    TIMESTAMP '2026-11-01' + to_milliseconds(i) AS sent
FROM range($n) AS r(i) WHERE i % $missing <> 0;
INSERT INTO trials SELECT id, cell, repeat, repeat, md5(id), 2000, 'generated', '{}',
    '{"expected":["x"]}' FROM numbers;
INSERT INTO reservations SELECT id || '.1', id, 's', 1, sent, 5000000000, 700 FROM numbers;
INSERT INTO attempts SELECT id || '.1', id, 1, sent, sent + INTERVAL 2 SECOND, 'answered', 200,
    NULL, 'req-' || id, 650, 0, 0, 10, 0, 900000000, false, true, 0.01, 0.4, 2.0 FROM numbers;
INSERT INTO completions SELECT id, id || '.1', 'the value is ' || left(id, 8), NULL, 'stop', 'gpt'
FROM numbers;
INSERT INTO scores SELECT id, 'needle_threading', 1, 'default', (i % 3 > 0)::INTEGER, 'right', '{}',
    '{}', sent, false FROM numbers;
"""


def make(db: Path, trials: int) -> None:
    """Write a file as a sweep of so many trials leaves it when it is stopped."""
    DuckStore.open(db, install_views=install, create=True).close()
    with duckdb.connect(str(db), config={"threads": 1}) as connection:
        connection.execute("SET enable_progress_bar = false")
        made = _MADE.replace("$n", str(trials)).replace("$cells", str(CELLS))
        connection.execute(made.replace("$missing", str(MISSING)))
        connection.execute("INSERT INTO meta VALUES (?, '60000')", [KEY])  # as a writer leaves it
        gather_at_rest(connection)


def resume(db: Path) -> str:
    """Open it as a sweep that goes on, and find what is missing."""
    begun = time.monotonic()
    store = DuckStore.open(db, install_views=install, create=True)
    opened = time.monotonic()
    progress = store.progress((f"cell-{i}" for i in range(CELLS)), frozenset(), seed=0)
    done = sum(map(len, progress.done.values()))
    found = time.monotonic()
    spent = store.committed_pusd("s")
    summed = time.monotonic()
    unscored = sum(1 for _ in store.replies(unscored=True))
    scored = time.monotonic()
    store.close()
    return (
        f"opened in {opened - begun:.1f} s; {done:,} done, found in {found - opened:.1f} s;"
        f" ${spent / 1e12:,.2f} spent, summed in {summed - found:.1f} s; {unscored} not scored,"
        f" found in {scored - summed:.1f} s; closed in {time.monotonic() - scored:.1f} s"
    )


def status(db: Path) -> str:
    """Open it as a reader, and ask how far it is."""
    begun = time.monotonic()
    with open_with_views(db) as reader:
        opened = time.monotonic()
        rows = reader.connection.execute("select sum(n_done) from progress").fetchall()
        return f"opened in {opened - begun:.1f} s, {rows[0][0]:,} done"


def accuracy(db: Path) -> str:
    """The table of a report that reads every trial."""
    with open_with_views(db) as reader:
        rows = reader.connection.execute("select count(*) from cell_accuracy").fetchall()
        return f"{rows[0][0]:,} cells"


def _alone(name: str, work: Callable[..., str | None], arguments: tuple[object, ...]) -> None:
    sys.modules["__main__"].__file__ = __file__  # else DuckDB draws its progress, as at a prompt
    begun = time.monotonic()
    said = work(*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took, busy = time.monotonic() - begun, time.process_time()
    print(
        f"  {took:>6.1f} s (processor {busy:.1f}) {peak:>6.0f} MB  {name}: {said or ''}", flush=True
    )


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", type=int, nargs="?", default=TRIALS)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args(sys.argv[2:])
    with tempfile.TemporaryDirectory() as temporary:
        db: Path = asked.keep or Path(temporary) / "resume.duckdb"
        steps: list[tuple[str, Callable[..., str | None], tuple[object, ...]]] = []
        if not db.exists():
            steps.append(("make", make, (db, asked.trials)))
        steps += [("resume", resume, (db,)), ("status", status, (db,))]
        steps.append(("accuracy", accuracy, (db,)))
        for step in steps:
            process = multiprocessing.get_context("spawn").Process(target=_alone, args=step)
            process.start()
            process.join()
        print(f"{asked.trials:,} trials, file {db.stat().st_size / MIB:,.0f} MB")


if __name__ == "__main__":
    main()
