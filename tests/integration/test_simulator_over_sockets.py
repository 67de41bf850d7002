"""The simulator over real sockets and the product's own transport: time, stale connections."""

from contextlib import aclosing

import pytest

from runner.clock import SystemClock
from runner.providers.catalog import wire_format
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http_provider import HttpProvider
from runner.simulator.server import Running
from runner.simulator.spec.settings import SimulatorSettings
from runner.wire import Deadlines, Request, RetryKind
from state.records import Outcome
from tasks.sample import user_prompt
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback
REQUEST = Request(model="m", prompt=user_prompt("hello"), params={"max_tokens": 50})
STREAMED = Request(model="m", prompt=user_prompt("hello"), params={"max_tokens": 50}, stream=True)
DEADLINES = Deadlines(first_byte_s=60, total_s=60)
PROVIDERS = ("openai", "anthropic", "google")


def provider(running: Running, name: str) -> aclosing[HttpProvider]:
    url = running.openai_url if name == "openai" else running.origin
    transport = AiohttpTransport(SystemClock())
    return aclosing(HttpProvider(name, wire_format(name), url, transport, key="k"))


@pytest.mark.parametrize("request_", [REQUEST, STREAMED], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", PROVIDERS)
async def test_an_hour_of_simulated_latency_passes_in_a_second(
    simulator: Start, name: str, request_: Request
):
    model = {"reply": "one two three", "latency": {"first_token_s": 3600}}
    settings = SimulatorSettings.model_validate({"time_scale": 1e5, "default_model": model})
    running = await simulator(settings)
    async with provider(running, name) as asked:
        result = await asked.complete(request_, DEADLINES)
    assert (result.outcome, result.text) == (Outcome.ANSWERED, "one two three")
    entry = running.simulator.log.entries[0]
    assert entry.finished_s is not None
    assert entry.finished_s - entry.arrived_s >= 3600


LOST = ["reset", "cut length", "cut chunked", "cut gzip", "sse cut", "sse error"]


@pytest.mark.parametrize("name", PROVIDERS)
async def test_bad_json_in_place_of_a_reply_is_no_answer(simulator: Start, name: str):
    running = await simulator(script=["bad json"], reply="a reply of several words")
    async with provider(running, name) as asked:
        result = await asked.complete(REQUEST, DEADLINES)
    assert result.outcome in {Outcome.TRANSIENT, Outcome.MALFORMED}
    assert result.retry.kind is not RetryKind.NO


@pytest.mark.parametrize("name", PROVIDERS)
async def test_bad_json_inside_a_stream_is_no_answer(simulator: Start, name: str):
    running = await simulator(script=["bad json"], reply="a reply of several words")
    async with provider(running, name) as asked:
        result = await asked.complete(STREAMED, DEADLINES)
    assert result.outcome in {Outcome.TRANSIENT, Outcome.MALFORMED}


@pytest.mark.parametrize("script", LOST)
@pytest.mark.parametrize("request_", [REQUEST, STREAMED], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_lost_reply_is_asked_for_again_and_comes(
    simulator: Start, name: str, request_: Request, script: str
):
    running = await simulator(script=[script], reply="a reply of several words")
    async with provider(running, name) as asked:
        lost = await asked.complete(request_, DEADLINES)
        found = await asked.complete(request_, DEADLINES)
    assert lost.outcome in {Outcome.TRANSIENT, Outcome.MALFORMED, Outcome.OVERLOADED}
    assert lost.retry.kind is not RetryKind.NO
    assert (found.outcome, found.text) == (Outcome.ANSWERED, "a reply of several words")


async def test_a_connection_that_the_server_closed_unsaid(simulator: Start):
    """Whether the client notices before it sends again is a race; either end is sound."""
    running = await simulator(script=["close after", "ok"], reply="hi")
    async with provider(running, "openai") as asked:
        first = await asked.complete(REQUEST, DEADLINES)
        second = await asked.complete(REQUEST, DEADLINES)
    assert first.outcome is Outcome.ANSWERED
    if second.outcome is not Outcome.ANSWERED:
        assert second.retry.kind is RetryKind.STALE_CONNECTION
