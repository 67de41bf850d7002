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
from runner.providers.meaning.usage import Counts, inclusive
from runner.wire import Result, Usage
from state.records import Outcome

Count = Annotated[int, Meta(ge=0, le=MAX_COUNT)]


class _InputDetails(Struct):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    cache_creation_tokens: None = None
    prompt_cache_hit_tokens: None = None
    cache_read_input_tokens: None = None
    cache_creation_input_tokens: None = None


class _OutputDetails(Struct):
    reasoning_tokens: Count | None = None
    thinking_tokens: None = None


class _Usage(Struct):
    prompt_tokens: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    completion_tokens: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    total_tokens: Count | None = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None
    prompt_cache_hit_tokens: None = None
    cached_tokens: None = None
    cache_read_input_tokens: None = None
    cache_creation_input_tokens: None = None
    cache_creation_tokens: None = None
    cache_write_tokens: None = None
    input_tokens_details: None = None
    output_tokens_details: None = None
    reasoning_tokens: None = None
    thinking_tokens: None = None


class _Message(Struct):
    content: str
    refusal: None = None
    thinking: None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: Literal["stop"]
    error: None = None
    errors: None = None
    error_code: None = None
    fault: None = None
    base_resp: None = None
    type: None = None
    object: None = None


class _Completion(Struct):
    choices: Annotated[list[_Choice], Meta(min_length=1, max_length=1)]
    usage: _Usage
    object: Literal["chat.completion"] = "chat.completion"
    model: str | None = None
    id: str | None = None
    error: None = None
    errors: None = None
    error_code: None = None
    fault: None = None
    base_resp: None = None
    type: None = None


_DECODER = msgspec.json.Decoder(_Completion)
_NO_INPUT_DETAILS, _NO_OUTPUT_DETAILS = _InputDetails(), _OutputDetails()


def plain_result(answer: Answer) -> Result | None:
    """The result of a 2xx that is a plain completion; None where it is anything else."""
    try:
        # As text: bytes that are no UTF-8 would be passed over where nobody asks for the value.
        body = _DECODER.decode(answer.body.decode())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
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
    inputs = usage.prompt_tokens_details or _NO_INPUT_DETAILS
    return inclusive(
        Counts(
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.total_tokens,
            inputs.cached_tokens,
            inputs.cache_write_tokens,
            (usage.completion_tokens_details or _NO_OUTPUT_DETAILS).reasoning_tokens,
        )
    )
