"""What a sweep shows: every number whole at any width, and no escape sequence in a pipe."""

import io

import orjson

from runner.progress.display import JsonDisplay, PlainDisplay, choose
from tests.unit.runner.progress.views import PURSE, SAID, drawn, lane, view


def test_the_money_is_seen_however_many_models_there_are():
    many = [lane(model=f"compat/{number}") for number in range(60)]
    assert "left $7.16" in drawn(view(*many), 80).splitlines()[1]


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
