"""Anthropic messages."""

from collections.abc import Sequence
from typing import Any, cast

import orjson

from runner.simulator.account.bill import Tally
from runner.simulator.account.limits import BucketState, Dimension, Refusal
from runner.simulator.formats.call import (
    BadCallError,
    Call,
    Dialect,
    Finish,
    Json,
    ModelReply,
    Problem,
    SimulatedFailure,
    cap_of,
    list_of,
    model_of,
    text_of,
)
from runner.simulator.formats.durations import rfc3339, whole_seconds

_STOP = {
    Finish.STOP: "end_turn",
    Finish.LENGTH: "max_tokens",
    Finish.REFUSAL: "refusal",
    Finish.FILTER: "refusal",
    Finish.RECITATION: "refusal",
}
_WORDS: dict[Dimension, str] = {
    "requests": "requests per minute",
    "tokens": "tokens per minute",
    "input_tokens": "input tokens per minute",
    "output_tokens": "output tokens per minute",
}
_HEADER: dict[Dimension, str] = {
    "requests": "requests",
    "tokens": "tokens",
    "input_tokens": "input-tokens",
    "output_tokens": "output-tokens",
}
_PLAIN: dict[str, tuple[int, str, str]] = {
    "bad_key": (401, "authentication_error", "invalid x-api-key"),
    "no_credit": (
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. "
        "Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    "no_permission": (403, "permission_error", "Your API key may not use this resource."),
    "blocked_input": (400, "invalid_request_error", "Output blocked by content filtering policy"),
    "too_long_body": (413, "request_too_large", "Request exceeds the maximum size"),
    "timeout": (408, "timeout_error", "Request timed out"),
    "conflict": (409, "conflict_error", "The resource was changed."),
    "server_error": (500, "api_error", "Internal server error"),
    "unavailable": (503, "api_error", "Service unavailable"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
}


class AnthropicFormat:
    """Speaks `/v1/messages`."""

    dialect: Dialect = "anthropic"

    def parse(self, body: Json, target: str) -> Call:  # noqa: ARG002
        """Read the call in a request body."""
        turns = [
            (str(turn.get("role")), text_of(turn.get("content"), "messages"))
            for turn in list_of(body.get("messages"), "messages")
        ]
        if body.get("system"):
            turns.insert(0, ("system", text_of(body["system"], "system")))
        cap = cap_of(body.get("max_tokens"), "max_tokens")
        if cap is None:
            raise BadCallError("max_tokens: Field required")
        return Call(
            model=model_of(body),
            turns=tuple(turns),
            max_tokens=cap,
            stream=bool(body.get("stream")),
            wants_cache=_asks_for_cache(body),
            params=frozenset(body),
        )

    def usage(self, tally: Tally) -> Json:
        """A tally as this provider tells it."""
        return usage_json(tally)

    def whole(self, reply: ModelReply) -> Json:
        """Write a `message`."""
        content: list[Json] = []
        if reply.reasoning is not None:
            thinking = {"type": "thinking", "thinking": reply.reasoning, "signature": "simulated"}
            content.append(thinking)
        if reply.text and not reply.no_choices:
            content.append({"type": "text", "text": reply.text})
        body = self._frame(reply) | {"content": content, "stop_reason": _STOP[reply.finish]}
        if reply.usage is None:
            del body["usage"]
        return body

    def _frame(self, reply: ModelReply) -> Json:
        return {
            "id": f"msg_{reply.id}",
            "type": "message",
            "role": "assistant",
            "model": reply.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage_json(reply.usage or {}),
        }

    def events(self, reply: ModelReply, pieces: Sequence[str], call: Call) -> list[bytes]:  # noqa: ARG002
        """Named events, from `message_start` to `message_stop`."""
        opening = self._frame(reply)
        if isinstance(reply.usage, Tally):
            opening["usage"] = {**usage_json(reply.usage), "output_tokens": 1}
        events = [_event("message_start", message=opening)]
        index = 0
        if reply.reasoning is not None:
            events += _block(0, "thinking", "thinking_delta", [reply.reasoning])
            index = 1
        events.append(_event("ping"))
        if pieces:
            events += _block(index, "text", "text_delta", pieces)
        delta = {"stop_reason": _STOP[reply.finish], "stop_sequence": None}
        told = usage_json(reply.usage or {})
        usage = {"output_tokens": told["output_tokens"]} if "output_tokens" in told else {}
        events.append(_event("message_delta", delta=delta, usage=usage))
        return [*events, _event("message_stop")]

    def failure(self, problem: Problem) -> SimulatedFailure:
        """Write an `error` object."""
        if problem.refusal is not None:
            return _limited(problem.refusal)
        if problem.kind in _PLAIN:
            status, kind, message = _PLAIN[problem.kind]
            return SimulatedFailure(status=status, body=_error(kind, message))
        if problem.kind == "no_model":
            return SimulatedFailure(
                status=404, body=_error("not_found_error", f"model: {problem.model}")
            )
        return SimulatedFailure(status=400, body=_error("invalid_request_error", _invalid(problem)))

    def error_event(self, failure: SimulatedFailure) -> bytes:
        """Write an `error` event."""
        return b"event: error\ndata: " + orjson.dumps(failure.body) + b"\n\n"

    def limit_headers(self, states: Sequence[BucketState], now_us: int) -> dict[str, str]:
        """Write the headers `anthropic-ratelimit-*`."""
        headers: dict[str, str] = {}
        for state in states:
            name = f"anthropic-ratelimit-{_HEADER[state.dimension]}"
            headers[f"{name}-limit"] = str(state.limit)
            headers[f"{name}-remaining"] = str(state.remaining)
            headers[f"{name}-reset"] = rfc3339(now_us, state.reset_s)
        return headers


def _asks_for_cache(body: Json) -> bool:
    contents: list[object] = [body.get("system"), [body]]
    contents += [turn.get("content") for turn in list_of(body.get("messages"), "messages")]
    blocks = [
        block
        for content in contents
        if isinstance(content, list) and content
        for block in list_of(cast("object", content), "content")
    ]
    return any("cache_control" in block for block in blocks)


def _error(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: ".encode() + orjson.dumps({"type": kind, **fields}) + b"\n\n"


def _block(index: int, kind: str, delta: str, pieces: Sequence[str]) -> list[bytes]:
    opening = {"type": kind, kind: ""} | ({"signature": ""} if kind == "thinking" else {})
    return [
        _event("content_block_start", index=index, content_block=opening),
        *(
            _event("content_block_delta", index=index, delta={"type": delta, kind: piece})
            for piece in pieces
        ),
        _event("content_block_stop", index=index),
    ]


def usage_json(usage: Tally | Json) -> Json:
    """Cached input beside the uncached, reasoning inside the output."""
    if not isinstance(usage, Tally):
        return usage
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.total_output,
        "service_tier": "standard",
    }


def _invalid(problem: Problem) -> str:
    if problem.kind == "unsupported":
        return f"{problem.param}: Extra inputs are not permitted"
    if problem.kind != "over_context":
        return problem.message
    if problem.input_tokens > problem.window:
        return f"prompt is too long: {problem.input_tokens} tokens > {problem.window} maximum"
    return (
        f"input length and `max_tokens` exceed context limit: {problem.input_tokens} + "
        f"{problem.max_tokens} > {problem.window}, decrease input length or `max_tokens` and "
        "try again"
    )


def _limited(refusal: Refusal) -> SimulatedFailure:
    words = f"{refusal.limit:,} {_WORDS[refusal.dimension]}"
    if refusal.kind == "daily_limit":
        words = f"{refusal.limit:,} requests per day"
    start = f"This request would exceed your organization's rate limit of {words}"
    if refusal.kind == "concurrency":
        start = "Number of concurrent connections has exceeded your rate limit"
    if refusal.kind == "too_large":
        # It could never pass, so there is no moment to come back at.
        message = f"{start}; the request alone needs {refusal.requested:,} tokens"
        return SimulatedFailure(status=429, body=_error("rate_limit_error", message))
    headers = {"retry-after": whole_seconds(refusal.retry_s)}
    return SimulatedFailure(status=429, body=_error("rate_limit_error", start), headers=headers)
