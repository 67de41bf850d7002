"""The vendors' own clients take the simulator for their server."""

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors as google_errors
from google.genai import types

from runner.simulator.spec.settings import SimulatorSettings
from tests.fakes.simulator import Start

pytestmark = [
    pytest.mark.loopback,
    # The Google client does this to itself at every start.
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),
]
USER = "Tell me something."
LONG = "One two three four five six seven."


def openai_client(url: str, key: str = "any") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0)


def anthropic_client(url: str) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=url, api_key="any", max_retries=0)


def google_client(url: str) -> genai.Client:
    options = types.HttpOptions(base_url=url)
    return genai.Client(api_key="any", http_options=options)


async def test_openai(simulator: Start):
    running = await simulator(reply=LONG, reasoning={"tokens": 7})
    async with openai_client(running.openai_url) as client:
        reply = await client.chat.completions.create(
            model="gpt-x", messages=[{"role": "user", "content": USER}], max_completion_tokens=50
        )
    entry = running.simulator.log.entries[0]
    assert reply.choices[0].message.content == LONG
    assert reply.choices[0].finish_reason == "stop"
    assert reply.model == "gpt-x+simulated"
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == entry.tally.total_input
    assert reply.usage.completion_tokens == entry.tally.total_output
    assert reply.usage.completion_tokens_details is not None
    assert reply.usage.completion_tokens_details.reasoning_tokens == 7
    assert entry.prompt_chars == len(USER)
    assert entry.max_tokens == 50


