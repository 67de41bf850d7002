"""Replies in forms that no vendor documents and most clients read, over all formats and sockets."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import orjson
import pytest
import pytest_asyncio

from runner.clock import SystemClock
from runner.providers.catalog import wire_format
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http_provider import PAGES_IN_A_ROW, HttpProvider
from runner.wire import Deadlines, Request, Result, Usage
from state.records import Outcome
from tasks.sample import user_prompt
from tests.contract.test_providers import GOOD, MODELS, chunks
from tests.fakes.raw_server import RawServer, json_response, raw_server, response, stream
from tests.unit.runner.providers.replies import claude, gemini, oai

pytestmark = pytest.mark.loopback
LONG = Deadlines(first_byte_s=20, total_s=20)
PAGE = b"<!DOCTYPE html><html><title>Just a moment...</title></html>"

Make = Callable[..., HttpProvider]


@pytest_asyncio.fixture
async def server() -> AsyncGenerator[RawServer]:
    async with raw_server() as running:
        yield running


@pytest_asyncio.fixture
async def make(server: RawServer) -> AsyncGenerator[Make]:
    pool = AiohttpTransport(SystemClock())

    def build(wire: str) -> HttpProvider:
        base = server.url + ("/v1" if wire == "openai" else "")
        return HttpProvider(wire, wire_format(wire), base, pool)

    yield build
    await pool.aclose()


@pytest.fixture(params=["openai", "anthropic", "google"])
def wire(request: pytest.FixtureRequest) -> str:
    return request.param


def ask(wire: str, *, streaming: bool = False, **more: Any) -> Request:
    return Request(model=MODELS[wire], prompt=user_prompt("what is 6x7?"), stream=streaming, **more)


def reply(wire: str, text: str, finish: str = "stop") -> Any:
    """A whole reply with that text; `finish` in OpenAI's words."""
    if wire == "openai":
        return oai(text, finish=finish)
    if wire == "google":
        return gemini(text, finish={"stop": "STOP", "length": "MAX_TOKENS"}[finish])
    return claude(text, stop={"stop": "end_turn", "length": "max_tokens"}[finish])


def events(wire: str, texts: list[str], finish: str = "stop") -> list[bytes]:
    """The texts as a vendor streams them, in JSON that may hold halves of characters."""
    if wire == "openai":
        values: list[Any] = [{"choices": [{"delta": {"content": text}}]} for text in texts]
        values.append({"choices": [{"delta": {}, "finish_reason": finish}]})
        values.append({"choices": [], "usage": oai()["usage"]})
    elif wire == "google":
        values = [gemini(text, finish=None) for text in texts]
        values.append(gemini("", finish={"stop": "STOP", "length": "MAX_TOKENS"}[finish]))
    else:
        stop = {"stop": "end_turn", "length": "max_tokens"}[finish]
        values = [{"type": "message_start", "message": claude(None, stop=None)}]
        values += [
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
            for text in texts
        ]
        values.append({"type": "message_delta", "delta": {"stop_reason": stop}})
        values.append({"type": "message_stop"})
    return [orjson.dumps(value) for value in values]


def sse(*datas: bytes) -> bytes:
    return b"".join(b"data: " + data + b"\n\n" for data in datas)


def assert_answered(result: Result, text: str = "forty-two") -> None:
    assert result.stored_outcome == "answered", result
    assert result.text == text
    assert result.usage == Usage(input_tokens=12, output_tokens=3)


LABELS = ("application/json", "text/event-stream", "text/plain", "application/x-ndjson", "")


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("streaming", [False, True])
async def test_a_reply_is_read_under_any_label(
    wire: str, streaming: bool, label: str, make: Make, server: RawServer
):
    lines = [part.partition(b"data: ")[2].strip() for part in chunks(wire)]
    bodies = (
        orjson.dumps(GOOD[wire]),
        b"\xef\xbb\xbf \n" + orjson.dumps(GOOD[wire]),
        b"".join(chunks(wire)),
        b"\xef\xbb\xbf: comment\n\n" + b"".join(chunks(wire)),
        b"\n".join(lines) + b"\n",
        sse(orjson.dumps(GOOD[wire])),
        b"[" + b",".join(line for line in lines if line[:1] == b"{") + b"]",
    )
    for body in bodies:
        server.acts(response(body, headers={"content-type": label}))
        assert_answered(await make(wire).complete(ask(wire, streaming=streaming), LONG))
    assert len(server.seen) == len(bodies)


