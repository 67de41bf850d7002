"""What is kept for the views never changes what they say."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.catalog import install, shipped
from state.database.gather import Gathering, gather, gather_at_rest, is_behind, is_due
from state.database.migrate import migrate
from state.literals import literal
from state.sharing.snapshot import snapshot_file, write_snapshot

VIEWS = [query.name for query in shipped("marts")]
SETTING = """
insert into sweeps values ('s', 'first', make_timestamp(1), 0, 2, null, 'default', '{}', '{}',
    false, 8, '0');
insert into cells
select 'c' || i, 'openai', '', 'm' || i % 2, ['flenqa.monorel', 'needlechain.mixed'][i // 2 + 1], 1,
    1000, 'tokens', '{"cot": true, "k": 5, "question": "single"}', '{}', '{}', '{}', 1000, false,
    ['flenqa', 'needlechain'][i // 2 + 1], ['true_false', 'amount'][i // 2 + 1],
    ['cot', 'question'][i // 2 + 1], null, ['flenqa', 'needlechain'][i // 2 + 1], null, null, 1, 1
from range(4) as t(i);
insert into sweep_cells select 's', cell_id, 2 from cells;
"""
TRIAL = """
insert into trials
select 't' || $trial, 'c' || $trial % 4, $trial // 4, 7 + $trial // 4, 'p' || $trial // 2, 5000,
    'prose', '{}', '{}'
"""
ATTEMPT = """
insert into attempts by name
select 'a' || $at as attempt_id, 't' || $trial as trial_id, $n as n,
    make_timestamp($at) as started_at, make_timestamp($at + 5) as finished_at, $outcome as outcome,
    $cost as cost_pusd, $cost is null as maybe_billed, $outcome <> 'rate_limited' as final,
    100 as input_tokens, $at as output_tokens, $at / 10 as latency_s
"""
SCORE = """
insert into scores by name
select 't' || $trial as trial_id, 'f' as scorer, 1 as scorer_version, 'default' as profile,
    $at % 2 as value, ['true', 'false'][$at % 2 + 1] as label,
    '{"early":true,"covered":1,"n_key":2,"mentioned_presented":[1,0]}' as detail, '{}' as switches,
    make_timestamp($at) as scored_at, $again as again
"""
SEEN = "select max(attempts_seen) from gathered_trials"
OUTCOMES = ("answered", "refused", "rate_limited", "truncated")
events = st.lists(
    st.one_of(
        st.tuples(st.just("try"), st.integers(0, 7), st.sampled_from(OUTCOMES), st.booleans()),
        st.tuples(st.just("again"), st.integers(0, 7), st.just(""), st.booleans()),
        st.tuples(st.just("gather"), st.just(0), st.just(""), st.just(True)),
    ),
    max_size=14,
)


def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    migrate(connection)
    install(connection)
    connection.execute(SETTING)
    return connection


@pytest.fixture(scope="module")
def kept() -> Iterator[duckdb.DuckDBPyConnection]:
    with database() as connection:
        yield connection


class Writer:
    """Does to a file what a list of events says."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.attempts: dict[int, int] = {}
        self.at = 1
        for table in ("trials", "attempts", "scores", "gathered_trials"):
            connection.execute(f"truncate {table}")

    def happen(self, kind: str, trial: int, outcome: str, known: bool) -> None:
        self.at += 1
        if kind == "gather":
            assert gather(self.connection)
        elif kind == "try":
            self._try(trial, outcome, known=known)
        elif trial in self.attempts:
            self._run(SCORE, trial=trial, at=self.at, again=True)

    def _try(self, trial: int, outcome: str, *, known: bool) -> None:
        if trial not in self.attempts:
            self._run(TRIAL, trial=trial)
        n = self.attempts[trial] = self.attempts.get(trial, 0) + 1
        cost = 10 if known else None
        self._run(ATTEMPT, trial=trial, n=n, at=self.at, outcome=outcome, cost=cost)
        if outcome in {"answered", "truncated"}:
            self._run(SCORE, trial=trial, at=self.at, again=False)

    def _run(self, statement: str, **values: Any) -> None:
        self.connection.execute(statement, values)


def told(connection: duckdb.DuckDBPyConnection, view: str) -> list[str]:
    return sorted(map(repr, connection.execute(f"from {view}").fetchall()))


@settings(max_examples=40, deadline=None)
@given(happened=events)
def test_views_say_the_same_whatever_was_kept_and_when(
    kept: duckdb.DuckDBPyConnection, happened: list[tuple[str, int, str, bool]]
) -> None:
    writer = Writer(kept)
    for event in happened:
        writer.happen(*event)
    with_kept = told(kept, "stg_trials")
    kept.execute("truncate gathered_trials")
    assert told(kept, "stg_trials") == with_kept


def filled(connection: duckdb.DuckDBPyConnection) -> Writer:
    writer = Writer(connection)
    for trial in range(8):
        writer.happen("try", trial, OUTCOMES[trial % 3], trial % 3 > 0)
    return writer


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_says_the_same_half_of_it_kept(
    kept: duckdb.DuckDBPyConnection, view: str
) -> None:
    writer = filled(kept)
    assert gather(kept)
    for trial in (1, 2, 5):
        writer.happen("try", trial, "answered", True)
        writer.happen("again", trial, "", True)
    with_kept = told(kept, view)
    kept.execute("truncate gathered_trials")
    assert told(kept, view) == with_kept


def test_each_trial_is_kept_once(kept: duckdb.DuckDBPyConnection) -> None:
    writer = filled(kept)
    assert gather(kept)
    assert gather(kept)
    writer.happen("try", 0, "refused", True)
    assert gather(kept)
    rows = kept.execute("select count(*), count(distinct trial_key) from gathered_trials")
    assert rows.fetchall() == [(8, 8)]


def test_a_snapshot_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        migrate(connection)
        install(connection)
        connection.execute(SETTING)
        writer = filled(connection)
        gather(connection)
        writer.happen("try", 3, "answered", True)
        write_snapshot(connection, path)
        connection.execute(f"attach {literal(snapshot_file(path))} as copied")
        here = told(connection, "trial_results")
        connection.execute("use copied")
        assert told(connection, "trial_results") == here


def test_gathering_goes_on_while_rows_come() -> None:
    with database() as connection:
        writer = filled(connection)
        gathering = Gathering(connection, fewest=4)
        seen: list[int] = []
        for added in (0, 2, 2):
            gathering.added(added)
            seen += connection.execute(SEEN).fetchall()[0]
            writer.happen("try", 0, "answered", True)
    assert seen == [8, 8, 10]


def test_few_rows_are_not_worth_it(kept: duckdb.DuckDBPyConnection) -> None:
    filled(kept)
    assert not is_behind(kept)
    gather_at_rest(kept)
    assert kept.execute("select count(*) from gathered_trials").fetchall() == [(0,)]


def test_the_more_is_kept_the_rarer_it_is_done() -> None:
    assert is_due(100_000, 0)
    assert not is_due(99_999, 0)
    assert is_due(4_200_000, 4_000_000)
    assert not is_due(4_199_999, 4_000_000)


def test_a_file_without_views_keeps_nothing() -> None:
    with duckdb.connect() as connection:
        migrate(connection)
        assert not gather(connection)


def test_what_cannot_be_kept_costs_nothing_but_time() -> None:
    with database() as connection:
        filled(connection)
        connection.execute("drop table gathered_trials")
        assert not gather(connection)
        assert connection.execute("select count(*) from trials").fetchall() == [(8,)]
