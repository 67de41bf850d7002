"""Each fault as a client meets it on a real socket."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from runner.simulator.server import Running
from runner.simulator.spec.faults import FAULT_NAMES
from tests.fakes.simulator import Start

pytestmark = pytest.mark.loopback
TEXT = "a reply of some length " * 20
ENDS = {"openai": b'"stop"', "anthropic": b'"end_turn"', "gemini": b'"STOP"'}
DIALECTS = tuple(ENDS)


def ask(
    running: Running, dialect: str, *, stream: bool, prompt: str = "hello"
) -> tuple[str, dict[str, Any]]:
    messages = [{"role": "user", "content": prompt}]
    if dialect == "openai":
        options = {"stream": stream, "stream_options": {"include_usage": True}}
        return f"{running.openai_url}/chat/completions", {
            "model": "m",
            "messages": messages,
            **(options if stream else {}),
        }
    if dialect == "anthropic":
        body = {"model": "m", "messages": messages, "max_tokens": 500, "stream": stream}
        return f"{running.origin}/v1/messages", body
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    contents = [{"role": "user", "parts": [{"text": prompt}]}]
    return f"{running.origin}/v1beta/models/m:{method}", {"contents": contents}


@asynccontextmanager
async def posting(
    running: Running, dialect: str = "openai", *, stream: bool = False
) -> AsyncGenerator[Callable[[], Any]]:
    async with aiohttp.ClientSession() as session:
        url, body = ask(running, dialect, stream=stream)
        yield lambda: session.post(url, json=body)


async def outcome(
    running: Running, dialect: str, *, stream: bool, patience_s: float = 30
) -> tuple[int, bytes] | str:
    """Status and body, or the name of what went wrong on the way."""
    async with posting(running, dialect, stream=stream) as post:
        try:
            async with asyncio.timeout(patience_s), post() as response:
                assert response.headers["x-simulated"] == "true"
                return response.status, await response.read()
        except TimeoutError:
            return "timeout"
        except (aiohttp.ClientError, ConnectionError) as error:
            return type(error).__name__


LOST = {
    "reset": {"ClientOSError", "ServerDisconnectedError", "ConnectionResetError"},
    "cut length": {"ClientPayloadError"},
    "cut chunked": {"ClientPayloadError"},
    "stall": {"timeout"},
    "stall body": {"timeout"},
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", FAULT_NAMES)
async def test_every_fault_then_a_good_reply(
    simulator: Start, name: str, dialect: str, stream: bool
):
    running = await simulator(script=[name], reply=TEXT)
    patience_s = 0.4 if name.startswith("stall") else 30
    met = await outcome(running, dialect, stream=stream, patience_s=patience_s)
    if name in LOST:
        assert met in LOST[name]
    elif name == "sse cut" and not stream:
        assert met == "ClientPayloadError"
    else:
        assert isinstance(met, tuple), met
    good = await outcome(running, dialect, stream=stream)
    assert isinstance(good, tuple)
    assert good[0] == 200
    assert ENDS[dialect] in good[1]
    faults = [entry.fault for entry in running.simulator.log.entries]
    assert faults == [name, "ok"]
    await asyncio.sleep(0)
    assert running.simulator.log.in_flight == 0


STATUS = {"429": 429, "529": 529, "500": 500, "502 html": 502, "503": 503, "504": 504, "408": 408}


@pytest.mark.parametrize(("name", "status"), STATUS.items())
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_status_and_no_bill(simulator: Start, name: str, status: int, dialect: str):
    running = await simulator(script=[name], price={"input": 1, "output": 1})
    met = await outcome(running, dialect, stream=False)
    assert met[0] == status
    assert running.simulator.log.bill().cost_pusd == 0


@pytest.mark.parametrize("name", LOST)
async def test_lost_replies_are_billed(simulator: Start, name: str):
    price = {"input": 1, "output": 1}
    running = await simulator(script=[name, f"{name} billed=no"], price=price)
    await outcome(running, "openai", stream=False, patience_s=0.4)
    first = running.simulator.log.bill().cost_pusd
    assert first > 0
    await outcome(running, "openai", stream=False, patience_s=0.4)
    assert running.simulator.log.bill().cost_pusd == first


async def test_cut_gzip_ends_in_the_middle(simulator: Start):
    """Clients differ: some notice, some hand out what they could unpack."""
    running = await simulator(script=["cut gzip"], reply=TEXT)
    met = await outcome(running, "openai", stream=False)
    if isinstance(met, tuple):
        assert met[1].startswith(b"{")
        assert not met[1].endswith(b"}")


async def test_scripted_headers_status_and_body(simulator: Start):
    running = await simulator(
        script=["status status=418 retry-after=Wed,soon header.X-A=b body=tea"]
    )
    async with posting(running) as post, post() as response:
        assert response.status == 418
        assert response.headers["retry-after"] == "Wed,soon"
        assert response.headers["X-A"] == "b"
        assert await response.text() == "tea"


async def test_close_after_leaves_a_stale_connection(simulator: Start):
    running = await simulator(script=["close after"])
    async with posting(running) as post, post() as response:
        assert response.status == 200
        assert "connection" not in {name.lower() for name in response.headers}


async def test_stream_error_comes_after_some_text(simulator: Start):
    running = await simulator(script=["sse error"], reply=TEXT)
    met = await outcome(running, "openai", stream=True)
    assert isinstance(met, tuple)
    status, body = met
    assert status == 200
    assert body.index(b'"content":"a rep') < body.index(b'"error"')
    assert b"[DONE]" not in body


async def test_scripts_by_prompt_and_for_each_prompt(simulator: Start):
    scripts = [
        {"steps": ["429"], "when": "alpha"},
        {"steps": ["503"], "per": "prompt"},
    ]
    running = await simulator(scripts=scripts)
    statuses: list[int] = []
    async with aiohttp.ClientSession() as session:
        for prompt in ("alpha", "beta", "beta", "alpha", "alpha"):
            url, body = ask(running, "openai", stream=False, prompt=prompt)
            async with session.post(url, json=body) as response:
                statuses.append(response.status)
    assert statuses == [429, 503, 200, 503, 200]
