"""Seconds that each view takes over a file of a million trials (wall, and both cores' time)."""

import tempfile
import time
from pathlib import Path

import duckdb

from queries.catalog import install, shipped
from state.database.gather import gather_at_rest
from state.database.migrate import migrate
from state.database.old_cells import fill_facts
from state.database.opening import connect

TRIALS = 1_000_000
TARGET_S = 1.0
RUNS = 3
SUMMED = "select model, task, avg(value), sum(cost_usd) from trial_results group by all"

CELLS = """
insert into cells by name
select
    md5('c' || i) as cell_id,
    'openai' as provider,
    '' as base_url,
    'model-' || i % 4 as model,
    ['needle_threading.single_needle', 'needle_threading.threading', 'flenqa.monorel',
     'flenqa.next_word', 'niah.magic_number', 'needlechain.mixed'][i // 4 % 6 + 1] as task,
    1 as task_version,
    (i // 24 % 10 + 1) * 1000 as size,
    'chars' as size_unit,
    json_object('size', (i // 24 % 10 + 1) * 1000, 'depth', i // 240 % 10 * 10,
                'thread_length', i // 240 % 10 + 1, 'direction', 'forward',
                'k', (i // 24 % 10 + 1), 'question', 'single', 'cot', true) as point,
    '{"temperature":0}' as params,
    '{}' as switches,
    '{}' as inputs,
    128000 as context_window,
    false as simulated
from range($cells) as t(i)
"""
TRIAL_ROWS = """
insert into trials by name
select
    md5('t' || i) as trial_id,
    md5('c' || i % $cells) as cell_id,
    i // $cells as repeat,
    i // $cells as seed,
    md5('p' || i // 4) as prompt_hash,
    5000 as prompt_chars,
    'uuid' as kind,
    '{}' as lengths,
    '{}' as target
from range($trials) as t(i)
"""
ATTEMPTS = """
insert into attempts by name
select
    md5('a' || i || n) as attempt_id,
    md5('t' || i) as trial_id,
    n,
    make_timestamp(1700000000000000 + i) as started_at,
    make_timestamp(1700000000000000 + i) as finished_at,
    case when n = 1 and i % 20 = 0 then 'rate_limited'
         when i % 25 = 0 then 'refused' else 'answered' end as outcome,
    2500 as input_tokens,
    i % 3 * 100 as cache_read_tokens,
    0 as cache_write_tokens,
    40 as output_tokens,
    10000000 as cost_pusd,
    false as maybe_billed,
    not (n = 1 and i % 20 = 0) as final,
    0.1 as queue_s,
    0.2 as first_byte_s,
    i % 100 / 10.0 as latency_s
from range($trials) as t(i), range(1, 3) as u(n)
where n = 1 or i % 20 = 0
"""
RESERVATIONS = """
insert into reservations by name
select attempt_id, trial_id, 's' as sweep_id, n, started_at, 20000000 as reserved_pusd,
    2500 as input_tokens_estimate
from attempts
"""
SCORES = """
insert into scores by name
select
    trial_id,
    'scorer' as scorer,
    1 as scorer_version,
    'default' as profile,
    (hash(trial_id) % 3 > 0)::double as value,
    case when task like 'flenqa%' then (hash(trial_id) % 2 = 0)::varchar
         when task like 'needlechain%' and hash(trial_id) % 3 = 0 then 'needle_omission'
         else 'correct' end as label,
    case when task like 'flenqa%'
        then json_object('early', hash(trial_id) % 2 = 0, 'covered', hash(trial_id) % 3, 'n_key', 2)
        when task like 'needlechain%'
        then json_object('mentioned_reasoning', [1, 1, hash(trial_id) % 2, 1, 1, 0],
                         'mentioned_presented', [1, 0, hash(trial_id) % 2, 1, 1, 0])
        else '{"n_found":1}' end as detail,
    '{}' as switches,
    make_timestamp(1700000000000000 + (hash(trial_id) % 1000000000)::bigint) as scored_at,
    false as again
from attempts
inner join trials using (trial_id)
inner join cells using (cell_id)
where outcome = 'answered'
"""
REST = """
insert into sweeps by name
select 's' as sweep_id, 'bench' as name, make_timestamp(1700000000000000) as started_at, 0 as seed,
    $repeats as repeats, 'default' as profile, '{}' as switches, '{}' as config,
    false as simulated, $trials as trials_planned, '0' as runner_version
"""
PLANNED = "insert into sweep_cells select 's', cell_id, $repeats from cells"
MODELS = """
insert into models
select distinct 's', model, 128000,
    '{"input":2500000,"output":10000000,"cache_read":1250000,"tiers":[]}', 'bench', 'o200k_base'
from cells
"""


def build(path: Path, trials: int = TRIALS) -> duckdb.DuckDBPyConnection:
    """A file of this many trials over six tasks and four models, a twentieth of them retried."""
    cells = max(trials // 250, 240)
    connection = connect(path)
    migrate(connection)
    install(connection)
    values = {"cells": cells, "trials": trials, "repeats": -(-trials // cells)}
    for statement in (CELLS, TRIAL_ROWS, ATTEMPTS, RESERVATIONS, SCORES, REST, PLANNED, MODELS):
        used = {name: value for name, value in values.items() if f"${name}" in statement}
        connection.execute(statement, used or None)
    fill_facts(connection)
    gather_at_rest(connection)  # as whoever writes a file does on closing it
    connection.execute("checkpoint")
    return connection


def measure(connection: duckdb.DuckDBPyConnection, view: str) -> tuple[float, float]:
    """Best wall and processor seconds of a few runs that look at every column of every row."""
    best = (float("inf"), float("inf"))
    for _ in range(RUNS):
        wall, busy = time.perf_counter(), time.process_time()
        connection.execute(f"create or replace temp table seen as from {view}")
        spent = (time.perf_counter() - wall, time.process_time() - busy)
        best = (min(best[0], spent[0]), min(best[1], spent[1]))
    return best


def main() -> None:
    """Print a line per view."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        build(path).close()
        connection = connect(path, read_only=True)  # as every reader of a file at rest
        for query in shipped("marts"):
            view = query.name
            if view == "trial_results":  # a million rows are not read, but filtered and summed
                view = f"({SUMMED})"
            wall, busy = measure(connection, view)
            slow = "  over the target" if wall > TARGET_S else ""
            print(f"{query.name:24} {wall:6.2f} s  (processor {busy:5.2f} s){slow}", flush=True)
        connection.close()
