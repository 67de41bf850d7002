"""Counts are what the events add up to."""

from runner.engine.observers.counts import LaneStats
from runner.engine.observers.events import (
    Ended,
    LaneEnded,
    OutageBegun,
    OutageOver,
    Sent,
    Skipped,
    Waits,
)
from runner.progress.states import LaneEnd, Wait
from state.records import AttemptRow, Outcome
from tests.fakes.rows import attempt
from tests.fakes.sweeps import ScriptedProvider, SweepRun, failed, limited, simple_config


def test_each_event_counts_once():
    stats = LaneStats(model="m", planned=5, done_before=1)
    row = attempt(outcome="answered")
    stats.take(Sent("m", row.attempt_id, 3.0))
    assert stats.flying == {row.attempt_id: 3.0}
    stats.take(Ended("m", row, Outcome.ANSWERED, False, 10, 2))
    stats.take(Skipped("m", attempt(outcome="over_context"), Outcome.OVER_CONTEXT))
    stats.take(Waits("m", Wait.BUDGET, begun=True))
    assert (stats.flying, stats.left, stats.input_tokens, stats.output_tokens) == ({}, 2, 10, 2)
    assert stats.waiting[Wait.BUDGET] == 1
    assert stats.final_errors == {"over_context": 1}
    stats.take(Waits("m", Wait.BUDGET, begun=False))
    stats.take(OutageBegun("m", "gone"))
    assert stats.message == "gone"
    stats.take(OutageOver("m", "back"))
    assert stats.message == ""
    stats.take(LaneEnded("m", LaneEnd.PARKED, "for hours"))
    assert (stats.waiting[Wait.BUDGET], stats.ended, stats.message) == (0, "parked", "for hours")


def test_counts_agree_with_the_stored_rows():
    provider = ScriptedProvider([failed(Outcome.TRANSIENT), limited(1.0), limited(2.0)])
    run = SweepRun(simple_config(), {"compat/a": provider})
    lane = run.run().view.lanes[0]
    rows = run.store.of(AttemptRow)
    assert lane.done == sum(row.final for row in rows) == 10
    assert lane.rate_limited == sum(row.outcome == "rate_limited" for row in rows) == 2
    assert lane.spent_usd * 10**12 == sum(row.cost_pusd or 0 for row in rows)
    assert lane.errors == {"transient": 1, "rate_limited": 2}
    assert (lane.in_flight, lane.backing_off, lane.ended) == (0, 0, LaneEnd.DONE)
