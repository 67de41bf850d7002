"""What every provider owes the engine, over all wire formats and real sockets."""

import asyncio
import contextlib
import gzip
import socket
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio
from yarl import URL

from runner.clock import SystemClock
from runner.errors import UsageError
from runner.providers.catalog import wire_format
from runner.providers.http.transport import AiohttpTransport, Outgoing
from runner.providers.http.way_out import environment_proxy
from runner.providers.http_provider import HttpProvider
from runner.wire import Deadlines, Request, Result, RetryKind, Usage
from state.records import Outcome
from tasks.sample import Text, user_prompt
from tests.fakes.own_authority import AUTHORITY_HASH, make_authority, server_context
from tests.fakes.raw_server import (
    Act,
    RawServer,
    hang,
    hang_up,
    head,
    json_response,
    raw,
    raw_server,
    reset,
    response,
    stream,
)
from tests.fakes.self_signed import self_signed_context
from tests.unit.runner.providers.replies import claude, gemini, oai, oai_error

pytestmark = pytest.mark.loopback

KEY = "sk-canary-0123456789abcdef-secret"
LONG = Deadlines(first_byte_s=20, total_s=20)
MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-6", "google": "gemini-3-pro"}
GOOD = {"openai": oai(), "anthropic": claude(), "google": gemini()}

Make = Callable[..., HttpProvider]


@pytest_asyncio.fixture
async def server() -> AsyncGenerator[RawServer]:
    async with raw_server() as running:
        yield running


@pytest_asyncio.fixture
async def make(server: RawServer) -> AsyncGenerator[Make]:
    opened: list[AiohttpTransport] = []

    def build(wire: str, url: str | None = None, **options: Any) -> HttpProvider:
        pool = AiohttpTransport(SystemClock(), **options)
        opened.append(pool)
        base = (url or server.url) + ("/v1" if wire == "openai" else "")
        return HttpProvider(wire, wire_format(wire), base, pool, key=KEY)

    yield build
    for pool in opened:
        await pool.aclose()


@pytest.fixture(params=["openai", "anthropic", "google"])
def wire(request: pytest.FixtureRequest) -> str:
    return request.param


def ask(wire: str, *, streaming: bool = False, **params: Any) -> Request:
    return Request(
        model=MODELS[wire],
        prompt=user_prompt("what is ", Text('"6x7"\n?'), system="be brief"),
        params={"max_tokens": 64, **params},
        stream=streaming,
    )


