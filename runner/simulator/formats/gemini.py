"""Gemini `generateContent` and `streamGenerateContent`."""

import math
from collections.abc import Sequence
from typing import Any

import orjson

from runner.simulator.account.bill import Tally
from runner.simulator.account.limits import BucketState, Dimension, Refusal
from runner.simulator.formats.call import (
    Call,
    Dialect,
    Finish,
    Json,
    ModelReply,
    Problem,
    SimulatedFailure,
    cap_of,
    list_of,
    object_of,
    text_of,
)

_FINISH = {
    Finish.STOP: "STOP",
    Finish.LENGTH: "MAX_TOKENS",
    Finish.REFUSAL: "SAFETY",
    Finish.FILTER: "PROHIBITED_CONTENT",
    Finish.RECITATION: "RECITATION",
}
_METRIC: dict[Dimension, tuple[str, str]] = {
    "requests": ("generate_requests_per_model", "GenerateRequestsPerMinutePerProjectPerModel"),
    "input_tokens": (
        "generate_content_paid_tier_input_token_count",
        "GenerateContentPaidTierInputTokensPerModelPerMinute",
    ),
    "output_tokens": (
        "generate_content_output_token_count",
        "GenerateContentOutputTokensPerModelPerMinute",
    ),
    "tokens": ("generate_content_token_count", "GenerateContentTokensPerModelPerMinute"),
}
_DAILY = ("generate_requests_per_model_per_day", "GenerateRequestsPerDayPerProjectPerModel")
_PLAIN: dict[str, tuple[int, str, str]] = {
    "bad_key": (
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
    ),
    "no_credit": (
        429,
        "RESOURCE_EXHAUSTED",
        "Your prepayment credits are depleted. Please go to billing to add credits.",
    ),
    "no_permission": (403, "PERMISSION_DENIED", "The caller does not have permission"),
    "too_long_body": (413, "INVALID_ARGUMENT", "Request payload size exceeds the limit"),
    "timeout": (408, "DEADLINE_EXCEEDED", "The request timed out."),
    "conflict": (409, "ABORTED", "The operation was aborted."),
    "server_error": (500, "INTERNAL", "An internal error has occurred. Please retry."),
    "unavailable": (503, "UNAVAILABLE", "The service is currently unavailable."),
    "overloaded": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
}


class GeminiFormat:
    """`/v1beta/models/{model}:{method}`."""

    dialect: Dialect = "gemini"

    def parse(self, body: Json, target: str) -> Call:
        """The call in a request body, for the model and method of the path."""
        model, _, method = target.rpartition(":")
        turns = [
            (
                "assistant" if turn.get("role") == "model" else "user",
                text_of(turn.get("parts"), "contents"),
            )
            for turn in list_of(body.get("contents"), "contents")
        ]
        system = _either(body, "systemInstruction", "system_instruction")
        if system is not None:
            parts = object_of(system, "systemInstruction").get("parts")
            turns.insert(0, ("system", text_of(parts, "systemInstruction")))
        config = object_of(_either(body, "generationConfig", "generation_config"), "config")
        cap = _either(config, "maxOutputTokens", "max_output_tokens")
        return Call(
            model=model,
            turns=tuple(turns),
            max_tokens=cap_of(cap, "maxOutputTokens"),
            stream=method == "streamGenerateContent",
            params=frozenset(config) | frozenset(body),
        )

    def usage(self, tally: Tally) -> Json:
        """A tally as this provider tells it."""
        return usage_json(tally)

    def whole(self, reply: ModelReply) -> Json:
        """Write a response with one candidate."""
        parts: list[Json] = []
        if reply.reasoning is not None:
            parts.append({"text": reply.reasoning, "thought": True})
        if reply.text:
            parts.append({"text": reply.text})
        return self._response(reply, parts, _FINISH[reply.finish])

    def _response(self, reply: ModelReply, parts: list[Json], finish: str | None) -> Json:
        candidate: Json = {"index": 0}
        if parts:
            candidate["content"] = {"role": "model", "parts": parts}
        if finish is not None:
            candidate["finishReason"] = finish
        body: Json = {"candidates": [candidate]}
        if reply.no_choices:
            body = {}
        if reply.usage is not None:
            body["usageMetadata"] = usage_json(reply.usage)
        return body | {"modelVersion": reply.model, "responseId": reply.id}

    def events(self, reply: ModelReply, pieces: Sequence[str], call: Call) -> list[bytes]:
        """Whole responses, one for each piece; as events, or as the items of one JSON array."""
        bodies: list[Json] = []
        if reply.reasoning is not None:
            bodies.append(self._response(reply, [{"text": reply.reasoning, "thought": True}], None))
        bodies += [self._response(reply, [{"text": piece}], None) for piece in pieces[:-1]]
        last: list[Json] = [{"text": pieces[-1]}] if pieces else []
        bodies.append(self._response(reply, last, _FINISH[reply.finish]))
        if call.as_events:
            return [_event(body) for body in bodies]
        lead = [b"[", *[b",\r\n"] * (len(bodies) - 1)]
        items = [mark + orjson.dumps(body) for mark, body in zip(lead, bodies, strict=True)]
        return [*items, b"]"]

    def failure(self, problem: Problem) -> SimulatedFailure:
        """An `error` object; a blocked prompt is a 200 without candidates."""
        if problem.refusal is not None:
            return _limited(problem, problem.refusal)
        if problem.kind == "blocked_input":
            usage = {"promptTokenCount": problem.input_tokens}
            feedback = {"blockReason": "PROHIBITED_CONTENT"}
            return SimulatedFailure(
                status=200, body={"promptFeedback": feedback, "usageMetadata": usage}
            )
        if problem.kind in _PLAIN:
            return _plain(problem)
        if problem.kind == "no_model":
            message = f"models/{problem.model} is not found for API version v1beta."
            return SimulatedFailure(status=404, body=_error(404, "NOT_FOUND", message))
        return SimulatedFailure(status=400, body=_error(400, "INVALID_ARGUMENT", _invalid(problem)))

    def error_event(self, failure: SimulatedFailure) -> bytes:
        """An event that holds an `error` object."""
        return _event(failure.body)

    def limit_headers(self, states: Sequence[BucketState], now_us: int) -> dict[str, str]:  # noqa: ARG002
        """Nothing: this provider tells its limits in refusals only."""
        return {}


