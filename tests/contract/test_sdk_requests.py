"""Requests equal those that the vendors' own SDKs send for the same call."""

import warnings
from collections.abc import AsyncGenerator
from typing import Any

import anthropic
import openai
import pytest
import pytest_asyncio
from google import genai
from google.genai import types

from runner.clock import SystemClock
from runner.providers.catalog import wire_format
from runner.providers.formats.gemini import API_VERSION
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http_provider import HttpProvider
from runner.vendors import VENDORS
from runner.wire import Deadlines, Request
from tasks.sample import Message, Prompt, Text
from tests.fakes.raw_server import RawServer, Seen, json_response, raw_server
from tests.unit.runner.providers.replies import oai_error

pytestmark = [pytest.mark.loopback, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

KEY = "sk-test-0123456789"
TURNS = (
    ("system", ("Be brief.",)),
    ("user", ('{"k": "v"}\n\t', "\u2028 é 日本 \U0001f600 \\ \x00 \x7f </script>")),
    ("assistant", ("It is",)),
    ("user", ("Go on.",)),
)


@pytest_asyncio.fixture
async def server() -> AsyncGenerator[RawServer]:
    async with raw_server() as running:
        # Any error will do: the request is what counts, and no SDK retries a 400.
        running.acts(json_response(oai_error("no"), status=400))
        yield running


def prompt(turns: Any = TURNS) -> Prompt:
    return Prompt(
        messages=tuple(Message(role=role, parts=tuple(map(Text, parts))) for role, parts in turns)
    )


def plain(turns: Any = TURNS) -> list[tuple[str, str]]:
    return [(role, "".join(parts)) for role, parts in turns]


async def ours(server: RawServer, wire: str, request: Request) -> Seen:
    transport = AiohttpTransport(SystemClock())
    base = server.url + ("/v1" if wire in ("openai", "compat") else "")
    provider = HttpProvider(wire, wire_format(wire), base, transport, key=KEY)
    await provider.complete(request, Deadlines(first_byte_s=20, total_s=20))
    await provider.aclose()
    return server.seen[-1]


async def by_openai(server: RawServer, request: Request, sent: dict[str, Any]) -> Seen:
    async with openai.AsyncOpenAI(
        api_key=KEY, base_url=f"{server.url}/v1", max_retries=0
    ) as client:
        more: dict[str, Any] = {}
        if request.stream:
            more = {"stream": True, "stream_options": {"include_usage": True}}
        turns: Any = [{"role": role, "content": text} for role, text in plain()]
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(
                model=request.model, messages=turns, **sent, **more
            )
    return server.seen[-1]


async def by_anthropic(server: RawServer, request: Request, sent: dict[str, Any]) -> Seen:
    async with anthropic.AsyncAnthropic(api_key=KEY, base_url=server.url, max_retries=0) as client:
        (_, system), *rest = plain()
        turns: Any = [{"role": role, "content": text} for role, text in rest]
        more: dict[str, Any] = {"stream": True} if request.stream else {}
        with pytest.raises(anthropic.BadRequestError):
            await client.messages.create(
                model=request.model, messages=turns, system=system, **sent, **more
            )
    return server.seen[-1]


async def _google_call(client: genai.Client, call: dict[str, Any], *, streaming: bool) -> None:
    if not streaming:
        await client.aio.models.generate_content(**call)
        return
    async for _ in await client.aio.models.generate_content_stream(**call):
        pass


async def by_google(server: RawServer, request: Request, sent: dict[str, Any]) -> Seen:
    options = types.HttpOptions(base_url=server.url, api_version=API_VERSION)
    client = genai.Client(api_key=KEY, http_options=options)
    (_, system), *rest = plain()
    roles = {"user": "user", "assistant": "model"}
    turns: Any = [
        types.Content(role=roles[role], parts=[types.Part(text=text)]) for role, text in rest
    ]
    config = types.GenerateContentConfig(system_instruction=system, **sent)
    call: dict[str, Any] = {"model": request.model, "contents": turns, "config": config}
    with pytest.raises(genai.errors.ClientError):
        await _google_call(client, call, streaming=request.stream)
    await client.aio.aclose()
    client.close()
    return server.seen[-1]


SDKS = {
    "openai": by_openai,
    "compat": by_openai,
    "anthropic": by_anthropic,
    "google": by_google,
}
HEADERS = {
    "openai": ("authorization", "content-type", "accept"),
    "compat": ("authorization", "content-type", "accept"),
    "anthropic": ("authorization", "x-api-key", "anthropic-version", "content-type", "accept"),
    "google": ("x-goog-api-key", "authorization", "content-type"),
}

# wire, model, our parameters, the same call in the SDK's words
CALLS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("openai", "gpt-4o-2024-08-06", {}, {}),
    (
        "openai",
        "gpt-4o-2024-08-06",
        {"temperature": 0, "top_p": 0.9, "max_tokens": 64, "seed": 7, "stop": ["\n", "END"]},
        {"temperature": 0, "top_p": 0.9, "max_tokens": 64, "seed": 7, "stop": ["\n", "END"]},
    ),
    (
        "openai",
        "gpt-5.4-mini",
        {"max_tokens": 4000, "reasoning_effort": "low", "temperature": 0, "stop": "x"},
        {"max_completion_tokens": 4000, "reasoning_effort": "low"},
    ),
    (
        "openai",
        "gpt-5.4",
        {"max_tokens": 64, "reasoning_effort": "none", "temperature": 0, "top_p": 1},
        {"max_completion_tokens": 64, "reasoning_effort": "none", "temperature": 0, "top_p": 1},
    ),
    (
        "compat",
        "llama-3.1-70b",
        {"temperature": 0.0, "max_tokens": 64, "seed": 7, "frequency_penalty": 0.1},
        {"temperature": 0.0, "max_tokens": 64, "seed": 7, "frequency_penalty": 0.1},
    ),
    ("anthropic", "claude-haiku-4-5", {"max_tokens": 64}, {"max_tokens": 64}),
    (
        "anthropic",
        "claude-sonnet-4-6",
        {"temperature": 0, "top_p": 0.9, "seed": 7, "max_tokens": 64, "stop": ["END"]},
        {"extra_body": {"temperature": 0}, "max_tokens": 64, "stop_sequences": ["END"]},
    ),
    (
        "anthropic",
        "claude-3-haiku",
        {"top_p": 0.9, "top_k": 5, "max_tokens": 64, "stop": "END"},
        {"extra_body": {"top_p": 0.9, "top_k": 5}, "max_tokens": 64, "stop_sequences": ["END"]},
    ),
    (
        "anthropic",
        "claude-opus-5-5",
        {"temperature": 0, "max_tokens": 4000, "reasoning_effort": "high"},
        {"max_tokens": 4000, "output_config": {"effort": "high"}},
    ),
    (
        "anthropic",
        "claude-opus-5-5",
        {"max_tokens": 64, "reasoning_effort": "none"},
        {"max_tokens": 64, "thinking": {"type": "disabled"}},
    ),
    (
        "anthropic",
        "claude-haiku-4-5",
        {"max_tokens": 4000, "thinking_budget": 2048},
        {"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2048}},
    ),
    (
        "google",
        "gemini-3-pro",
        {
            "temperature": 0.0,
            "top_p": 0.9,
            "top_k": 5.0,
            "max_tokens": 64,
            "seed": 7,
            "stop": ["END"],
            "reasoning_effort": "low",
        },
        {
            "temperature": 0.0,
            "top_p": 0.9,
            "top_k": 5.0,
            "max_output_tokens": 64,
            "seed": 7,
            "stop_sequences": ["END"],
            "thinking_config": types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW),
        },
    ),
    (
        "google",
        "gemini-2.5-flash",
        {"max_tokens": 64, "stop": "END", "reasoning_effort": "none", "frequency_penalty": 0.5},
        {
            "max_output_tokens": 64,
            "stop_sequences": ["END"],
            "frequency_penalty": 0.5,
            "thinking_config": types.ThinkingConfig(thinking_budget=0),
        },
    ),
    (
        "google",
        "models/gemini-2.5-pro",
        {"thinking_budget": 128, "max_tokens": None},
        {"thinking_config": types.ThinkingConfig(thinking_budget=128)},
    ),
    (
        "google",
        "gemini-2.5-flash",
        {"safety_settings": {"HARM_CATEGORY_HARASSMENT": "OFF"}, "max_tokens": None},
        {
            "safety_settings": [
                types.SafetySetting(
                    category=types.HarmCategory.HARM_CATEGORY_HARASSMENT,
                    threshold=types.HarmBlockThreshold.OFF,
                )
            ]
        },
    ),
    ("google", "gemini-3-pro", {}, {}),
]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(("wire", "model", "params", "sent"), CALLS)
async def test_request_equals_the_sdks(
    server: RawServer,
    wire: str,
    model: str,
    params: dict[str, Any],
    sent: dict[str, Any],
    streaming: bool,
):
    request = Request(model=model, prompt=prompt(), params=params, stream=streaming)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = await SDKS[wire](server, request, sent)
    mine = await ours(server, wire, request)
    assert mine.json == theirs.json
    assert mine.path == theirs.path
    for name in HEADERS[wire]:
        assert mine.headers.get(name) == theirs.headers.get(name), name
    assert KEY not in mine.path


async def test_several_system_turns_become_one(server: RawServer):
    turns = (("system", ("a",)), ("system", ("b", "c")), ("user", ("d",)))
    request = Request(model="m", prompt=prompt(turns), params={"max_tokens": 1})
    claude = (await ours(server, "anthropic", request)).json
    assert claude["system"] == "a\n\nbc"
    gemini = (await ours(server, "google", request)).json
    assert gemini["systemInstruction"]["parts"] == [{"text": "a\n\nbc"}]


async def test_cap_is_sent_where_the_api_requires_one(server: RawServer):
    request = Request(model="claude-haiku-4-5", prompt=prompt())
    assert (await ours(server, "anthropic", request)).json["max_tokens"] == 4096


def test_base_urls_are_the_sdks_own():
    assert str(openai.OpenAI(api_key=KEY).base_url).rstrip("/") == VENDORS["openai"].base_url
    assert (
        str(anthropic.Anthropic(api_key=KEY).base_url).rstrip("/") == VENDORS["anthropic"].base_url
    )
    options = genai.Client(api_key=KEY)._api_client._http_options
    assert str(options.base_url).rstrip("/") == VENDORS["google"].base_url
