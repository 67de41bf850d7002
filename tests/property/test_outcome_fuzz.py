"""Replies that are truncated, retyped, reordered, huge or hostile: no crash, no false answer.

`OUTCOME_FUZZ=200000 pytest tests/property/test_outcome_fuzz.py` runs the full number.
"""

import copy
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from runner.providers.catalog import wire_format
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.formats.openai_plain import plain_result
from runner.providers.formats.sse import EventSplitter
from runner.providers.http.answer import Answer
from runner.wire import Result
from state.records import SCORED, Outcome
from tests.unit.runner.providers.replies import (
    ANSWERS,
    DIALECTS,
    ERRORS,
    SHAPES,
    claude,
    gemini,
    oai,
)

ROUNDS = int(os.environ.get("OUTCOME_FUZZ", "12000"))
SHARDS = 6
HOSTILE = (
    "\x00",
    "\u202e\u2066",
    "\ud7ff\ue000",
    "\U0010ffff",
    "e\u0301" * 50,
    "\u200b\u200c\ufeff",
    " \n\t\r\x0b\x0c\x1c\x85\u2028\u3000",
    "request too large for " * 150,
    "limit " * 300,
    "no key is " * 200,
    "try again in " + "9" * 300,
    "maximum context length",
    "stop",
    "STOP",
    "end_turn",
    "A" * 5000,
)
WORDS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, -(2**63), 0.5, 1e308, -0.0, "", [], {}, [[]], [None],
    {"error": None}, {"text": "x"}, "answer",
)  # fmt: skip
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"retry-after": "1e400"},
    {"retry-after": "Thu, 32 Foo 2026 99:99:99 GMT", "x-request-id": "\u202e" * 500},
    {"x-ratelimit-limit-requests": "9" * 500, "x-ratelimit-reset-requests": "1h" * 500},
    {"content-type": "text/event-stream; charset=\x00"},
)