def chunks(wire: str) -> list[bytes]:
    """The good reply as each vendor streams it."""
    if wire == "openai":
        values: list[Any] = [
            {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant"}}]},
            {"choices": [{"index": 0, "delta": {"content": "forty-"}}]},
            {"choices": [{"index": 0, "delta": {"content": "two"}, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": oai()["usage"]},
        ]
        return [b"data: " + orjson.dumps(value) + b"\n\n" for value in values] + [
            b"data: [DONE]\n\n"
        ]
    if wire == "google":
        values = [gemini("forty-", finish=None), gemini("two")]
        return [b"data: " + orjson.dumps(value) + b"\r\n\r\n" for value in values]
    start = claude(None, stop=None, usage=(12, 1))
    values = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "forty-"}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "two"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]
    return [
        f"event: {value['type']}\ndata: ".encode() + orjson.dumps(value) + b"\n\n"
        for value in values
    ]


def assert_answered(result: Result) -> None:
    assert result.stored_outcome == "answered", result
    assert result.text == "forty-two"
    assert result.usage == Usage(input_tokens=12, output_tokens=3)
    assert not result.maybe_billed
    assert result.first_byte_s is not None


async def test_reply_is_read(wire: str, make: Make, server: RawServer):
    server.acts(json_response(GOOD[wire], headers={"x-request-id": "req_7"}))
    result = await make(wire).complete(ask(wire), LONG)
    assert_answered(result)
    assert result.request_id == "req_7"


async def test_streamed_reply_is_read_wherever_it_is_cut(wire: str, make: Make, server: RawServer):
    whole = b"".join(chunks(wire))
    pieces = [whole[start : start + 7] for start in range(0, len(whole), 7)]
    server.acts(stream(*pieces), stream(whole), stream(*chunks(wire)))
    provider = make(wire)
    for _ in range(3):
        assert_answered(await provider.complete(ask(wire, streaming=True), LONG))
    assert server.connections == 1


async def test_answer_to_a_stream_that_is_no_stream_is_read(
    wire: str, make: Make, server: RawServer
):
    server.acts(json_response(GOOD[wire]))
    assert_answered(await make(wire).complete(ask(wire, streaming=True), LONG))


async def test_connection_is_used_again(wire: str, make: Make, server: RawServer):
    server.acts(json_response(GOOD[wire]))
    provider = make(wire)
    for _ in range(5):
        assert_answered(await provider.complete(ask(wire), LONG))
    assert server.connections == 1


async def test_compressed_reply_is_read(wire: str, make: Make, server: RawServer):
    packed = gzip.compress(orjson.dumps(GOOD[wire]))
    server.acts(response(packed, headers={"content-encoding": "gzip"}))
    assert_answered(await make(wire).complete(ask(wire), LONG))


def faults(server: RawServer, wire: str) -> list[tuple[str, Act]]:
    good = orjson.dumps(GOOD[wire])
    packed = gzip.compress(good)
    chunk = b"%x\r\n" % len(good)
    zipped = {"content-encoding": "gzip", "transfer-encoding": "chunked"}
    cut_zip = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed) // 2, packed[: len(packed) // 2])
    chunked = {"transfer-encoding": "chunked"}
    return [
        ("transient:reset", reset),
        ("transient:reset", hang_up),
        ("transient:cut_body", raw(head(200, {"content-length": "9999"}) + good)),
        ("transient:cut_body", raw(head(200, chunked) + chunk + good[:20])),
        ("transient:bad_http", raw(head(200, chunked) + chunk + good + b"\r\nzz\r\n\r\n")),
        ("malformed:bad_json", raw(head(200, zipped) + cut_zip)),
        (
            "transient:cut_body",
            response(b"not gzip at all", headers={"content-encoding": "gzip"}),
        ),
        ("transient:bad_http", raw(b"220 mail.example.org ESMTP\r\n\r\n")),
        ("malformed:bad_json", response(good[:-9])),
    ]


async def test_broken_replies_are_repeated_and_maybe_billed(
    wire: str, make: Make, server: RawServer
):
    for stored, act in faults(server, wire):
        server.acts(act)
        result = await make(wire).complete(ask(wire), LONG)
        assert result.stored_outcome == stored, result
        assert result.retry.kind is RetryKind.TRANSIENT
        assert result.maybe_billed
        assert result.error
        assert result.text == ""
        assert result.usage is None


async def test_a_complete_error_answer_is_repeated_and_free(
    wire: str, make: Make, server: RawServer
):
    for stored, act in (
        ("transient:http_502", response(b"<html>502 Bad Gateway</html>", status=502)),
        ("transient:error_in_200", json_response({"error": {"message": "upstream broke"}})),
    ):
        server.acts(act)
        result = await make(wire).complete(ask(wire), LONG)
        assert result.stored_outcome == stored, result
        assert (result.retry.kind, result.maybe_billed) == (RetryKind.TRANSIENT, False)
        assert result.error


async def test_stale_pooled_connection_is_told_from_a_reset(
    wire: str, make: Make, server: RawServer
):
    for broken in (reset, hang_up):
        server.acts(json_response(GOOD[wire]), broken, json_response(GOOD[wire]))
        provider = make(wire)
        assert_answered(await provider.complete(ask(wire), LONG))
        result = await provider.complete(ask(wire), LONG)
        assert result.stored_outcome == "transient:stale_connection"
        assert result.retry.kind is RetryKind.STALE_CONNECTION
        assert_answered(await provider.complete(ask(wire), LONG))


STREAM_ERRORS = {
    "openai": b'data: {"error": {"message": "The server is overloaded", "code": 503}}\n\n',
    "anthropic": b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error",'
    b' "message": "Overloaded"}}\n\n',
    "google": b'data: {"error": {"code": 503, "status": "UNAVAILABLE", "message": "busy"}}\n\n',
}


async def test_error_event_after_a_200_is_an_error(wire: str, make: Make, server: RawServer):
    server.acts(stream(*chunks(wire)[:1], STREAM_ERRORS[wire]))
    result = await make(wire).complete(ask(wire, streaming=True), LONG)
    assert result.outcome is Outcome.OVERLOADED
    assert result.maybe_billed
    assert result.text == ""
    assert result.http_status == 200


async def test_error_event_without_json_is_an_error(wire: str, make: Make, server: RawServer):
    server.acts(stream(b"event: error\ndata: oops\n\n"))
    result = await make(wire).complete(ask(wire, streaming=True), LONG)
    assert result.stored_outcome == "transient:error_in_200"


async def test_stream_that_breaks_off_is_no_answer(wire: str, make: Make, server: RawServer):
    for whole in (True, False):
        server.acts(stream(*chunks(wire)[:1], whole=whole))
        result = await make(wire).complete(ask(wire, streaming=True), LONG)
        assert result.outcome is Outcome.TRANSIENT
        assert result.reason in ("cut_stream", "cut_body")
        assert result.maybe_billed


async def test_stream_that_breaks_off_after_its_end_is_an_answer(
    wire: str, make: Make, server: RawServer
):
    server.acts(
        stream(*chunks(wire)[:-1], whole=False)
        if wire != "google"
        else stream(*chunks(wire), whole=False)
    )
    assert_answered(await make(wire).complete(ask(wire, streaming=True), LONG))


async def test_stream_that_stays_open_after_its_end_is_an_answer(
    make: Make, server: RawServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runner.providers.http.transport.DRAIN_S", 0.01)
    sent = head(200, {"content-type": "text/event-stream"}) + b"".join(chunks("openai"))
    server.acts(hang(server, sent))
    assert_answered(await make("openai").complete(ask("openai", streaming=True), LONG))


async def test_streamed_reasoning_and_refusal_are_kept_apart(make: Make, server: RawServer):
    deltas = ({"reasoning_content": "hm"}, {"refusal": "I can't."}, {"content": None})
    events: list[Any] = [{"choices": [{"delta": delta}]} for delta in deltas]
    events.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    server.acts(stream(*(b"data: " + orjson.dumps(event) + b"\n\n" for event in events)))
    result = await make("openai").complete(ask("openai", streaming=True), LONG)
    assert result.outcome is Outcome.REFUSED
    assert (result.text, result.reasoning_text) == ("I can't.", "hm")


async def test_error_inside_a_streamed_choice_is_an_error(make: Make, server: RawServer):
    event = {"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 502}}]}
    server.acts(stream(b"data: " + orjson.dumps(event) + b"\n\n"))
    result = await make("openai").complete(ask("openai", streaming=True), LONG)
    assert result.stored_outcome == "transient:http_502"


async def test_streamed_block_of_the_prompt_is_no_cut(make: Make, server: RawServer):
    event = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}}
    server.acts(stream(b"data: " + orjson.dumps(event) + b"\n\n"))
    result = await make("google").complete(ask("google", streaming=True), LONG)
    assert result.stored_outcome == "blocked_input:safety"


@pytest.mark.parametrize(
    ("first", "total", "sent", "stored"),
    [
        (0.05, 20, b"", "timeout:first_byte"),
        (20, 0.05, b"", "timeout:total"),
        (20, 0.05, head(200, {"content-length": "999"}) + b"{", "timeout:total"),
        (20, 0.05, head(200, {"content-type": "text/event-stream"}) + b"data: 1", "timeout:total"),
        (0.05, 20, head(200, {"content-type": "text/event-stream"}), "timeout:first_byte"),
    ],
)
async def test_deadlines_are_ours(
    make: Make, server: RawServer, first: float, total: float, sent: bytes, stored: str
):
    server.acts(hang(server, sent))
    deadlines = Deadlines(first_byte_s=first, total_s=total)
    result = await make("openai").complete(ask("openai", streaming=True), deadlines)
    assert result.stored_outcome == stored
    assert result.maybe_billed
    assert result.http_status == (200 if sent else None)


async def test_cancellation_passes_through(make: Make, server: RawServer):
    server.acts(hang(server))
    provider = make("openai")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(provider.complete(ask("openai"), LONG))
        await server.arrived.wait()
        task.cancel()
    assert task.cancelled()


@pytest.mark.parametrize("streaming", [False, True])
async def test_call_that_is_given_up_hangs_up(make: Make, streaming: bool):
    gone, arrived = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if streaming:
            writer.write(head(200, {"content-type": "text/event-stream"}) + b"data: 1")
        arrived.set()
        with contextlib.suppress(ConnectionError):
            while await reader.read(1024):
                pass
        gone.set()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        provider = make("openai", url)
        deadlines = Deadlines(first_byte_s=20, total_s=20)
        async with asyncio.TaskGroup() as group:
            call = provider.complete(ask("openai", streaming=streaming), deadlines)
            task = group.create_task(call)
            await arrived.wait()
            task.cancel()
        await asyncio.wait_for(gone.wait(), 10)


async def test_answer_before_the_body_was_read_is_an_answer(make: Make):
    answered = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head(413, {"content-length": "3"}) + b"big")
        await answered.wait()
        writer.transport.abort()

    huge = Request(model="gpt-4o", prompt=user_prompt("x" * (64 << 20)), params={})
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        result = await make("openai", url).complete(huge, LONG)
        answered.set()
    assert result.http_status == 413


