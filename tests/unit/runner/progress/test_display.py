"""What a sweep shows: every number whole at any width, and no escape sequence in a pipe."""

import io
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from runner.progress.display import JsonDisplay, LiveDisplay, PlainDisplay, choose
from runner.progress.states import LaneEnd, RunState, Wait
from runner.progress.view import LaneView, SweepView

BUSY: dict[str, Any] = {
    "model": "anthropic/claude-sonnet-4-5",
    "planned": 12_000,
    "done": 4_321,
    "in_flight": 64,
    "oldest_s": 71.0,
    "waiting": Wait.LIMITER,
    "waiting_s": 0.0,
    "backing_off": 3,
    "rate_limited": 17,
    "errors": {"transient": 5, "overloaded": 12, "empty": 2, "refused": 1},
    "tokens_per_s": 12_345.0,
    "per_s": 2.0,
    "spent_usd": 12.34,
    "eta_s": 3_840.0,
    "ended": None,
    "message": "",
}
SAID = ["4,321/12,000", "64", "1m11s", "12.3k", "$12.34", "17", "1h04m", "rate limit, backoff 3"]
"""All of it, in words."""
PURSE = ["$20.00", "$12.34", "$0.5000", "$7.16"]


def lane(**changes: Any) -> LaneView:
    return LaneView(**{**BUSY, **changes})


def view(*lanes: LaneView, **changes: Any) -> SweepView:
    given: dict[str, Any] = {
        "name": "test",
        "elapsed_s": 65.0,
        "lanes": lanes or (lane(), lane(model="compat/a", errors={}, waiting=None, backing_off=0)),
        "budget_usd": 20.0,
        "spent_usd": 12.34,
        "held_usd": 0.5,
        "state": RunState.RUNNING,
    }
    return SweepView(**{**given, **changes})


def drawn(shown: SweepView, width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    console.print(LiveDisplay(console).render(shown))
    return out.getvalue()


@settings(max_examples=20, deadline=None)
@given(width=st.integers(80, 260))
def test_no_number_is_cut_at_any_width(width: int):
    text = " ".join(drawn(view(), width).split())
    for said in [*SAID, *PURSE, "anthropic/claude-sonnet-4-5", "compat/a", "running"]:
        assert said in text
    assert all(len(line) <= width for line in drawn(view(), width).splitlines())


@pytest.mark.parametrize(("width", "lines"), [(80, 3), (200, 1)])
def test_a_lane_takes_one_line_where_that_fits(width: int, lines: int):
    one = len(drawn(view(lane()), width).splitlines())
    two = len(drawn(view(lane(), lane()), width).splitlines())
    assert two - one == lines


def test_the_money_is_seen_however_many_models_there_are():
    many = [lane(model=f"compat/{number}") for number in range(60)]
    assert "left $7.16" in drawn(view(*many), 80).splitlines()[1]


def test_all_outcomes_are_named_where_there_is_room():
    for width in (80, 220):
        text = " ".join(drawn(view(), width).split())
        assert "overloaded 12 transient 5 empty 2" in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"waiting": Wait.RETRY_AFTER, "waiting_s": 20.0}, "told to wait 20s, backoff 3"),
        ({"waiting": Wait.BACKOFF}, "backoff 3"),
        ({"waiting": Wait.BUDGET, "backing_off": 0}, "budget"),
        ({"waiting": None, "backing_off": 0}, "running"),
        ({"ended": LaneEnd.PARKED}, "parked"),
    ],
)
def test_what_a_lane_waits_for_is_said(changes: dict[str, Any], words: str):
    for width in (80, 200):
        assert words in drawn(view(lane(**changes)), width)


def test_plain_lines_say_the_same_without_escapes():
    out = io.StringIO()
    with PlainDisplay(out) as display:
        display.show(view())
        display.show(view(elapsed_s=66.0))
        display.show(view(elapsed_s=71.0))
    lines = out.getvalue().splitlines()
    assert len(lines) == 6, "every five seconds, a line for each model and one for the money"
    for said in [*SAID, "overloaded 12 transient 5 empty 2 refused 1"]:
        assert said in lines[0]
    assert all(said in lines[2] for said in PURSE)
    assert "\x1b" not in out.getvalue()


def test_without_a_budget_what_is_held_is_still_said():
    assert "spent $12.34, held $0.5000, no budget set" in drawn(view(budget_usd=None), 80)


def test_programs_get_one_object_a_line():
    out = io.StringIO()
    with JsonDisplay(out) as display:
        display.show(view())
        display.say("hello")
    first, second = map(orjson.loads, out.getvalue().splitlines())
    assert first["models"]["compat/a"]["in_flight"] == 64
    assert second == {"event": "message", "text": "hello"}


def test_a_pipe_and_a_plain_terminal_get_plain_lines():
    assert isinstance(choose(plain=False, json=False, stream=io.StringIO()), PlainDisplay)
    assert isinstance(choose(plain=False, json=True, stream=io.StringIO()), JsonDisplay)
