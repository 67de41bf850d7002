"""The chat completion that nearly every call gets: one choice that stopped, with text and usage.

It is decoded straight into structs, at a third of what the tolerant reader takes. Whatever differs
in anything from this shape is no plain completion and is left to that reader, so the two never
disagree: this one only ever says `answered`.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from runner.providers.formats.wire_format import request_id
from runner.providers.http.answer import Answer
from runner.providers.meaning.headers import limit_hints
from runner.providers.meaning.json_shapes import MAX_COUNT
from runner.wire import Result, Usage
from state.records import Outcome

Count = Annotated[int, Meta(ge=0, le=MAX_COUNT)]


class _InputDetails(Struct):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class _OutputDetails(Struct):
    reasoning_tokens: Count | None = None


class _Usage(Struct):
    prompt_tokens: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    completion_tokens: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    total_tokens: Count | None = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None
    prompt_cache_hit_tokens: None = None


class _Message(Struct):
    content: str
    refusal: None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: Literal["stop"]
    error: None = None
    object: None = None


class _Completion(Struct):
    choices: Annotated[list[_Choice], Meta(min_length=1, max_length=1)]
    usage: _Usage
    object: Literal["chat.completion"] = "chat.completion"
    model: str | None = None
    id: str | None = None
    error: None = None


_DECODER = msgspec.json.Decoder(_Completion)
_NO_INPUT_DETAILS, _NO_OUTPUT_DETAILS = _InputDetails(), _OutputDetails()


def plain_result(answer: Answer) -> Result | None:
    """The result of a 2xx that is a plain completion; None where it is anything else."""
    try:
        # As text: bytes that are no UTF-8 would be passed over where nobody asks for the value.
        body = _DECODER.decode(answer.body.decode())
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    message = body.choices[0].message
    usage = _usage(body.usage)
    if usage is None or not message.content or message.content.isspace():
        return None
    return Result(
        outcome=Outcome.ANSWERED,
        text=message.content,
        reasoning_text=message.reasoning_content or message.reasoning or None,
        finish_reason="stop",
        model_reported=body.model or None,
        usage=usage,
        request_id=request_id(answer) or body.id or None,
        http_status=answer.status,
        hints=limit_hints(answer.headers, answer.now),
        first_byte_s=answer.first_byte_s,
    )


def _usage(usage: _Usage) -> Usage | None:
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    inputs = usage.prompt_tokens_details or _NO_INPUT_DETAILS
    reasoning = (usage.completion_tokens_details or _NO_OUTPUT_DETAILS).reasoning_tokens
    visible = visible_output(completion, reasoning or 0, usage.total_tokens, prompt)
    return disjoint(prompt, inputs.cached_tokens, inputs.cache_write_tokens, visible, reasoning)


def visible_output(completion: int, reasoning: int, total: int | None, prompt: int) -> int:
    """Output without reasoning; xAI counts reasoning beside completion, and its total tells."""
    if reasoning and total == prompt + completion + reasoning:
        return completion
    return completion - reasoning


def disjoint(
    prompt: int, cached: int | None, written: int | None, visible: int, reasoning: int | None
) -> Usage | None:
    """The parts of a bill whose input includes cached; None when they are impossible."""
    uncached = prompt - (cached or 0) - (written or 0)
    if uncached < 0 or visible < 0:
        return None
    return Usage(
        input_tokens=uncached,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=visible,
        reasoning_tokens=reasoning,
    )