async def test_long_body_arrives_whole(make: Make, server: RawServer):
    server.acts(json_response(oai()))
    long = Text('"6x7"\n' * 100_000)
    request = Request(model="gpt-4o", prompt=user_prompt("a", long, "b"), params={})
    provider = make("openai")
    for _ in range(2):
        assert_answered(await provider.complete(request, LONG))
    for seen in server.seen:
        assert seen.json["messages"][0]["content"] == f"a{long.text}b"
    assert server.connections == 1


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_what_was_never_sent_is_never_billed(make: Make):
    for url, reason in (
        (f"http://127.0.0.1:{free_port()}", "connect"),
        ("http://no-such-host.invalid", "dns"),
    ):
        result = await make("openai", url).complete(ask("openai"), LONG)
        assert result.stored_outcome == f"transient:{reason}"
        assert not result.maybe_billed


async def test_certificates_are_checked(make: Make, self_signed: ssl.SSLContext):
    async with raw_server(self_signed) as server:
        server.acts(json_response(oai()))
        result = await make("openai", server.url).complete(ask("openai"), LONG)
    assert result.stored_outcome == "transient:tls_certificate"
    assert not result.maybe_billed
    assert server.seen == []


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
async def test_authority_of_the_environment_is_trusted(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
):
    authority = make_authority(tmp_path)
    folder = tmp_path / "trusted"
    folder.mkdir()
    (folder / AUTHORITY_HASH).write_bytes(authority.read_bytes())
    monkeypatch.setenv(variable, str(authority if variable == "SSL_CERT_FILE" else folder))
    # aiohttp reads them once, when it is imported.
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", ssl.create_default_context())
    async with raw_server(server_context(tmp_path)) as server:
        server.acts(json_response(oai()))
        assert_answered(await make("openai", server.url).complete(ask("openai"), LONG))