@pytest.mark.parametrize("streaming", [False, True])
async def test_halves_of_characters_are_put_together_or_replaced(
    wire: str, streaming: bool, make: Make, server: RawServer
):
    if streaming:
        for halves in (
            (b"\\ud83d", b"\\ude00"),
            (b"\xf0\x9f", b"\x98\x80"),
            (b"\\ud83d", b"\\udca9"),
        ):
            parts = events(wire, ["42 HALF1", "HALF2"])
            body = sse(
                *(p.replace(b"HALF1", halves[0]).replace(b"HALF2", halves[1]) for p in parts)
            )
            server.acts(response(body, headers={"content-type": "text/event-stream"}))
            text = (await make(wire).complete(ask(wire, streaming=True), LONG)).text
            assert text in ("42 \U0001f600", "42 \U0001f4a9")
    for half in (b"\\ud83d", b"\\ude00", b"\xf0\x9f", b"\xff"):
        body = orjson.dumps(reply(wire, "42 HALF")).replace(b"HALF", half)
        server.acts(response(sse(body) if streaming else body))
        result = await make(wire).complete(ask(wire, streaming=streaming), LONG)
        assert result.outcome is Outcome.ANSWERED
        assert result.text.rstrip("\ufffd") == "42 "
        result.text.encode()


async def test_what_most_readers_accept_is_read(wire: str, make: Make, server: RawServer):
    good = orjson.dumps(GOOD[wire])
    for field in (
        b'"x":NaN,',
        b'"x":[Infinity,-Infinity],',
        b'"x":1e999,',
        b'"x":' + b"9" * 10_000 + b",",
        b'"x":"a\tb\x01",',
        b'"x":' + b"[" * 900 + b"]" * 900 + b",",
        b'"error":{"message":"","type":"","param":"","code":null},',
    ):
        server.acts(response(b"{" + field + good[1:]))
        assert_answered(await make(wire).complete(ask(wire), LONG))


async def test_no_depth_or_size_of_a_body_is_a_crash(wire: str, make: Make, server: RawServer):
    good = orjson.dumps(GOOD[wire])
    for body in (
        b"{" + b'"x":' + b"[" * 100_000 + b"]" * 100_000 + b"," + good[1:],
        b"[" * 100_000,
        b'{"error":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"error":' * 900 + b'"x"' + b"}" * 900,
    ):
        for streaming in (False, True):
            server.acts(response(sse(body) if streaming else body))
            result = await make(wire).complete(ask(wire, streaming=streaming), LONG)
            assert result.outcome in (Outcome.MALFORMED, Outcome.TRANSIENT, Outcome.ANSWERED)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    "case",
    [
        (["<thi", "nk>\nmaybe 17\n</th", "ink>\n\n", "42"], "stop", "answered", "42"),
        (["maybe 17\n", "</think>\n\n42"], "stop", "answered", "42"),
        (["<think>\nmaybe 17"], "length", "truncated_reasoning", ""),
        (["<think>\nmaybe 17", "</think>\n\n"], "stop", "empty:reasoning_only", ""),
    ],
)
async def test_reasoning_in_the_text_is_reasoning(
    wire: str, streaming: bool, case: tuple[list[str], str, str, str], make: Make, server: RawServer
):
    parts, finish, stored, text = case
    whole = orjson.dumps(reply(wire, "".join(parts), finish))
    body = sse(*events(wire, parts, finish)) if streaming else whole
    server.acts(response(body))
    provider = make(wire)
    result = await provider.complete(ask(wire, streaming=streaming), LONG)
    assert (result.stored_outcome, result.text) == (stored, text)
    assert "maybe 17" in (result.reasoning_text or "")
    plain = await provider.complete(ask(wire, streaming=streaming, inline_reasoning=False), LONG)
    assert plain.text == "".join(parts)
    assert plain.reasoning_text is None


async def test_a_model_that_never_opens_its_tag_is_known_by_its_first_whole_reply(
    make: Make, server: RawServer
):
    bodies = ("hm</think>42", "hm 17 or")
    server.acts(
        *(json_response(oai(b, finish=f)) for b, f in zip(bodies, ("stop", "length"), strict=True))
    )
    provider = make("openai")
    assert (await provider.complete(ask("openai"), LONG)).text == "42"
    cut = await provider.complete(ask("openai"), LONG)
    assert (cut.stored_outcome, cut.reasoning_text) == ("truncated_reasoning", "hm 17 or")


def choice(**said: str) -> dict[str, Any]:
    return {"choices": [{name: {"content": text} for name, text in said.items()}]}


async def test_a_message_where_a_delta_was_due_is_read_once(make: Make, server: RawServer):
    first, last = "forty-", "forty-two"
    usage = {"choices": [], "usage": oai()["usage"]}
    end = {"choices": [{"finish_reason": "stop"}]}
    for values in (
        [oai()],
        [choice(message=first), choice(message="two"), end, usage],
        [choice(message=first), choice(message=last), end, usage],
        [choice(delta=first), choice(delta="two"), oai()],
        [{"choices": [{"text": first}]}, {"choices": [{"text": "two"}]}, end, usage],
        [{"choices": [{"delta": {"content": [{"type": "text", "text": last}]}}]}, end, usage],
    ):
        server.acts(stream(sse(*map(orjson.dumps, values), b"[DONE]")))
        assert_answered(await make("openai").complete(ask("openai", streaming=True), LONG))


