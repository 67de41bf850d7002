"""Known truth in, measured truth out: a sweep over a simulated model finds what was set in it."""

from pathlib import Path
from typing import Any

import pytest

from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from runner.simulator.spec.settings import Ability, ModelSettings, ReaderSettings, SimulatorSettings
from state.sharing.reading import open_for_reading
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback

HEAD = """
[sweep]
name = "truth"
seed = 7
repeats = {repeats}
[[models]]
id = "compat/reader"
base_url = "{url}"
price = {{ input = 1.0, output = 2.0 }}
context_window = 1000000
limits = {{ concurrency = 16 }}
"""


async def swept(
    simulator: Start,
    folder: Path,
    reader: ReaderSettings,
    tasks: str,
    *,
    repeats: int,
    **model: Any,
) -> Path:
    simulated = ModelSettings(reader=reader, **model)
    settings = SimulatorSettings(seed=1, models={"reader": simulated})
    running = await simulator(settings)
    text = HEAD.format(url=running.openai_url, repeats=repeats) + tasks
    config = parse(text, folder / "sweep.toml")
    db = folder / "truth.duckdb"
    display = choose(plain=True, json=False)
    end = await run_sweep(config, planned(config), db, display, RunOptions())
    assert end.exit_code == 0
    return db


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


FRONTIERS = """
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 4000, 8000, 16000, 32000]
depth = [0, 50, 100]
[[tasks]]
name = "needle_threading.threading"
size = [2000, 4000, 8000, 16000, 32000]
thread_length = [2, 5, 8]
direction = "forward"
[[tasks]]
name = "niah.magic_number"
size = [1000, 2000, 4000, 8000]
depth = [0, 50, 100]
"""


async def test_frontiers_come_out_within_one_grid_step(simulator: Start, tmp_path: Path):
    abilities = {
        "needle_threading.single_needle": Ability(frontier_chars=12_000, sharpness=8),
        # At five steps: 30,000 / 5 = 6,000 characters.
        "needle_threading.threading": Ability(frontier_chars=30_000, sharpness=8, steps_power=1.0),
        "niah.magic_number": Ability(frontier_chars=14_000, sharpness=8),
    }
    reader = ReaderSettings(abilities=abilities)
    db = await swept(simulator, tmp_path, reader, FRONTIERS, repeats=12)
    found = dict(rows(db, "select task, effective_chars from effective_context"))
    assert 8_000 <= found["needle_threading.single_needle"] <= 16_000
    assert 4_000 <= found["needle_threading.threading"] <= 8_000
    # 2,000 and 4,000 tokens of prose are around 9,000 and 19,000 characters.
    assert 8_500 <= found["niah.magic_number"] <= 20_000


VERDICTS = """
[[tasks]]
name = "flenqa.monorel"
size = 250
padding = "similar"
placement = "first"
cot = [false, true]
"""


def near(successes: float, count: int, truth: float) -> bool:
    """Within 3.3 standard errors: one in a thousand would miss, and the seed is fixed."""
    return abs(successes / count - truth) < 3.3 * (truth * (1 - truth) / count) ** 0.5


async def test_biases_and_failures_come_out_within_their_intervals(
    simulator: Start, tmp_path: Path
):
    lost = Ability(frontier_chars=1.0, sharpness=None)
    reader = ReaderSettings(
        ability=lost, false_bias=0.7, no_verdict=0.1, early_answer=0.3, skipped_fact=0.4
    )
    faults = {"refusal": 0.08, "content filter": 0.04}
    db = await swept(simulator, tmp_path, reader, VERDICTS, repeats=400, faults=faults)
    n, refused, blocked = rows(db, "select n, refused, blocked from refusals")[0]
    assert n == 800
    assert near(refused, n, 0.08)
    assert near(blocked, n, 0.04)
    for n_true, n_false, n_other in rows(db, "select n_true, n_false, n_other from false_bias"):
        verdicts = n_true + n_false
        assert near(n_other, verdicts + n_other, 0.1)
        assert near(n_false, verdicts, 0.7)
    # Replies without a verdict neither come early nor repeat a fact.
    n, early = rows(db, "select n, early from early_answers")[0]
    assert near(early, n, 0.9 * 0.3)
    n, full, coverage = rows(db, "select n, n_full, coverage from cot_coverage")[0]
    assert near(full, n, 0.9 * 0.6**2)
    assert near(coverage * 2 * n, 2 * n, 0.9 * 0.6)


CHAINS = """
[[tasks]]
name = "needlechain.mixed"
k = 10
question = "single"
"""


async def test_kinds_of_wrong_chains_come_out(simulator: Start, tmp_path: Path):
    lost = Ability(frontier_chars=1.0, sharpness=None)
    reader = ReaderSettings(ability=lost, no_marker=0.2, omission=0.25)
    db = await swept(simulator, tmp_path, reader, CHAINS, repeats=300)
    query = "select n, instruction_not_followed, needle_omission, calculation_error"
    n, unmarked, omitted, miscalculated = rows(db, f"{query} from needlechain_errors")[0]
    assert n == unmarked + omitted + miscalculated == 300
    assert near(unmarked, n, 0.2)
    assert near(omitted, n, 0.8 * 0.25)


async def test_simulated_rows_say_so(simulator: Start, tmp_path: Path):
    db = await swept(simulator, tmp_path, ReaderSettings(), CHAINS, repeats=1)
    reported = rows(db, "select distinct model_reported from completions")
    assert reported == [("reader+simulated",)]