async def test_body_without_end_is_cut_off(make: Make, server: RawServer):
    limit = 10_000
    bomb = gzip.compress(b"\x00" * 10 * limit)
    for act in (
        response(b" " * (limit + 1)),
        response(bomb, headers={"content-encoding": "gzip"}),
        stream(b"data: " + b"x" * limit + b"\n\n"),
    ):
        server.acts(act)
        provider = make("openai", max_body_bytes=limit)
        result = await provider.complete(ask("openai", streaming=True), LONG)
        assert result.stored_outcome == "malformed:body_too_long"
        assert result.maybe_billed


async def test_bodies_without_an_end_are_bounded_together_and_short_ones_get_through(
    make: Make, server: RawServer
):
    """Of what all may take together, each has its share; those that take more are cut off."""
    endless = response(b" " * 1_000_000)
    server.acts(*[endless] * 8, json_response(oai()))
    provider = make("openai", max_body_bytes=10**9, max_together_bytes=200_000)
    results = list[Result]()

    async def call() -> None:
        results.append(await provider.complete(ask("openai"), LONG))

    async with asyncio.TaskGroup() as calls:
        for _ in range(9):
            calls.create_task(call())
    outcomes = Counter(result.stored_outcome for result in results)
    assert outcomes == {"malformed:body_too_long": 8, "answered": 1}


