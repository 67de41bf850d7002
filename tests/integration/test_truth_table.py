"""What one reply costs, to the last pico-dollar: from a socket to the tables and out of a view."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from runner.commands.sweeps.dry_run import forecast_of
from runner.commands.sweeps.sweep import run_config
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import parse
from runner.engine.engine import SweepEnd
from runner.errors import UsageError
from runner.forecast.printed import text_of
from runner.progress.display import choose
from runner.session.run import RunOptions, run_sweep
from state.sharing.reading import open_for_reading
from tests.fakes.raw_server import RawServer, json_response, raw_server, reset, stream

pytestmark = pytest.mark.loopback
PRICE = "price = { input = 1.25, cache_read = 0.625, output = 10.0 }"
CONFIG = """
[sweep]
name = "truth"
repeats = {repeats}
{budget}
[[models]]
id = "{provider}/a-model"
base_url = "{url}"
api_key_env = "A_KEY"
params = {{ max_tokens = 2000 }}
stream = {stream}
limits = {{ concurrency = 1 }}
{price}
[[tasks]]
name = "needle_threading.single_needle"
size = 1000
depth = 50
"""
TRUTH_PUSD = 184_918_125_000
"""262,960 tokens in, 257,955 of them from the cache, 1,744 out."""
OPENAI_USAGE = {
    "prompt_tokens": 262_960,
    "prompt_tokens_details": {"cached_tokens": 257_955},
    "completion_tokens": 1744,
    "completion_tokens_details": {"reasoning_tokens": 1000},
    "total_tokens": 264_704,
}
ANTHROPIC_USAGE = {
    "input_tokens": 5005,
    "cache_read_input_tokens": 257_955,
    "cache_creation_input_tokens": 0,
    "output_tokens": 1744,
}
GEMINI_USAGE = {
    "promptTokenCount": 262_960,
    "cachedContentTokenCount": 257_955,
    "candidatesTokenCount": 744,
    "thoughtsTokenCount": 1000,
    "totalTokenCount": 264_704,
}


def openai_reply(usage: Any = OPENAI_USAGE) -> dict[str, Any]:
    message = {"role": "assistant", "content": "OK"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "model": "m", "choices": [choice]} | (
        {} if usage is None else {"usage": usage}
    )


def anthropic_reply() -> dict[str, Any]:
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "OK"}],
        "stop_reason": "end_turn",
        "usage": ANTHROPIC_USAGE,
    }


def gemini_reply() -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": "OK"}]}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": GEMINI_USAGE,
        "modelVersion": "m",
    }


def openai_stream() -> list[bytes]:
    chunk = (
        b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,'
        b'"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\n'
    )
    usage = (
        b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[],"usage":'
        b'{"prompt_tokens":262960,"prompt_tokens_details":{"cached_tokens":257955},'
        b'"completion_tokens":1744}}\n\n'
    )
    return [chunk, usage, b"data: [DONE]\n\n"]


def anthropic_stream() -> list[bytes]:
    """Input is told at the start, output at the end, as that format does."""
    return [
        b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message",'
        b'"role":"assistant","model":"m","content":[],"usage":{"input_tokens":5005,'
        b'"cache_read_input_tokens":257955,"cache_creation_input_tokens":0,"output_tokens":1}}}\n\n',
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"text","text":""}}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"OK"}}\n\n',
        b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},'
        b'"usage":{"output_tokens":1744}}\n\n',
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ]


def gemini_stream() -> list[bytes]:
    """Counts grow from piece to piece; the last stand."""
    return [
        b'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"O"}]}}],'
        b'"usageMetadata":{"promptTokenCount":262960,"cachedContentTokenCount":257955}}\n\n',
        b'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"K"}]},'
        b'"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":262960,'
        b'"cachedContentTokenCount":257955,"candidatesTokenCount":744,'
        b'"thoughtsTokenCount":1000}}\n\n',
    ]


WHOLE = {"openai": openai_reply, "anthropic": anthropic_reply, "google": gemini_reply}
STREAMED = {"openai": openai_stream, "anthropic": anthropic_stream, "google": gemini_stream}


@pytest_asyncio.fixture
async def server() -> AsyncGenerator[RawServer]:
    async with raw_server() as running:
        yield running


async def swept(server: RawServer, folder: Path, **values: Any) -> SweepEnd:
    given = {"provider": "openai", "repeats": 1, "budget": "", "stream": "false", "price": PRICE}
    given |= values
    url = server.url + ("/v1" if given["provider"] in ("openai", "compat") else "")
    config = parse(CONFIG.format(url=url, **given), folder / "sweep.toml")
    display = choose(plain=True, json=False)
    options = RunOptions(environ={"A_KEY": "k" * 20})
    return await run_sweep(config, planned(config), folder / "x.duckdb", display, options)


def rows(folder: Path, query: str) -> list[Any]:
    with open_for_reading(folder / "x.duckdb") as reader:
        return reader.connection.execute(query).fetchall()


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
async def test_one_bill_in_three_spellings(
    server: RawServer, tmp_path: Path, provider: str, streamed: bool
):
    server.acts(stream(*STREAMED[provider]()) if streamed else json_response(WHOLE[provider]()))
    end = await swept(server, tmp_path, provider=provider, stream=str(streamed).lower())
    assert end.exit_code == 0
    query = (
        "select input_tokens, cache_read_tokens, coalesce(cache_write_tokens, 0),"
        " output_tokens + coalesce(reasoning_tokens, 0), cost_pusd, maybe_billed from attempts"
    )
    assert rows(tmp_path, query) == [(5005, 257_955, 0, 1744, TRUTH_PUSD, False)]
    shown = rows(tmp_path, "select round(cost_usd, 12) from trial_results")
    assert shown == [(0.184918125,)]
    spent = rows(tmp_path, "select round(settled, 12), maybe_billed from spend")
    assert spent == [(0.184918125, 0)]


async def test_a_model_without_a_price_costs_an_unknown_amount_and_not_nothing(
    server: RawServer, tmp_path: Path
):
    server.acts(json_response(openai_reply()))
    end = await swept(server, tmp_path, provider="compat", price="")
    assert end.exit_code == 0
    query = "select outcome, input_tokens, cost_pusd from attempts"
    assert rows(tmp_path, query) == [("answered", 5005, None)]


async def test_calls_without_a_price_are_said_when_a_budget_comes_later(
    server: RawServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    server.acts(json_response(openai_reply()))
    await swept(server, tmp_path, provider="compat", price="")
    assert "without a price" not in capsys.readouterr().out
    later = {"provider": "compat", "repeats": 2, "budget": 'budget = "1usd"'}
    said = "1 earlier calls were made without a price: what they cost is unknown"
    for sent, repeats in ((1, 2), (0, 2)):
        server.acts(*[json_response(openai_reply())] * sent)
        end = await swept(server, tmp_path, **{**later, "repeats": repeats})
        assert end.exit_code == 0
        assert said in capsys.readouterr().out
    text = CONFIG.format(**later, url=f"{server.url}/v1", stream="false", price=PRICE)
    config = parse(text, tmp_path / "sweep.toml")
    assert said in text_of(forecast_of(config, planned(config), tmp_path / "x.duckdb"))
    free = parse(text.replace('budget = "1usd"', ""), tmp_path / "sweep.toml")
    assert said not in text_of(forecast_of(free, planned(free), tmp_path / "x.duckdb"))


async def test_a_free_model_costs_nothing_and_says_so(server: RawServer, tmp_path: Path):
    server.acts(json_response(openai_reply()))
    end = await swept(
        server, tmp_path, provider="compat", price="price = 0", budget='budget = "1usd"'
    )
    assert end.exit_code == 0
    assert rows(tmp_path, "select cost_pusd, maybe_billed from attempts") == [(0, False)]


async def test_usage_that_is_missing_leaves_the_cost_unknown_and_the_hold_in_place(
    server: RawServer, tmp_path: Path
):
    server.acts(json_response(openai_reply(usage=None)))
    end = await swept(server, tmp_path, budget='budget = "1usd"')
    assert end.exit_code == 0
    query = (
        "select a.cost_pusd, a.maybe_billed, r.reserved_pusd > 0"
        " from attempts a join reservations r using (attempt_id)"
    )
    assert rows(tmp_path, query) == [(None, True, True)]
    assert rows(tmp_path, "select committed > 0 from spend") == [(True,)]


def test_a_budget_without_a_price_is_refused_before_anything_is_sent(tmp_path: Path):
    async def asked() -> int:
        async with raw_server() as server:
            server.acts(json_response(openai_reply()))
            text = CONFIG.format(
                url=f"{server.url}/v1",
                provider="compat",
                repeats=1,
                budget='budget = "1usd"',
                stream="false",
                price="",
            )
            config = parse(text, tmp_path / "sweep.toml")
            with pytest.raises(UsageError, match=r"compat/a-model.*price"):
                await asyncio.to_thread(run_config, config, tmp_path / "x.duckdb", plain=True)
            return len(server.seen)

    assert asyncio.run(asked()) == 0
    assert not (tmp_path / "x.duckdb").exists()


async def test_a_pooled_connection_that_was_closed_meanwhile_is_made_again_at_once(
    server: RawServer, tmp_path: Path
):
    """No answer is lost or paid twice; the first request only asks who listens."""
    good = json_response(openai_reply())
    server.acts(good, good, reset, good, reset, good)
    end = await swept(server, tmp_path, repeats=3)
    assert end.exit_code == 0
    query = "select outcome, count(*), bool_or(final) from attempts group by all order by all"
    assert rows(tmp_path, query) == [
        ("answered", 3, True),
        ("transient:stale_connection", 2, False),
    ]
    assert rows(tmp_path, "select count(*), count(distinct trial_id) from completions") == [(3, 3)]