@pytest.mark.parametrize("finish", [None, "", "null", {}])
async def test_a_done_stream_without_a_finish_word_is_an_answer_and_marked(
    finish: Any, make: Make, server: RawServer
):
    values = [{"choices": [{"delta": {"content": "42"}, "finish_reason": finish}]}]
    for end, stored in (((b"[DONE]",), "answered:no_finish_reason"), ((), "transient:cut_stream")):
        server.acts(stream(sse(*map(orjson.dumps, values), *end)))
        result = await make("openai").complete(ask("openai", streaming=True), LONG)
        assert result.stored_outcome == stored


@pytest.mark.parametrize("place", ["choice", "delta", "x_groq"])
async def test_a_bill_in_another_place_of_a_stream_is_found(
    place: str, make: Make, server: RawServer
):
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 30,
        "total_tokens": 930,
        "cached_tokens": 800,
    }
    choice: dict[str, Any] = {"delta": {}, "finish_reason": "stop"}
    last: dict[str, Any] = {"choices": [choice]}
    {"choice": choice, "delta": choice["delta"], "x_groq": last.setdefault("x_groq", {})}[
        place
    ].update({"usage": usage})
    first = {"choices": [{"delta": {"content": "42"}}]}
    server.acts(stream(sse(orjson.dumps(first), orjson.dumps(last), b"[DONE]")))
    result = await make("openai").complete(ask("openai", streaming=True), LONG)
    assert result.usage == Usage(input_tokens=100, cache_read_tokens=800, output_tokens=30)


@pytest.mark.parametrize("count", [10**9, 50_000_000, -1, True, 12.0, "12"])
async def test_a_bill_that_cannot_be_is_unknown(
    wire: str, count: Any, make: Make, server: RawServer
):
    body = reply(wire, "42")
    usage = body["usageMetadata" if wire == "google" else "usage"]
    usage.pop("totalTokenCount", None)
    for name in list(usage):
        for streaming in (False, True):
            changed = orjson.loads(orjson.dumps(body))
            changed["usageMetadata" if wire == "google" else "usage"][name] = count
            data = orjson.dumps(changed)
            server.acts(response(sse(data) if streaming else data))
            result = await make(wire).complete(ask(wire, streaming=streaming), LONG)
            assert result.outcome is Outcome.ANSWERED
            assert result.usage is None
            assert result.maybe_billed


async def test_one_challenge_page_is_chance_and_several_in_a_row_stop_the_account(
    wire: str, make: Make, server: RawServer
):
    page = response(PAGE, status=403, headers={"content-type": "text/html"})
    server.acts(page, json_response(GOOD[wire]), *[page] * PAGES_IN_A_ROW)
    provider = make(wire)
    outcomes = [
        (await provider.complete(ask(wire), LONG)).stored_outcome for _ in range(2 + PAGES_IN_A_ROW)
    ]
    assert outcomes[:2] == ["transient:forbidden_page", "answered"]
    assert set(outcomes[2:-1]) == {"transient:forbidden_page"}
    assert outcomes[-1] == "bad_key:forbidden"


async def test_a_refused_prompt_is_no_matter_of_the_key(wire: str, make: Make, server: RawServer):
    refusal = {"code": "permission-denied", "error": "Content violates usage guidelines. "}
    server.acts(json_response(refusal, status=403))
    provider = make(wire)
    for _ in range(PAGES_IN_A_ROW + 1):
        result = await provider.complete(ask(wire), LONG)
        assert result.stored_outcome == "blocked_input:content_filter"


async def test_a_header_may_be_long_and_a_redirect_says_where(make: Make, server: RawServer):
    server.acts(json_response(oai(), headers={"x-policy": "x" * 60_000}))
    assert_answered(await make("openai").complete(ask("openai"), LONG))
    server.acts(response(b"", status=308, headers={"location": "https://h/v1/chat?key=secret"}))
    error = (await make("openai").complete(ask("openai"), LONG)).error or ""
    assert "https://h/v1/chat" in error
    assert "secret" not in error


async def test_a_wait_of_nothing_is_no_wait_that_was_asked_for(make: Make, server: RawServer):
    for headers in ({"retry-after": "0"}, {"retry-after-ms": "0"}):
        server.acts(json_response({"error": "slow down"}, status=429, headers=headers))
        result = await make("openai").complete(ask("openai"), LONG)
        assert result.retry.retry_after_s is None


async def test_the_same_fault_has_the_same_fingerprint_whatever_ids_are_in_it(
    make: Make, server: RawServer
):
    told = [
        "Bad request (request id: Ab12XyZkQ) at 2026-12-01T00:00:01Z",
        "Bad request (request id: QwertYuio) at 2026-12-01T00:10:07Z",
    ]
    server.acts(*(json_response({"error": words}, status=400) for words in told))
    provider = make("openai")
    prints = {(await provider.complete(ask("openai"), LONG)).fingerprint for _ in told}
    assert len(prints) == 1