async def test_redirect_is_not_followed_with_the_key(make: Make, server: RawServer):
    server.acts(response(b"", status=307, headers={"location": "/elsewhere"}))
    result = await make("openai").complete(ask("openai"), LONG)
    assert result.stored_outcome == "invalid_request:http_307"
    assert len(server.seen) == 1


async def test_proxy_of_the_environment_is_used(
    make: Make, server: RawServer, monkeypatch: pytest.MonkeyPatch
):
    server.acts(json_response(oai()))
    monkeypatch.setenv("http_proxy", server.url.replace("//", "//user:pass@"))
    result = await make("openai", "http://api.example.invalid").complete(ask("openai"), LONG)
    assert_answered(result)
    assert server.seen[0].path == "http://api.example.invalid/v1/chat/completions"
    assert server.seen[0].headers["proxy-authorization"].startswith("Basic ")


def test_no_proxy_is_honoured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "localhost,.internal")
    assert environment_proxy(URL("https://api.openai.com/v1")) == URL("http://proxy:3128")
    assert environment_proxy(URL("http://api.openai.com/v1")) is None
    assert environment_proxy(URL("https://llm.internal/v1")) is None
    monkeypatch.setenv("all_proxy", "http://other:3128")
    assert environment_proxy(URL("http://api.openai.com/v1")) == URL("http://other:3128")


async def test_refused_parameter_is_left_out_from_then_on(make: Make, server: RawServer):
    refusal = json_response(
        oai_error("Unsupported value: 'temperature'", "unsupported_value", param="temperature"),
        status=400,
    )
    again = json_response(oai_error("Unsupported parameter: 'seed' is not"), status=400)
    server.acts(refusal, refusal, json_response(oai()), again)
    provider = make("openai")
    request = ask("openai", temperature=0, seed=1)
    for _ in range(2):  # the second was under way when the first was refused
        result = await provider.complete(request, LONG)
        assert result.stored_outcome == "transient:unsupported_parameter.temperature"
        assert result.retry.kind is RetryKind.TRANSIENT
        assert result.unsupported_param == "temperature"
    assert_answered(await provider.complete(request, LONG))
    assert "temperature" in server.seen[0].json
    assert "temperature" not in server.seen[2].json
    result = await provider.complete(request, LONG)
    assert result.stored_outcome == "invalid_request:unsupported_parameter"