def everything_said(body: bytes) -> str:
    """All texts of a reply one after the other: whatever is an answer stands somewhere there."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        for _, child in items_of(value):
            walk(child)

    try:
        walk(orjson.loads(body))
    except orjson.JSONDecodeError:
        return ""
    return "".join(found)


def items_of(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def check(wire: str, result: Result, said: str | None) -> None:
    assert isinstance(result.outcome, Outcome)
    assert not result.error or (len(result.error) <= 500 and result.error.isprintable())
    assert len(result.stored_outcome) < 100
    if result.outcome in SCORED:
        assert result.text.strip()
        assert result.error is None
        assert not said or said_somewhere(result.text, said)
        result.text.encode()  # no half of a character reaches the store
        assert result.http_status is not None
        assert 200 <= result.http_status < 300
    usage = result.usage
    if usage is None:
        return
    parts = (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens)
    assert all(part is None or part >= 0 for part in (*parts, usage.reasoning_tokens))


def said_somewhere(text: str, said: str) -> bool:
    """Whether each character of an answer was said: it may be joined of several parts."""
    return text in said or set(text) <= set(said)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    for key, child in items_of(value):
        yield value, key
        yield from places(child)


def retype(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.randint(1, 3)):
        found = list(places(value))
        if not found:
            return copy.deepcopy(rng.choice(WORDS))
        holder, key = rng.choice(found)
        holder[key] = copy.deepcopy(rng.choice((*WORDS, *HOSTILE)))
    return value


def drop(rng: random.Random, value: Any) -> Any:
    found = list(places(value))
    if found:
        holder, key = rng.choice(found)
        del holder[key]
    return value


def transplant(rng: random.Random, value: Any) -> Any:
    found = list(places(value))
    if len(found) > 1:
        (holder, key), (other, at) = rng.sample(found, 2)
        holder[key] = orjson.loads(orjson.dumps(other[at]))
    return value


def reorder(rng: random.Random, value: Any) -> Any:
    if isinstance(value, dict):
        items = [(key, reorder(rng, child)) for key, child in value.items()]
        rng.shuffle(items)
        return dict(items)
    return [reorder(rng, child) for child in value] if isinstance(value, list) else value


def inflate(rng: random.Random, value: Any) -> Any:
    found = list(places(value))
    if found:
        holder, key = rng.choice(found)
        holder[key] = [holder[key]] * rng.randint(2, 200)
    return value


def nest(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.randint(1, 40)):
        value = rng.choice(([value], {"error": value}, {"choices": [value]}, {"message": value}))
    return value


MUTATIONS: tuple[Callable[[random.Random, Any], Any], ...] = (
    retype, drop, transplant, reorder, inflate, nest,
)  # fmt: skip


def cut(rng: random.Random, body: bytes) -> bytes:
    return body[: rng.randint(0, len(body))]


def flip(rng: random.Random, body: bytes) -> bytes:
    at = rng.randrange(len(body) or 1)
    return body[:at] + rng.randbytes(rng.randint(1, 4)) + body[at + 1 :]


def prefix(rng: random.Random, body: bytes) -> bytes:
    return rng.randbytes(rng.randint(0, 40)) + body


def repeat(_: random.Random, body: bytes) -> bytes:
    return body + body


def mark(_: random.Random, body: bytes) -> bytes:
    return b"\xef\xbb\xbf" + body


def halves(_: random.Random, body: bytes) -> bytes:
    return body.replace(b"forty", b"\\ud83d \xf0\x9f forty").replace(b"null", b"NaN")


def deepen(_: random.Random, body: bytes) -> bytes:
    return body.replace(b"{", b'{"deep": ' + b"[" * 3000 + b"]" * 3000 + b",", 1)


def enlarge(_: random.Random, body: bytes) -> bytes:
    return body.replace(b":12", b":" + b"9" * 5000).replace(b"1,", b"-Infinity,")


def label(_: random.Random, body: bytes) -> bytes:
    return b"data: " + body + b"\n\n"


DAMAGES = (cut, flip, prefix, repeat, mark, halves, deepen, enlarge, label)


def damage(rng: random.Random, body: bytes) -> bytes:
    """Bytes cut, flipped, repeated or spliced, or in a form that not every reader reads."""
    return rng.choice(DAMAGES)(rng, body)


FULL_USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 7},
}
SEEDS = [
    (wire, status, body if isinstance(body, bytes) else orjson.dumps(body))
    for wire, status, _, body, _ in ANSWERS + SHAPES + ERRORS + DIALECTS
]
GOOD = {"openai": oai(), "anthropic": claude(), "google": gemini()}


def mutated(rng: random.Random) -> tuple[str, int, bytes]:
    wire, status, body = rng.choice(SEEDS)
    wire = rng.choice(("openai", "anthropic", "google")) if rng.random() < 0.1 else wire
    status = (
        rng.choice((200, 200, 400, 429, 500, 299, 600, status)) if rng.random() < 0.2 else status
    )
    if rng.random() < 0.8 and body[:1] in (b"{", b"["):
        value = orjson.loads(body) if body[-1:] in (b"}", b"]") else {}
        for _ in range(rng.randint(1, 3)):
            value = rng.choice(MUTATIONS)(rng, value)
        body = orjson.dumps(value)
    if rng.random() < 0.3:
        body = damage(rng, body)
    return wire, status, body


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_reply_is_a_crash_or_a_false_answer(shard: int):
    rng = random.Random(shard)
    for _ in range(ROUNDS // SHARDS):
        wire, status, body = mutated(rng)
        answer = Answer(status=status, headers=rng.choice(HEADERS), body=body, now=1.79e9)
        check(wire, wire_format(wire).parse(answer), everything_said(body))


PLAIN = [
    orjson.dumps(body)
    for body in (
        oai(),
        oai(content='a\U0001f600\n"b', reasoning_content="because"),
        oai(content=" ", reasoning="because"),
        {**oai(), "usage": {**FULL_USAGE, "total_tokens": 112}},
        {**oai(), "usage": {**FULL_USAGE, "total_tokens": 119}},
        {**oai(), "usage": {**FULL_USAGE, "prompt_cache_hit_tokens": 64}},
    )
]


def test_the_short_way_for_plain_completions_says_what_the_tolerant_reader_says():
    wire, rng, plain = OpenAIChat(), random.Random(7), 0
    for _ in range(ROUNDS // 10):
        body = rng.choice(PLAIN)
        for _ in range(rng.randint(0, 2)):
            body = orjson.dumps(rng.choice(MUTATIONS)(rng, orjson.loads(body)))
        if rng.random() < 0.3:
            body = damage(rng, body)
        answer = Answer(status=200, headers=rng.choice(HEADERS), body=body, now=1.79e9)
        short = plain_result(answer)
        if short is not None:
            plain += 1
            assert short == wire._parse(answer), body
    assert plain > ROUNDS // 100


def deltas(wire: str, text: str) -> list[Any]:
    if wire == "openai":
        return [{"choices": [{"delta": {"content": text}}]}] * 2 + [
            {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": GOOD[wire]["usage"]}
        ]
    if wire == "google":
        return [gemini(text, finish=None), gemini(text)]
    return [
        {"type": "message_start", "message": claude(None, stop=None)},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


@pytest.mark.parametrize("wire", ["openai", "anthropic", "google"])
def test_no_stream_is_a_crash_or_an_answer_from_nothing(wire: str):
    rng = random.Random(wire)
    for _ in range(ROUNDS // 60):
        events = deltas(wire, rng.choice(("x", "", *HOSTILE)))
        events = [
            rng.choice(MUTATIONS)(rng, orjson.loads(orjson.dumps(event)))
            if rng.random() < 0.3
            else event
            for event in events
        ]
        body = b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in events)
        body = damage(rng, body)
        reader, splitter = wire_format(wire).stream(), EventSplitter()
        for start in range(0, len(body), 97):
            for event in splitter.feed(body[start : start + 97]):
                reader.feed(event)
        check(wire, reader.result(Answer(status=200, headers={}, now=1.79e9)), None)