def _either(body: Json, camel: str, snake: str) -> Any:
    return body[camel] if camel in body else body.get(snake)


def _event(body: Json) -> bytes:
    return b"data: " + orjson.dumps(body) + b"\r\n\r\n"


def _error(code: int, status: str, message: str, details: list[Json] | None = None) -> Json:
    error: Json = {"code": code, "message": message, "status": status}
    if details:
        error["details"] = details
    return {"error": error}


def _plain(problem: Problem) -> SimulatedFailure:
    code, status, message = _PLAIN[problem.kind]
    details: list[Json] = []
    if problem.kind == "bad_key":
        info = "type.googleapis.com/google.rpc.ErrorInfo"
        details.append({"@type": info, "reason": "API_KEY_INVALID", "domain": "googleapis.com"})
    return SimulatedFailure(status=code, body=_error(code, status, message, details))


def usage_json(usage: Tally | Json) -> Json:
    """Cached input inside the prompt's tokens, thoughts beside the candidates'."""
    if not isinstance(usage, Tally):
        return usage
    counts = {
        "promptTokenCount": usage.total_input,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.total_input + usage.total_output,
    }
    if usage.cache_read:
        counts["cachedContentTokenCount"] = usage.cache_read
    if usage.reasoning:
        counts["thoughtsTokenCount"] = usage.reasoning
    return counts


def _invalid(problem: Problem) -> str:
    if problem.kind == "over_context":
        return (
            f"The input token count ({problem.input_tokens}) exceeds the maximum number of tokens "
            f"allowed ({problem.window})."
        )
    if problem.kind == "unsupported":
        return f"{problem.param} is not supported for this model."
    return problem.message


def _limited(problem: Problem, refusal: Refusal) -> SimulatedFailure:
    metric, quota = _DAILY if refusal.kind == "daily_limit" else _METRIC[refusal.dimension]
    retry = f"{math.ceil(refusal.retry_s * 1000) / 1000:g}s"
    violation = {
        "quotaMetric": f"generativelanguage.googleapis.com/{metric}",
        "quotaId": quota,
        "quotaDimensions": {"location": "global", "model": problem.model},
        "quotaValue": str(refusal.limit),
    }
    details: list[Json] = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}
    ]
    message = f"You exceeded your current quota. Quota exceeded for metric: {metric}, "
    message += f"limit: {refusal.limit}, model: {problem.model}"
    if refusal.kind == "too_large":
        message += f"; the request alone needs {refusal.requested} tokens"
    else:
        message += f"\nPlease retry in {retry}."
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry})
    return SimulatedFailure(status=429, body=_error(429, "RESOURCE_EXHAUSTED", message, details))