async def test_refused_cap_gets_its_other_name(make: Make, server: RawServer):
    refusal = oai_error(
        "Unsupported parameter: 'max_tokens'", "unsupported_parameter", param="max_tokens"
    )
    server.acts(json_response(refusal, status=400), json_response(oai()))
    provider = make("openai")
    await provider.complete(ask("openai"), LONG)
    assert_answered(await provider.complete(ask("openai"), LONG))
    assert server.seen[0].json["max_tokens"] == 64
    assert server.seen[1].json["max_completion_tokens"] == 64


async def test_key_is_in_no_result_of_any_failure(wire: str, make: Make, server: RawServer):
    echoes: list[Act] = [
        json_response({"error": {"message": f"bad key {shown}", "code": shown}}, status=401)
        for shown in (KEY, KEY[:20], KEY[9:], URL.build(query={"k": KEY}).raw_query_string)
    ]
    echoes += [
        response(f"<html>{KEY}</html>".encode(), status=502, headers={"x-request-id": KEY}),
        response(KEY.encode()),
        raw(f"HTTP/1.1 {KEY}\r\n\r\n".encode()),
        raw(head(200, {"content-length": "999"}) + KEY.encode()),
        stream(b"data: " + orjson.dumps({"error": KEY}) + b"\n\n"),
        json_response(oai(f"your key is {KEY}") | {"model": KEY}),
    ]
    for act in [*echoes, *(act for _, act in faults(server, wire))]:
        server.acts(act)
        provider = make(wire)
        result = await provider.complete(ask(wire, streaming=True), LONG)
        for shown in (repr(result), repr(provider), repr(provider._redactor)):
            assert "canary-0" not in shown
            assert KEY[9:17] not in shown
    assert all(KEY not in request.path for request in server.seen)
    assert all(KEY.encode() not in request.body for request in server.seen)


@pytest.mark.parametrize("base", ["", "api.openai.com/v1", "ftp://x/v1", "http://", "file:///x"])
def test_base_url_that_cannot_be_is_one_clear_line(base: str):
    with pytest.raises(UsageError, match="base_url"):
        HttpProvider("openai", wire_format("openai"), base, AiohttpTransport(SystemClock()))


def test_password_in_a_base_url_is_refused_unshown():
    with pytest.raises(UsageError) as caught:
        HttpProvider(
            "openai", wire_format("openai"), f"http://u:{KEY}@host", AiohttpTransport(SystemClock())
        )
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("bad", [f"{KEY}\n", f" {KEY}", f"{KEY}é", f"a {KEY}\r\nx: y", ""])
def test_key_that_cannot_stand_in_a_header_is_refused_unshown(bad: str):
    with pytest.raises(UsageError) as caught:
        HttpProvider(
            "openai", wire_format("openai"), "http://host", AiohttpTransport(SystemClock()), key=bad
        )
    assert KEY not in str(caught.value)


async def test_server_without_a_key_gets_none(server: RawServer):
    server.acts(json_response(oai()))
    transport = AiohttpTransport(SystemClock())
    provider = HttpProvider("compat", wire_format("compat"), server.url + "/v1/", transport)
    assert_answered(await provider.complete(ask("openai"), LONG))
    await provider.aclose()
    assert "authorization" not in server.seen[0].headers
    assert server.seen[0].path == "/v1/chat/completions"


@pytest.fixture(scope="session")
def self_signed(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A server context with a certificate that nobody vouches for."""
    return self_signed_context(tmp_path_factory.mktemp("tls"))


async def test_transport_that_was_never_used_can_be_closed():
    transport = AiohttpTransport(SystemClock())
    await transport.aclose()
    await transport.aclose()


def test_no_repr_on_the_way_shows_headers_or_prompt():
    outgoing = Outgoing(url=URL("http://host"), headers={"a": KEY}, pieces=(b"prompt",))
    assert KEY not in repr(outgoing)
    assert "prompt" not in repr(outgoing)
