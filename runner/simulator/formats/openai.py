"""OpenAI chat completions, as OpenAI and compatible servers speak them."""

import math
from collections.abc import Callable, Sequence

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
    model_of,
    object_of,
    text_of,
)
from runner.simulator.formats.durations import go_duration, whole_seconds

_ROLES = {"system": "system", "developer": "system", "assistant": "assistant"}
_FINISH = {
    Finish.STOP: "stop",
    Finish.LENGTH: "length",
    Finish.REFUSAL: "stop",
    Finish.FILTER: "content_filter",
    Finish.RECITATION: "content_filter",
}
_METRIC: dict[Dimension, tuple[str, str]] = {
    "requests": ("requests per min (RPM)", "requests"),
    "tokens": ("tokens per min (TPM)", "tokens"),
    "input_tokens": ("input tokens per min (ITPM)", "tokens"),
    "output_tokens": ("output tokens per min (OTPM)", "tokens"),
}
_HEADER: dict[Dimension, str] = {
    "requests": "requests",
    "tokens": "tokens",
    "input_tokens": "input-tokens",
    "output_tokens": "output-tokens",
}


def _error(message: str, kind: str, code: str | None, param: str | None = None) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class OpenAIFormat:
    """Speaks `/v1/chat/completions`."""

    dialect: Dialect = "openai"

    def parse(self, body: Json, target: str) -> Call:  # noqa: ARG002
        """Read the call in a request body."""
        turns = tuple(
            (_ROLES.get(str(turn.get("role")), "user"), text_of(turn.get("content"), "content"))
            for turn in list_of(body.get("messages"), "messages")
        )
        name = "max_completion_tokens" if "max_completion_tokens" in body else "max_tokens"
        options = object_of(body.get("stream_options"), "stream_options")
        return Call(
            model=model_of(body),
            turns=turns,
            max_tokens=cap_of(body.get(name), name),
            stream=bool(body.get("stream")),
            include_usage=bool(options.get("include_usage")),
            params=frozenset(body),
        )

    def usage(self, tally: Tally) -> Json:
        """A tally as this provider tells it."""
        return usage_json(tally)

    def whole(self, reply: ModelReply) -> Json:
        """Write a `chat.completion`."""
        refused = reply.finish is Finish.REFUSAL
        message: Json = {
            "role": "assistant",
            "content": None if refused else reply.text,
            "refusal": reply.text if refused else None,
        }
        if reply.reasoning is not None:
            message["reasoning_content"] = reply.reasoning
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": _FINISH[reply.finish],
        }
        body = self._frame(reply, "chat.completion")
        body["choices"] = [] if reply.no_choices else [choice]
        if reply.usage is not None:
            body["usage"] = usage_json(reply.usage)
        return body

    def _frame(self, reply: ModelReply, kind: str) -> Json:
        return {
            "id": f"chatcmpl-{reply.id}",
            "object": kind,
            "created": reply.created,
            "model": reply.model,
            "system_fingerprint": "simulated",
        }

    def _chunk(self, reply: ModelReply, delta: Json, finish: str | None = None) -> bytes:
        body = self._frame(reply, "chat.completion.chunk")
        body["choices"] = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        return _event(body)

    def events(self, reply: ModelReply, pieces: Sequence[str], call: Call) -> list[bytes]:
        """`chat.completion.chunk` events and the closing `[DONE]`."""
        events = [self._chunk(reply, {"role": "assistant", "content": "", "refusal": None})]
        if reply.reasoning is not None:
            events.append(self._chunk(reply, {"reasoning_content": reply.reasoning}))
        field = "refusal" if reply.finish is Finish.REFUSAL else "content"
        events += [self._chunk(reply, {field: piece}) for piece in pieces]
        events.append(self._chunk(reply, {}, _FINISH[reply.finish]))
        if call.include_usage and reply.usage is not None:
            body = self._frame(reply, "chat.completion.chunk")
            events.append(_event(body | {"choices": [], "usage": usage_json(reply.usage)}))
        return [*events, b"data: [DONE]\n\n"]

    def failure(self, problem: Problem) -> SimulatedFailure:
        """Write an `error` object."""
        if problem.refusal is not None:
            return _limited(problem, problem.refusal)
        if problem.kind == "over_context":
            return _over_context(problem)
        status, body = _PLAIN[problem.kind](problem)
        return SimulatedFailure(status=status, body=body)

    def error_event(self, failure: SimulatedFailure) -> bytes:
        """An event that holds an `error` object."""
        return _event(failure.body)

    def limit_headers(
        self,
        states: Sequence[BucketState],
        now_us: int,  # noqa: ARG002
    ) -> dict[str, str]:
        """Write the headers `x-ratelimit-*`."""
        headers: dict[str, str] = {}
        for state in states:
            name = _HEADER[state.dimension]
            headers[f"x-ratelimit-limit-{name}"] = str(state.limit)
            headers[f"x-ratelimit-remaining-{name}"] = str(state.remaining)
            headers[f"x-ratelimit-reset-{name}"] = go_duration(state.reset_s)
        return headers


