import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.outage import (
    FIRST_WAIT_S,
    LONGEST_WAIT_S,
    OPENS_AFTER,
    Contact,
    Outage,
    contact_of,
)
from runner.progress.states import LaneEnd, Wait
from runner.wire import Result, RetryDecision, RetryKind
from state.records import AttemptRow, Outcome
from tests.fakes.sweeps import (
    GoneProvider,
    ScriptedProvider,
    SweepRun,
    answered,
    failed,
    gateway,
    limited,
    simple_config,
    unreached,
)

TRANSIENT = RetryDecision(kind=RetryKind.TRANSIENT)
STALE = RetryDecision(kind=RetryKind.STALE_CONNECTION)


@pytest.mark.parametrize(
    ("result", "contact"),
    [
        (answered(), Contact.ANSWERED),
        (failed(Outcome.INVALID_REQUEST, retry=False), Contact.ANSWERED),
        (failed(Outcome.MALFORMED), Contact.ANSWERED),
        (unreached(), Contact.UNREACHED),
        (Result(outcome=Outcome.TIMEOUT, retry=TRANSIENT), Contact.UNREACHED),
        (Result(outcome=Outcome.TIMEOUT, retry=TRANSIENT, maybe_billed=True), Contact.UNCLEAR),
        (Result(outcome=Outcome.TRANSIENT, retry=TRANSIENT, maybe_billed=True), Contact.BROKEN),
        (Result(outcome=Outcome.TRANSIENT, retry=STALE), Contact.UNCLEAR),
        (Result(outcome=Outcome.CANCELLED), Contact.UNCLEAR),
        (limited(1.0), Contact.UNCLEAR),
        *((gateway(status), Contact.BROKEN) for status in (500, 502, 503, 504, 520, 529)),
    ],
)
def test_how_far_a_call_came(result: Result, contact: Contact):
    assert contact_of(result) is contact


def failing(times: int, patience_s: float = 100.0) -> Outage:
    outage = Outage(patience_s)
    for at in range(times):
        outage.take(Contact.UNREACHED, float(at), at + 0.5)
    return outage


def test_it_opens_after_some_failures_in_a_row():
    assert not failing(OPENS_AFTER - 1).open
    outage = failing(OPENS_AFTER)
    assert outage.open
    assert outage.wait_s(OPENS_AFTER - 0.5) == FIRST_WAIT_S


def test_refusals_for_a_rate_between_failures_reset_nothing():
    outage = Outage(100.0)
    for at in range(2 * OPENS_AFTER):
        outage.take(Contact.UNCLEAR if at % 2 else Contact.BROKEN, float(at), at + 0.5)
    assert outage.open


def test_an_answer_to_a_call_sent_before_the_first_failure_resets_nothing():
    outage = failing(OPENS_AFTER - 1)
    outage.take(Contact.ANSWERED, 0.2, 9.0)
    outage.take(Contact.UNREACHED, 9.0, 9.1)
    assert outage.open


def test_an_answer_to_a_later_call_starts_the_count_anew():
    outage = failing(OPENS_AFTER - 1)
    outage.take(Contact.ANSWERED, 8.0, 9.0)
    outage.take(Contact.UNREACHED, 9.0, 9.1)
    assert not outage.open


def test_what_was_in_flight_when_it_opened_is_no_probe():
    outage = failing(OPENS_AFTER)
    outage.take(Contact.UNREACHED, OPENS_AFTER - 0.6, OPENS_AFTER - 0.4)
    assert outage.wait_s(OPENS_AFTER - 0.5) == FIRST_WAIT_S


def test_suspects_open_nothing():
    outage = Outage(100.0)
    for at in range(20):
        outage.take(Contact.BROKEN, float(at), at + 0.5, suspect=True)
    assert not outage.open


def probes(outage: Outage, now: float, until: float) -> list[float]:
    """When probes went out that all failed at once."""
    sent = list[float]()
    while now < until and not outage.is_over_patience(now):
        wait_s = outage.wait_s(now)
        assert wait_s is not None
        now += wait_s
        outage.probe()
        assert outage.wait_s(now) is None
        outage.take(Contact.UNREACHED, now, now)
        sent.append(now)
    return sent


def test_waits_grow_to_a_minute_and_patience_ends_with_a_probe():
    sent = probes(failing(OPENS_AFTER, patience_s=1800.0), OPENS_AFTER - 0.5, math.inf)
    gaps = [after - before for before, after in pairwise(sent)]
    assert gaps[:5] == [4.0, 8.0, 16.0, 32.0, 60.0]
    assert max(gaps) == LONGEST_WAIT_S
    assert sent[-1] == pytest.approx(1800.5, abs=FIRST_WAIT_S)


def test_a_refused_probe_neither_closes_nor_lengthens():
    outage = failing(OPENS_AFTER)
    outage.probe()
    outage.take(Contact.UNCLEAR, 6.0, 6.1)
    assert outage.wait_s(6.1) == FIRST_WAIT_S