async def test_openai_stream(simulator: Start):
    running = await simulator(reply=LONG)
    async with openai_client(running.openai_url) as client:
        stream = await client.chat.completions.create(
            model="gpt-x",
            messages=[{"role": "user", "content": USER}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == LONG
    assert chunks[-1].usage is not None
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"


@pytest.mark.parametrize(
    ("script", "error", "code"),
    [
        ("429", openai.RateLimitError, "rate_limit_exceeded"),
        ("no credit", openai.RateLimitError, "insufficient_quota"),
        ("bad key", openai.AuthenticationError, "invalid_api_key"),
        ("over context", openai.BadRequestError, "context_length_exceeded"),
        ("unsupported", openai.BadRequestError, "unsupported_parameter"),
        ("404", openai.NotFoundError, "model_not_found"),
        ("500", openai.InternalServerError, None),
        ("502 html", openai.InternalServerError, None),
        ("409", openai.ConflictError, None),
    ],
)
async def test_openai_errors(simulator: Start, script: str, error: type, code: str | None):
    running = await simulator(script=[script])
    async with openai_client(running.openai_url) as client:
        with pytest.raises(error) as caught:
            await client.chat.completions.create(
                model="gpt-x", messages=[{"role": "user", "content": USER}]
            )
    assert caught.value.code == code
    assert running.simulator.log.bill().billed == 0


async def test_openai_refusal(simulator: Start):
    running = await simulator(script=["refusal", "content filter"])
    async with openai_client(running.openai_url) as client:
        for expected in ("refusal", "filter"):
            reply = await client.chat.completions.create(
                model="gpt-x", messages=[{"role": "user", "content": USER}]
            )
            if expected == "refusal":
                assert reply.choices[0].message.refusal
                assert reply.choices[0].message.content is None
            else:
                assert reply.choices[0].finish_reason == "content_filter"


async def test_openai_models(simulator: Start):
    settings = SimulatorSettings.model_validate(
        {"models": {"gpt-x": {"context_window": 1000}, "anthropic/claude-x": {}}}
    )
    running = await simulator(settings)
    async with openai_client(running.openai_url) as client:
        assert [model.id async for model in client.models.list()] == ["gpt-x"]
        assert (await client.models.retrieve("gpt-x")).id == "gpt-x"
    async with anthropic_client(running.origin) as client:
        listed = {model.id async for model in client.models.list()}
    assert listed == {"gpt-x", "claude-x"}


async def test_anthropic(simulator: Start):
    cache = {"min_tokens": 128, "writes": True, "explicit": True}
    running = await simulator(reply=LONG, cache=cache)
    async with anthropic_client(running.origin) as client:
        replies = [
            await client.messages.create(
                model="claude-x",
                max_tokens=99,
                system=[
                    {
                        "type": "text",
                        "text": "Be brief. " * 1000,
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
                messages=[{"role": "user", "content": USER}],
            )
            for _ in range(2)
        ]
    first, second = replies
    assert first.content[0].type == "text"
    assert first.content[0].text == LONG
    assert first.stop_reason == "end_turn"
    assert first.usage.cache_creation_input_tokens
    assert not first.usage.cache_read_input_tokens
    assert second.usage.cache_read_input_tokens
    total = first.usage.input_tokens + first.usage.cache_creation_input_tokens
    assert total == running.simulator.log.entries[0].tally.total_input


async def test_anthropic_stream(simulator: Start):
    running = await simulator(reply=LONG, reasoning={"tokens": 5, "visible": True})
    async with (
        anthropic_client(running.origin) as client,
        client.messages.stream(
            model="claude-x", max_tokens=99, messages=[{"role": "user", "content": USER}]
        ) as stream,
    ):
        message = await stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert message.content[-1].type == "text"
    assert message.content[-1].text == LONG
    tally = running.simulator.log.entries[0].tally
    assert message.usage.output_tokens == tally.total_output
    assert message.usage.input_tokens == tally.input


@pytest.mark.parametrize(
    ("script", "error", "kind"),
    [
        ("429", anthropic.RateLimitError, "rate_limit_error"),
        ("529", anthropic.APIStatusError, "overloaded_error"),
        ("bad key", anthropic.AuthenticationError, "authentication_error"),
        ("over context", anthropic.BadRequestError, "invalid_request_error"),
        ("413", anthropic.APIStatusError, "request_too_large"),
    ],
)
async def test_anthropic_errors(simulator: Start, script: str, error: type, kind: str):
    running = await simulator(script=[script])
    async with anthropic_client(running.origin) as client:
        with pytest.raises(error) as caught:
            await client.messages.create(
                model="claude-x", max_tokens=9, messages=[{"role": "user", "content": USER}]
            )
    assert caught.value.body["error"]["type"] == kind


async def test_anthropic_counts_tokens(simulator: Start):
    running = await simulator()
    async with anthropic_client(running.origin) as client:
        counted = await client.messages.count_tokens(
            model="claude-x", messages=[{"role": "user", "content": USER * 100}]
        )
    assert 300 < counted.input_tokens < 600


async def test_gemini(simulator: Start):
    running = await simulator(reply=LONG, reasoning={"tokens": 5})
    client = google_client(running.origin)
    config = types.GenerateContentConfig(max_output_tokens=50, system_instruction="Be brief.")
    async with client.aio as aio:
        reply = await aio.models.generate_content(model="gem-x", contents=USER, config=config)
    assert reply.text == LONG
    usage, tally = reply.usage_metadata, running.simulator.log.entries[0].tally
    assert usage is not None
    assert usage.thoughts_token_count == 5
    assert usage.candidates_token_count == tally.output
    assert usage.prompt_token_count == tally.total_input
    assert reply.model_version == "gem-x+simulated"
    assert running.simulator.log.entries[0].max_tokens == 50


async def test_gemini_stream(simulator: Start):
    running = await simulator(reply=LONG)
    async with google_client(running.origin).aio as aio:
        stream = await aio.models.generate_content_stream(model="gem-x", contents=USER)
        chunks = [chunk async for chunk in stream]
    assert "".join(chunk.text or "" for chunk in chunks) == LONG
    assert chunks[-1].candidates
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP
    assert chunks[-1].usage_metadata is not None


@pytest.mark.parametrize(
    ("script", "code", "status"),
    [
        ("429", 429, "RESOURCE_EXHAUSTED"),
        ("503", 503, "UNAVAILABLE"),
        ("bad key", 400, "INVALID_ARGUMENT"),
        ("404", 404, "NOT_FOUND"),
    ],
)
async def test_gemini_errors(simulator: Start, script: str, code: int, status: str):
    running = await simulator(script=[script])
    async with google_client(running.origin).aio as aio:
        with pytest.raises(google_errors.APIError) as caught:
            await aio.models.generate_content(model="gem-x", contents=USER)
    assert (caught.value.code, caught.value.status) == (code, status)


async def test_gemini_blocked_prompt(simulator: Start):
    running = await simulator(script=["blocked input", "recitation"])
    async with google_client(running.origin).aio as aio:
        blocked = await aio.models.generate_content(model="gem-x", contents=USER)
        recited = await aio.models.generate_content(model="gem-x", contents=USER)
    assert blocked.prompt_feedback is not None
    assert blocked.prompt_feedback.block_reason == types.BlockedReason.PROHIBITED_CONTENT
    assert recited.candidates
    assert recited.candidates[0].finish_reason == types.FinishReason.RECITATION


async def test_keys(simulator: Start):
    settings = SimulatorSettings.model_validate(
        {"keys": {"good": {}}, "default_model": {"reply": "OK"}}
    )
    running = await simulator(settings)
    async with openai_client(running.openai_url, key="wrong") as client:
        with pytest.raises(openai.AuthenticationError):
            await client.chat.completions.create(
                model="gpt-x", messages=[{"role": "user", "content": USER}]
            )
    async with openai_client(running.openai_url, key="good") as client:
        await client.chat.completions.create(
            model="gpt-x", messages=[{"role": "user", "content": USER}]
        )
    accepted = [entry.key_accepted for entry in running.simulator.log.entries]
    assert accepted == [False, True]
    assert "good" not in repr(running.simulator.log.entries)
