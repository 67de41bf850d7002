"""Whatever happens to a reply on its way, one answer is stored in the end and attempts tell why."""

from pathlib import Path

import pytest

import runner.engine.retry
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from runner.simulator.spec.faults import InjectedFault, parse_fault
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from state.sharing.reading import open_for_reading
from tests.fakes.simulated_sweeps import one_model, simulate
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback
FAULTS = [
    "reset",
    "cut length",
    "cut chunked",
    "cut gzip",
    "bad json",
    "wrong shape",
    "close after",
    "502 html",
    "error in 200",
    "overloaded in 500",
    "529",
    "sse error",
    "sse cut",
    "no usage",
    "wrong usage form=negative",
    "wrong usage form=text",
]
CONFIG = """
[sweep]
repeats = {repeats}
[[models]]
id = "{provider}/a"
base_url = "{url}"
api_key_env = "NO_SUCH_KEY"
price = {{ input = 1.0, output = 2.0 }}
params = {{ max_tokens = 50 }}
stream = {stream}
limits = {{ concurrency = 1 }}
[[tasks]]
name = "needle_threading.single_needle"
size = 1000
depth = 50
"""


@pytest.fixture
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.engine.retry, "backoff_s", lambda policy, used: 0.0)


@pytest.mark.usefixtures("_quick_retries")
@pytest.mark.parametrize("stream", ["false", "true"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
async def test_one_answer_each_in_the_end(
    simulator: Start, tmp_path: Path, provider: str, stream: str
):
    """Every fault once, over real sockets, in every wire format, streamed and whole.

    One call at a time, so that each run hands the same faults to the same trials: a trial that
    meets the same unreadable reply twice is not asked a third time.
    """
    script: list[InjectedFault] = [parse_fault(fault) for fault in FAULTS]
    model = ModelSettings(reply="OK", script=tuple(script))
    running = await simulator(SimulatorSettings(models={"a": model}))
    url = running.openai_url if provider == "openai" else running.origin
    text = CONFIG.format(provider=provider, url=url, stream=stream, repeats=len(FAULTS))
    config = parse(text, tmp_path / "sweep.toml")
    db = tmp_path / "x.duckdb"
    options = RunOptions(environ={"NO_SUCH_KEY": "k" * 20})
    end = await run_sweep(config, planned(config), db, choose(plain=True, json=False), options)
    assert end.exit_code == 0
    with open_for_reading(db) as reader:
        run = reader.connection.execute
        outcomes = dict(
            run(
                "select split_part(outcome, ':', 1), count(*) from attempts group by all"
            ).fetchall()
        )
        stored = run("select count(*), count(distinct trial_id) from completions").fetchall()
        silent = run("select count(*) from attempts where not final and error is null").fetchall()
        unknown = run(
            "select count(*) from attempts where outcome = 'answered' and cost_pusd is null"
            " and maybe_billed"
        ).fetchall()
    assert outcomes["answered"] == len(FAULTS)
    assert sum(outcomes.values()) == running.simulator.log.bill().requests
    assert stored == [(len(FAULTS), len(FAULTS))]
    assert silent == [(0,)], "an attempt that is repeated says why"
    assert unknown[0][0] == 3, "missing and nonsensical usage is unknown, and never nothing"


def test_a_hung_reply_ends_at_our_own_deadline_and_is_asked_again():
    config = one_model("limits = { concurrency = 2 }", repeats=4)
    done = simulate(config, script=["stall", "stall body"])
    assert done.end.exit_code == 0
    assert done.outcomes["answered"] == 4
    assert sum(n for outcome, n in done.outcomes.items() if outcome.startswith("timeout")) == 2
