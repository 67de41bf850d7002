"""`runner rescore --judge` against simulated servers: the command, the file and what is shown."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from queries.checks import checks
from runner.commands.results import show
from runner.commands.sweeps import judge, rescore
from runner.commands.sweeps.rescore_flags import RescoreFlags
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.errors import UsageError
from runner.judge.prepare import JudgeRequest, prepare
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from state.sharing.reading import open_for_reading
from state.store import StoreError
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback

SWEEP = """
[sweep]
name = "swept"
repeats = 2
budget = "1usd"
[[models]]
id = "compat/writer"
base_url = "{url}"
price = {{ input = 1.0, output = 1.0 }}
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = [0, 100]
[[tasks]]
name = "niah.custom"
size = 500
depth = 50
[[tasks]]
name = "niah.magic_number"
size = 500
depth = 50
"""
JUDGES = """
[[models]]
id = "compat/rater"
base_url = "{url}"
price = {{ input = 1.0, output = 1.0 }}
[[models]]
id = "compat/copyist"
base_url = "{url}"
price = 0
[[models]]
id = "compat/unpriced"
base_url = "{url}"
"""
SAID = "I could not find it. Perhaps in a blue tin?"


@pytest.fixture
async def swept(simulator: Start, tmp_path: Path) -> Path:
    replies = {"writer": SAID, "rater": "Score: 7", "copyist": "NONE", "unpriced": "1"}
    models = {name: ModelSettings(reply=reply) for name, reply in replies.items()}
    running = await simulator(SimulatorSettings(models=models, strict_models=True))
    (tmp_path / "judges.toml").write_text(JUDGES.format(url=running.openai_url))
    config = parse(SWEEP.format(url=running.openai_url), tmp_path / "sweep.toml")
    db = tmp_path / "swept.duckdb"
    display = choose(plain=True, json=False)
    assert (await run_sweep(config, planned(config), db, display, RunOptions())).exit_code == 0
    return db


def flags(db: Path, model: str, **changes: Any) -> RescoreFlags:
    given = {"judge": model, "config": db.parent / "judges.toml", "plain": True, **changes}
    return RescoreFlags(**given)


async def judged(db: Path, model: str, **changes: Any) -> int:
    """The command as users run it: it makes a loop of its own, so it has a thread of its own."""
    return await asyncio.to_thread(judge.run, db, model, flags(db, model, **changes))


async def rescored(db: Path, **changes: Any) -> int:
    return await asyncio.to_thread(rescore.run, db, RescoreFlags(**changes))


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


SHOWN = "select task, scorer, label, count(*) from trial_results group by all order by all"
UNMOVED = (
    "select model from accuracy_by_size",
    "select model from latency",
    "select model from tokenization",
    "select model from refusals",
    "select model_b from cmp_models union select model_a from cmp_models",
    "select model from answer_histogram",
    "select model from trial_results",
)
"""Views about benchmarks; a judge is in none of them."""


async def test_ratings_are_shown_and_nothing_else_changes(swept: Path, capsys: Any):
    others = "from cell_accuracy where task <> 'niah.custom' order by all"
    before = rows(swept, others)
    assert await judged(swept, "compat/rater") == 0
    said = capsys.readouterr().out
    assert "2 replies of exactly scored tasks are left as they are" in said
    assert "2 of 6 replies have a score under default+judge:compat/rater" in said
    assert rows(swept, SHOWN) == [
        ("needle_threading.single_needle", "needle_threading", "no_answer", 4),
        ("niah.custom", "niah.judge", "7", 2),
        ("niah.magic_number", "niah", "not_parsable", 2),
    ]
    assert rows(swept, others) == before
    (rating,) = rows(swept, "select score from niah_scores where task = 'niah.custom'")
    assert rating[0] == pytest.approx(7)
    query = "select distinct task from outcomes where model = 'compat/rater' order by all"
    assert rows(swept, query) == [("judge.rating",), ("judge.reformat",)]
    assert rows(swept, "select attempts from spend where model = 'compat/rater'") == [(6,)]
    assert rows(swept, "select model, n_planned from progress") == [("compat/writer", 8)]
    for query in UNMOVED:
        assert "compat/rater" not in {row[0] for row in rows(swept, query)}
    with open_for_reading(swept) as reader:
        assert checks(reader.connection) == []
    query = "select detail ->> '$.judge_trial' from scores where scorer = 'niah.judge'"
    capsys.readouterr()
    show.run(rows(swept, query)[0][0], swept)
    said = capsys.readouterr().out
    assert "judge.rating" in said
    assert f"<<<REPLY\n{SAID}\nREPLY>>>" in said
    assert "Score: 7" in said


async def test_each_score_stays_and_the_newest_is_shown(swept: Path, capsys: Any):
    assert await judged(swept, "compat/copyist") == 0
    newest = "select distinct scorer from trial_results where task like 'needle_threading.%'"
    assert rows(swept, newest) == [("needle_threading.judge",)]
    trial = "select trial_id from trial_results where task like 'needle_threading.%'"
    capsys.readouterr()
    show.run(rows(swept, trial)[0][0], swept)
    said = capsys.readouterr().out
    assert "\nscore 0 (no_answer)  needle_threading.judge v1, profile default+judge:comp" in said
    assert "\nearlier score 0 (no_answer)  needle_threading v2, profile default" in said
    assert await rescored(swept) == 0
    assert rows(swept, newest) == [("needle_threading",)]
    calls = rows(swept, "select count(*) from attempts")
    assert await judged(swept, "compat/copyist", profile="official") == 0
    assert rows(swept, "select count(*) from attempts") == calls, "stored verdicts need no call"
    assert rows(swept, newest) == [("needle_threading.judge",)]
    assert rows(swept, "select profile, count(*) from scores group by all order by all") == [
        ("default", 16),
        ("default+judge:compat/copyist", 4),
        ("official+judge:compat/copyist", 4),
    ]


async def test_money_is_capped_by_the_flag_or_by_what_the_sweep_left(swept: Path):
    assert await judged(swept, "compat/rater", budget="0.0001usd") == 3
    sent = "select count(*) from attempts join trials using (trial_id) join cells using (cell_id) "
    sent += "where task like 'judge.%'"
    assert rows(swept, sent) == [(0,)]
    assert await judged(swept, "compat/rater", budget="0.01usd") == 0
    assert rows(swept, sent) == [(6,)]
    budgets = rows(swept, "select budget_pusd from sweeps where name = 'swept (judge)'")
    assert budgets == [(10**8,), (10**10,)]
    (spent,) = rows(swept, "select committed from spend where model = 'compat/writer'")
    asked = JudgeRequest(model="compat/rater", config=swept.parent / "judges.toml")
    ready = await prepare(swept, asked)
    assert ready.config.budget_pusd == 10**12 - round(spent[0] * 1e12)


async def test_what_is_wrong_is_said_before_anything_is_sent(swept: Path):
    calls = rows(swept, "select count(*) from attempts")
    with pytest.raises(UsageError, match=r"compat/unpriced.*price is unknown"):
        await judged(swept, "compat/unpriced")
    with pytest.raises(UsageError, match=r"--budget"):
        await judged(swept, "compat/rater", budget="1")
    with pytest.raises(UsageError, match="--retry-outcomes"):
        await judged(swept, "compat/rater", retry_outcomes="nonsense")
    with pytest.raises(UsageError, match=r"--budget does not apply to .* it is for --judge"):
        await rescored(swept, budget="1usd")
    with pytest.raises(StoreError, match="no such file"):
        await judged(swept.with_name("other.duckdb"), "compat/rater")
    assert rows(swept, "select count(*) from attempts") == calls
    assert await judged(swept, "compat/writer", config=None) == 0, "the swept model is known"
    query = "select params ->> '$.temperature' from cells where task = 'judge.rating'"
    assert rows(swept, query)[0] == ("0",)
