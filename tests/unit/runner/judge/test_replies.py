"""A sweep and then a judge over its replies, through the real engine in virtual time."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import gettempdir

import orjson

from runner.engine.engine import SweepEnd
from runner.judge.plan import judge_plan
from runner.judge.replies import read_replies
from runner.judge.scores import make_verdicts
from runner.models.spec import resolve_all
from runner.plan.record import record_plan, sweep_row
from runner.rehearsal.inline import InlineExecutor
from runner.session.wiring import SweepParts, make_engine
from runner.wire import Deadlines, Request, Result
from state.records import AttemptRow, CellRow, Outcome, ScoreRow, SweepRow, TrialRow, judge_sweep
from tasks.judge import is_judge
from tasks.profiles import Profile, effective
from tests.fakes.memory_store import MemoryStore
from tests.fakes.sweeps import (
    ScriptedProvider,
    SweepRun,
    answered,
    failed,
    make_config,
)
from tests.fakes.virtual_loop import VirtualClock, run_virtual

CENT = 10**10
SWEEP = """
[sweep]
name = "swept"
repeats = 3
budget = "1usd"
[[models]]
id = "compat/a"
base_url = "http://127.0.0.1:9/v1"
price = { input = 1.0, output = 1.0 }
limits = { concurrency = 4 }
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = 50
[[tasks]]
name = "niah.custom"
size = 500
depth = 50
[[tasks]]
name = "needlechain.forward"
k = 5
question = "single"
"""
JUDGE = """
[sweep]
name = "swept (judge)"
{budget}
[[models]]
id = "compat/judge"
base_url = "http://127.0.0.1:8/v1"
price = {{ input = 1.0, output = 1.0 }}
limits = {{ concurrency = 2 }}
[[tasks]]
name = "needlechain.forward"
"""
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def copy_out(text: str) -> str:
    """What a good judge writes."""
    said = text.partition("<<<REPLY\n")[2].partition("\nREPLY>>>")[0]
    if "Score:" in text:
        return "7"
    found = UUID.findall(said)
    return found[-1] if found else "NONE"


class Reader(ScriptedProvider):
    """Answers what a function makes of the prompt, once its script is at an end."""

    def __init__(self, say: Callable[[str], str], script: Sequence[Result] = ()) -> None:
        super().__init__(script)
        self.say = say

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        self.otherwise = answered(self.say(request.prompt.messages[-1].text))
        otherwise = self.otherwise
        result = await super().complete(request, deadlines)
        return otherwise if result.outcome is Outcome.ANSWERED else result


def rambling(text: str) -> str:
    """The right key echoed first, a wrong value named on the way, then the value of the key."""
    key = re.search(r'Key: "([0-9a-f-]{36})"', text)
    if key is None:
        return "Under the stairs, I think, in a tin that is blue."
    value = re.search(rf'"{key[1]}": "([0-9a-f-]{{36}})"', text)
    first = UUID.search(text)
    assert value is not None
    assert first is not None
    return f"Not {first[0]}, which comes first, but {value[1]}."


def swept() -> MemoryStore:
    run = SweepRun(make_config(SWEEP), {"compat/a": Reader(rambling)})
    assert run.run().exit_code == 0
    return run.store


class JudgeRun:
    def __init__(self, store: MemoryStore, provider: ScriptedProvider, budget: str = "") -> None:
        self.store = store
        self.provider = provider
        self.config = make_config(JUDGE.format(budget=budget))
        self.model = resolve_all(self.config, 1_700_000_000_000_000)[0]
        self.plan = judge_plan(self.model, read_replies(store, Path(gettempdir())).judged)

    async def arun(self, profile: Profile = "default") -> SweepEnd:
        clock = VirtualClock()
        row = sweep_row(self.config, self.plan, clock)
        await record_plan(self.store, row, self.plan)
        progress = self.store.progress(
            [cell.cell_id for cell in self.plan.cells], frozenset(), seed=0
        )
        judged = read_replies(self.store, Path(gettempdir())).judged
        parts = SweepParts(
            store=self.store,
            clock=clock,
            executor=InlineExecutor(),
            provider_for=lambda _: self.provider,
            judge=make_verdicts(judged, self.model.id, profile, effective(profile, {}), clock),
        )
        return await make_engine(self.config, self.plan, row.sweep_id, progress, parts).run()

    def run(self) -> SweepEnd:
        return run_virtual(self.arun())


def scores_by(store: MemoryStore, scorer: str) -> list[ScoreRow]:
    return [row for row in store.of(ScoreRow) if row.scorer == scorer]


def judge_trials(store: MemoryStore) -> set[str]:
    tasks = {cell.cell_id: cell.task for cell in store.of(CellRow)}
    return {row.trial_id for row in store.of(TrialRow) if is_judge(tasks[row.cell_id])}


def test_a_judge_scores_the_trials_that_it_was_asked_about():
    store = swept()
    provider = Reader(copy_out)
    run = JudgeRun(store, provider)
    assert run.run().exit_code == 0
    assert len(provider.arrivals) == 6, "three of each judged task, none of needlechain's"
    assert [row.value for row in scores_by(store, "needle_threading")] == [0.0] * 3
    verdicts = scores_by(store, "needle_threading.judge")
    assert [(row.value, row.label) for row in verdicts] == [(1.0, "correct")] * 3
    ratings = scores_by(store, "niah.judge")
    assert [(row.value, row.label) for row in ratings] == [(6 / 9, "7")] * 3
    mine = judge_trials(store)
    for row in verdicts + ratings:
        assert row.profile == "default+judge:compat/judge"
        assert row.trial_id not in mine
        assert orjson.loads(row.detail)["judge_trial"] in mine
    assert not mine & {row.trial_id for row in store.of(ScoreRow)}


def test_judging_again_sends_only_what_is_missing():
    store = swept()
    provider = Reader(copy_out)
    JudgeRun(store, provider).run()
    JudgeRun(store, provider).run()
    assert len(provider.arrivals) == 6
    assert read_replies(store, Path(gettempdir())).others == 3
    assert len(read_replies(store, Path(gettempdir())).verdicts) == 6
    more = SweepRun(
        make_config(SWEEP.replace("repeats = 3", "repeats = 4")),
        {"compat/a": Reader(rambling)},
        store=store,
    )
    more.run()
    JudgeRun(store, provider).run()
    assert len(provider.arrivals) == 8


def test_a_non_answer_of_the_judge_leaves_the_earlier_score_alone():
    store = swept()
    before = store.of(ScoreRow).copy()
    cut_off = Result(outcome=Outcome.TRUNCATED, text="1", finish_reason="length")
    script = [cut_off, failed(Outcome.REFUSED, retry=False)]
    run = JudgeRun(store, Reader(lambda _: "I would rather not say.", script))
    assert run.run().exit_code == 0
    assert store.of(ScoreRow) == before
    outcomes = Counter(
        row.outcome for row in store.of(AttemptRow) if row.trial_id in judge_trials(store)
    )
    assert outcomes == {"answered": 4, "truncated": 1, "refused": 1}


def test_a_judge_stops_at_its_own_budget_and_goes_on_with_a_larger_one():
    store = swept()
    provider = Reader(copy_out)
    spent_before = store.committed_pusd("swept")
    end = JudgeRun(store, provider, 'budget = "0.004usd"').run()
    assert (end.exit_code, end.pending) == (3, 6 - len(provider.arrivals))
    assert 0 < len(provider.arrivals) < 6
    spent = store.committed_pusd(judge_sweep("swept"))
    assert 0 < spent <= 4 * CENT // 10
    assert store.committed_pusd("swept") == spent_before + spent, "one budget for both"
    assert JudgeRun(store, provider, 'budget = "1usd"').run().exit_code == 0
    assert len(provider.arrivals) == 6
    assert {row.name for row in store.of(SweepRow)} == {"swept", "swept (judge)"}


def test_the_money_of_a_judge_counts_when_its_sweep_goes_on():
    store = swept()
    JudgeRun(store, Reader(copy_out)).run()
    spent = store.committed_pusd("swept") / 1e12
    text = SWEEP.replace("repeats = 3", "repeats = 9").replace("1usd", f"{spent:.12f}usd")
    run = SweepRun(make_config(text), {"compat/a": Reader(rambling)}, store=store)
    assert run.run().exit_code == 3
    assert not run.providers["compat/a"].arrivals