def test_an_answered_probe_ends_it():
    outage = failing(OPENS_AFTER)
    outage.probe()
    outage.take(Contact.ANSWERED, 6.0, 6.1)
    assert (outage.open, outage.wait_s(6.1), outage.lasted_s(6.1)) == (False, 0.0, 0.0)


@given(steps=st.lists(st.tuples(st.sampled_from([*Contact]), st.floats(0.0, 100.0)), max_size=60))
def test_there_is_one_probe_at_a_time_and_always_a_next(steps: Sequence[tuple[Contact, float]]):
    outage, now = Outage(1000.0), 0.0
    for contact, passed_s in steps:
        wait_s = outage.wait_s(now)
        assert wait_s is not None
        assert 0.0 <= wait_s <= LONGEST_WAIT_S + 1e-6
        now += wait_s
        if outage.open:
            outage.probe()
            assert outage.wait_s(now) is None
        outage.take(contact, now, now + passed_s)
        now += passed_s


FAULTS = {
    "refused": unreached(),
    "reset": Result(outcome=Outcome.TRANSIENT, reason="reset", retry=TRANSIENT, maybe_billed=True),
    "502": gateway(502),
    "503": gateway(503),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("lasts_s", [45.0, 600.0])
def test_no_trial_ends_because_of_an_outage(fault: Result, lasts_s: float):
    provider = GoneProvider([(2.0, 2.0 + lasts_s)], fault)
    run = SweepRun(
        simple_config(repeats=400, model="limits = { concurrency = 16, rpm = 100000 }"),
        {"compat/a": provider},
    )
    end = run.run()
    assert (end.exit_code, end.pending, end.errors) == (0, 0, {})
    assert sum(row.final for row in run.store.of(AttemptRow)) == 400
    assert len(provider.arrivals) == 400
    for minute in range(11):
        since = 2.0 + 60.0 * minute
        assert sum(since <= at < since + 60 for at in provider.in_vain) < 2 * 16
    waits = {lane.waiting for view in run.views for lane in view.lanes}
    assert Wait.OUTAGE in waits
    # Not long after it is back: a probe goes out at least once a minute.
    back = 2.0 + lasts_s
    assert any(back <= at <= back + LONGEST_WAIT_S + 1 for at in provider.arrivals)


def test_an_outage_longer_than_the_patience_ends_resumably_and_monday_sends_what_is_missing():
    friday = GoneProvider([(2.0, math.inf)], unreached())
    config = simple_config(
        repeats=400, budget="5usd", model="limits = { concurrency = 16, rpm = 100000 }"
    )
    run = SweepRun(config, {"compat/a": friday})
    end = run.run()
    lane = end.view.lanes[0]
    assert (end.exit_code, lane.ended) == (4, LaneEnd.OUTAGE)
    assert "no answer for 30" in end.messages[0]
    assert end.view.held_usd == 0.0
    answered_before = len(friday.arrivals)
    assert end.pending == 400 - answered_before
    assert 1800 <= end.view.elapsed_s <= 1870
    monday = ScriptedProvider()
    again = SweepRun(config, {"compat/a": monday}, store=run.store).run()
    assert (again.exit_code, again.pending) == (0, 0)
    assert len(monday.arrivals) == 400 - answered_before


def test_patience_is_in_the_config():
    provider = GoneProvider([(0.0, math.inf)], gateway(502))
    config = simple_config(repeats=50, sweep='patience = "2min"')
    end = SweepRun(config, {"compat/a": provider}).run()
    assert (end.exit_code, end.pending) == (4, 50)
    assert 120 <= end.view.elapsed_s <= 125


def test_the_last_trial_waits_for_the_endpoint_as_well():
    provider = GoneProvider([(0.0, 600.0)], unreached())
    end = SweepRun(simple_config(repeats=1), {"compat/a": provider}).run()
    assert (end.exit_code, len(provider.arrivals)) == (0, 1)


class OneBad(ScriptedProvider):
    """Breaks at one prompt, each time, and answers all others."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: int | None = None
        self.broken = 0

    async def complete(self, request, deadlines):  # pyright: ignore
        if self.bad is None:
            self.bad = id(request.prompt)
        if id(request.prompt) == self.bad:
            self.broken += 1
            return gateway(500)
        return await super().complete(request, deadlines)


def test_a_trial_that_breaks_the_server_by_itself_uses_up_its_retries():
    provider = OneBad()
    run = SweepRun(
        simple_config(repeats=400, model="limits = { rpm = 300, concurrency = 16 }"),
        {"compat/a": provider},
    )
    end = run.run()
    assert (end.exit_code, end.pending, end.errors) == (5, 0, {"transient": 1})
    assert provider.broken == 6
    assert len(provider.arrivals) == 399
