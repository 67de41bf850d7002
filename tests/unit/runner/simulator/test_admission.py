import pytest

from tests.fakes.simulator import make_settings, make_simulator
from tests.unit.runner.simulator.requests import DIALECTS, ask, body_of


def test_slots_are_free_again_when_a_reply_has_ended():
    simulator, _ = make_simulator(make_settings(limits={"concurrency": 1}))
    first = ask(simulator, finish=False)
    assert ask(simulator).status == 429
    simulator.finish(first.entry)
    assert ask(simulator).status == 200
    assert simulator.log.in_flight == 0
    assert simulator.log.max_in_flight == 2


WINDOW_WORDS = {
    "openai": "maximum context length is 50 tokens",
    "anthropic": "prompt is too long",
    "gemini": "exceeds the maximum number of tokens allowed (50)",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_over_context(dialect: str):
    simulator, _ = make_simulator(make_settings(context_window=50))
    refused = ask(simulator, dialect, "long words " * 100)
    assert refused.status == 400
    assert WINDOW_WORDS[dialect] in body_of(refused)["error"]["message"]
    assert simulator.log.bill().billed == 0
    assert ask(simulator, dialect, "short", max_tokens=10).status == 200


def test_anthropic_keeps_room_for_the_reply():
    simulator, _ = make_simulator(make_settings(context_window=50))
    message = body_of(ask(simulator, "anthropic", "short", max_tokens=100))["error"]["message"]
    assert "exceed context limit" in message
