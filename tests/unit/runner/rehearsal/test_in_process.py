"""The simulator reached without a socket, by the real provider code, in virtual time."""

import asyncio
from typing import Any

import pytest

from runner.providers.catalog import wire_format
from runner.providers.http_provider import HttpProvider
from runner.rehearsal.in_process import SimulatorTransport
from runner.simulator.core import Simulator
from runner.simulator.spec.settings import SimulatorSettings
from runner.simulator.timeline import Timeline
from runner.wire import Deadlines, Request, Result, RetryKind
from state.records import Outcome
from tasks.sample import user_prompt
from tests.fakes.simulator import make_settings
from tests.fakes.virtual_loop import VirtualClock, run_virtual

URLS = {
    "openai": "http://simulated/v1",
    "compat": "http://simulated/v1",
    "anthropic": "http://simulated",
    "google": "http://simulated",
}
DEADLINES = Deadlines(first_byte_s=60, total_s=600)


def ask(
    settings: SimulatorSettings, provider: str, *, stream: bool = False, times: int = 1
) -> tuple[list[Result], Simulator, float]:
    async def main() -> tuple[list[Result], Simulator, float]:
        simulator = Simulator(settings, Timeline(VirtualClock()))
        transport = SimulatorTransport(simulator)
        asked = HttpProvider(provider, wire_format(provider), URLS[provider], transport, key="k")
        request = Request(
            model="m", prompt=user_prompt("hello"), params={"max_tokens": 50}, stream=stream
        )
        results = [await asked.complete(request, DEADLINES) for _ in range(times)]
        await asked.aclose()
        return results, simulator, asyncio.get_running_loop().time()

    return run_virtual(main())


def one(provider: str, script: str, *, stream: bool = False, **model: Any) -> Result:
    settings = make_settings(script=[script], **model)
    results, simulator, _ = ask(settings, provider, stream=stream)
    assert simulator.log.in_flight == 0
    return results[0]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("provider", URLS)
def test_a_reply_takes_its_time(provider: str, stream: bool):
    latency = {"first_token_s": 2.0, "per_token_s": 1.0}
    settings = make_settings(reply="one two three four", latency=latency)
    results, simulator, passed_s = ask(settings, provider, stream=stream)
    result, entry = results[0], simulator.log.entries[0]
    assert (result.outcome, result.text) == (Outcome.ANSWERED, "one two three four")
    assert result.usage is not None
    assert result.usage.total_input == entry.tally.total_input
    assert result.usage.total_output == entry.tally.total_output
    whole_s = 2.0 + entry.tally.total_output
    assert passed_s == pytest.approx(whole_s)
    assert result.first_byte_s == pytest.approx(2.0 if stream else whole_s)


OUTCOMES = {
    "429 retry-after=7": Outcome.RATE_LIMITED,
    "529": Outcome.OVERLOADED,
    "503": Outcome.OVERLOADED,
    "overloaded in 500": Outcome.OVERLOADED,
    "500": Outcome.TRANSIENT,
    "502 html": Outcome.TRANSIENT,
    "504": Outcome.TRANSIENT,
    "408": Outcome.TRANSIENT,
    "409": Outcome.TRANSIENT,
    "reset": Outcome.TRANSIENT,
    "cut length": Outcome.TRANSIENT,
    "cut chunked": Outcome.TRANSIENT,
    "stall": Outcome.TIMEOUT,
    "stall body": Outcome.TIMEOUT,
    "bad key": Outcome.BAD_KEY,
    "no credit": Outcome.OUT_OF_CREDIT,
    "daily limit": Outcome.DAILY_LIMIT,
    "over context": Outcome.OVER_CONTEXT,
    "400": Outcome.INVALID_REQUEST,
    "blocked input": Outcome.BLOCKED_INPUT,
    "refusal": Outcome.REFUSED,
    "empty": Outcome.EMPTY,
    "truncated": Outcome.TRUNCATED,
    "truncated reasoning": Outcome.TRUNCATED_REASONING,
}
NOT_THE_SAME_EVERYWHERE = {
    # Anthropic has one wording for both, and it speaks of the output.
    ("anthropic", "blocked input"): Outcome.BLOCKED_OUTPUT,
    # Gemini knows no refusal but its safety filters.
    ("google", "refusal"): Outcome.BLOCKED_OUTPUT,
}


@pytest.mark.parametrize("script", OUTCOMES)
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_each_fault_has_the_outcome_it_is_meant_to_have(provider: str, script: str):
    expected = NOT_THE_SAME_EVERYWHERE.get((provider, script), OUTCOMES[script])
    result = one(provider, script, reply="a reply of several words")
    assert result.outcome == expected, (result.error, result.reason)
    assert result.text == "" or expected in {
        Outcome.TRUNCATED,
        Outcome.REFUSED,
        Outcome.BLOCKED_OUTPUT,
    }


@pytest.mark.parametrize("script", ["bad json", "wrong shape", "cut gzip", "error in 200"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_what_is_no_reply_is_asked_for_again(provider: str, script: str):
    result = one(provider, script, reply="a reply of several words")
    assert result.outcome in {Outcome.TRANSIENT, Outcome.MALFORMED}
    assert result.retry.kind is not RetryKind.NO


@pytest.mark.parametrize("script", ["sse error", "sse cut", "stall body", "cut chunked"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_a_broken_stream_is_no_answer(provider: str, script: str):
    result = one(provider, script, stream=True, reply="a reply of several words")
    assert result.outcome in {Outcome.TRANSIENT, Outcome.OVERLOADED, Outcome.TIMEOUT}


def test_retry_after_reaches_the_decision():
    assert one("openai", "429 retry-after=7").retry.retry_after_s == 7
    assert one("anthropic", "429 retry-after=7").retry.retry_after_s == 7


def test_a_deadline_passes_in_the_simulators_time():
    settings = make_settings(script=["stall"])
    results, _, passed_s = ask(settings, "openai")
    assert results[0].outcome is Outcome.TIMEOUT
    assert results[0].maybe_billed
    assert passed_s == pytest.approx(DEADLINES.first_byte_s)