def _event(body: Json) -> bytes:
    return b"data: " + orjson.dumps(body) + b"\n\n"


def usage_json(usage: Tally | Json) -> Json:
    """Cached input inside the prompt's tokens, reasoning inside the completion's."""
    if not isinstance(usage, Tally):
        return usage
    return {
        "prompt_tokens": usage.total_input,
        "completion_tokens": usage.total_output,
        "total_tokens": usage.total_input + usage.total_output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _limited(problem: Problem, refusal: Refusal) -> SimulatedFailure:
    place = f"for {problem.model} in organization org-simulated on"
    words, kind = _METRIC[refusal.dimension]
    if refusal.kind == "too_large":
        message = (
            f"Request too large {place} {words}: Limit {refusal.limit}, "
            f"Requested {refusal.requested}. The input or output tokens must be reduced in order "
            "to run successfully."
        )
        return SimulatedFailure(status=429, body=_error(message, kind, "rate_limit_exceeded"))
    if refusal.kind == "daily_limit":
        words, kind = "requests per day (RPD)", "requests"
    if refusal.kind == "concurrency":
        words, kind = "concurrent requests", "requests"
    message = (
        f"Rate limit reached {place} {words}: Limit {refusal.limit}, Used {refusal.used}, "
        f"Requested {refusal.requested}. Please try again in {go_duration(refusal.retry_s)}."
    )
    headers = {
        "retry-after": whole_seconds(refusal.retry_s),
        "retry-after-ms": str(max(1, math.ceil(refusal.retry_s * 1000))),
    }
    return SimulatedFailure(
        status=429, body=_error(message, kind, "rate_limit_exceeded"), headers=headers
    )


def _over_context(problem: Problem) -> SimulatedFailure:
    total = problem.input_tokens + problem.max_tokens
    if problem.wording == "llama.cpp":
        error = {
            "code": 400,
            "message": (
                f"request ({problem.input_tokens} tokens) exceeds the available context size "
                f"({problem.window} tokens), try increasing it"
            ),
            "type": "exceed_context_size_error",
            "n_prompt_tokens": problem.input_tokens,
            "n_ctx": problem.window,
        }
        return SimulatedFailure(status=400, body={"error": error})
    start = f"This model's maximum context length is {problem.window} tokens. However, "
    if problem.wording == "vllm":
        message = (
            f"{start}you requested {total} tokens ({problem.input_tokens} in the messages, "
            f"{problem.max_tokens} in the completion). Please reduce the length of the messages "
            "or completion."
        )
        body = {"object": "error", "message": message, "type": "BadRequestError", "code": 400}
        return SimulatedFailure(status=400, body=body)
    message = (
        f"{start}your messages resulted in {problem.input_tokens} tokens. "
        "Please reduce the length of the messages."
    )
    body = _error(message, "invalid_request_error", "context_length_exceeded", "messages")
    return SimulatedFailure(status=400, body=body)


def _unsupported(problem: Problem) -> tuple[int, Json]:
    message = f"Unsupported parameter: '{problem.param}' is not supported with this model."
    return 400, _error(message, "invalid_request_error", "unsupported_parameter", problem.param)


_PLAIN: dict[str, Callable[[Problem], tuple[int, Json]]] = {
    "invalid": lambda p: (400, _error(p.message, "invalid_request_error", None)),
    "bad_key": lambda _: (
        401,
        _error("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    ),
    "no_credit": lambda _: (
        429,
        _error(
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
            "insufficient_quota",
        ),
    ),
    "no_permission": lambda p: (
        403,
        _error(
            f"Project does not have access to model {p.model}",
            "invalid_request_error",
            "model_not_found",
        ),
    ),
    "no_model": lambda p: (
        404,
        _error(
            f"The model `{p.model}` does not exist or you do not have access to it.",
            "invalid_request_error",
            "model_not_found",
        ),
    ),
    "unsupported": _unsupported,
    "blocked_input": lambda _: (
        400,
        _error(
            "The response was filtered due to the prompt triggering the content management policy.",
            "invalid_request_error",
            "content_filter",
            "prompt",
        ),
    ),
    "too_long_body": lambda _: (
        413,
        _error("Request body is too large.", "invalid_request_error", None),
    ),
    "timeout": lambda _: (408, _error("The request timed out.", "timeout", None)),
    "conflict": lambda _: (409, _error("The resource was changed.", "conflict", None)),
    "server_error": lambda _: (
        500,
        _error("The server had an error while processing your request.", "server_error", None),
    ),
    "unavailable": lambda _: (
        503,
        _error("The service is temporarily unavailable.", "server_error", None),
    ),
    "overloaded": lambda _: (
        503,
        _error("The engine is currently overloaded, please try again later.", "overloaded", None),
    ),
}
