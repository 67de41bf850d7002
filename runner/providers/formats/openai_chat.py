"""OpenAI's chat completions, as spoken by OpenAI and by every OpenAI-compatible server."""

from collections.abc import Mapping
from typing import Any

import orjson

from runner.providers.formats.capabilities import Capability, fit
from runner.providers.formats.openai_plain import disjoint, plain_result, visible_output
from runner.providers.formats.prompt_bytes import Tails, spliced
from runner.providers.formats.sse import Event
from runner.providers.formats.wire_format import (
    cut_result,
    envelope_result,
    error_result,
    malformed_result,
    reply_result,
)
from runner.providers.http.answer import Answer
from runner.providers.meaning.error_facts import has_error
from runner.providers.meaning.json_shapes import (
    as_count,
    as_dict,
    as_list,
    as_text,
    is_broken,
    parse_json,
)
from runner.providers.meaning.outcomes import Ending, ParsedReply
from runner.wire import Request, Result, Usage

_ENDINGS = {
    "stop": Ending.STOP,
    "eos": Ending.STOP,  # Together
    "eos_token": Ending.STOP,  # TGI
    "stop_sequence": Ending.STOP,
    "end_turn": Ending.STOP,
    "complete": Ending.STOP,
    "length": Ending.LENGTH,
    "max_tokens": Ending.LENGTH,
    "max_output_tokens": Ending.LENGTH,
    "model_length": Ending.CONTEXT,  # Mistral
    "content_filter": Ending.BLOCKED_OUTPUT,
    "content-filter": Ending.BLOCKED_OUTPUT,
    "safety": Ending.BLOCKED_OUTPUT,
    "recitation": Ending.BLOCKED_OUTPUT,
    "prohibited_content": Ending.BLOCKED_OUTPUT,
    "refusal": Ending.REFUSAL,
    "tool_calls": Ending.TOOL,
    "function_call": Ending.TOOL,
    "error": Ending.FAILED,  # OpenRouter, Mistral
    "abort": Ending.FAILED,  # vLLM, SGLang
}
_ROLE_HEAD = {
    role: orjson.dumps({"role": role, "content": ""})[:-2]
    for role in ("system", "user", "assistant")
}


class OpenAIChat:
    """The wire format of `/chat/completions`; `base_url` ends in `/v1` or the server's own."""

    def __init__(self) -> None:
        self._tails = Tails(_settings)

    def path(self, request: Request) -> str:  # noqa: ARG002  the protocol's; Gemini needs it
        """What follows the base URL."""
        return "/chat/completions"

    def headers(self, key: str | None) -> dict[str, str]:
        """Headers of every request."""
        common = {"Content-Type": "application/json", "Accept": "application/json"}
        return common if key is None else {**common, "Authorization": f"Bearer {key}"}

    def encode(self, request: Request, known: Capability) -> tuple[bytes, ...]:
        """The body in pieces."""
        pieces: list[bytes] = []
        lead = b'{"messages":['
        for message in request.prompt.messages:
            spliced(pieces, lead + _ROLE_HEAD[message.role], message.parts)
            lead = b'"},'
        pieces.append(b'"}],' + self._tails.of(request, known))
        return tuple(pieces)

    def parse(self, answer: Answer) -> Result:
        """What a whole response means."""
        if not 200 <= answer.status < 300:
            return error_result(answer)
        return plain_result(answer) or self._parse(answer)

    def _parse(self, answer: Answer) -> Result:
        body = parse_json(answer.body)
        if has_error(body):
            return envelope_result(answer, body)
        choice = as_dict((as_list(as_dict(body).get("choices")) or [None])[0])
        if has_error(choice):
            return envelope_result(answer, choice)
        if not isinstance(choice.get("message"), dict):
            return malformed_result(answer, "no_message" if body is not None else "bad_json")
        return reply_result(_reply(as_dict(body), choice, as_dict(choice["message"])), answer)

    def stream(self) -> "OpenAIStream":
        """A reader for one streamed reply."""
        return OpenAIStream()


def _settings(request: Request, known: Capability) -> dict[str, Any]:
    settings: dict[str, Any] = {"model": request.model}
    for name, value in fit(known, request.params).params.items():
        settings[known.cap_name if name == "max_tokens" else name] = value
    if request.stream:
        settings["stream"] = True
        settings["stream_options"] = {"include_usage": True}
    return settings


def _reply(
    body: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any]
) -> ParsedReply:
    finish = as_text(choice.get("finish_reason"))
    text = _content(message.get("content"))
    refusal = as_text(message.get("refusal"))
    usage = read_usage(as_dict(body.get("usage")), answered=bool(text))
    word = finish.lower()
    ending = _ENDINGS.get(word, Ending.UNKNOWN)
    if refusal and ending in (Ending.STOP, Ending.LENGTH, Ending.BLOCKED_OUTPUT):
        ending = Ending.REFUSAL
    blocked = ending is Ending.BLOCKED_OUTPUT
    return ParsedReply(
        ending=ending,
        finish_reason=finish or None,
        text=text or refusal,
        reasoning_text=_reasoning(message),
        reason=word.replace("-", "_") if blocked else "" if finish else "no_finish_reason",
        usage=usage,
        model_reported=as_text(body.get("model")) or None,
        request_id=as_text(body.get("id")) or None,
    )


def _content(content: Any) -> str:
    """Text of a message whose content is a string, or a list of parts (Mistral)."""
    if isinstance(content, str):
        return content
    parts = (as_dict(part) for part in as_list(content))
    return "".join(as_text(part.get("text")) for part in parts if part.get("type") == "text")


def _reasoning(message: Mapping[str, Any]) -> str | None:
    """DeepSeek and vLLM say reasoning_content, OpenRouter and newer vLLM reasoning."""
    said = as_text(message.get("reasoning_content")) or as_text(message.get("reasoning"))
    return said or None


def read_usage(usage: Mapping[str, Any], *, answered: bool) -> Usage | None:
    """Disjoint parts of a bill whose input includes cached and whose output includes reasoning.

    None when a part is missing or impossible: then the bill is unknown.
    """
    prompt = as_count(usage.get("prompt_tokens"))
    completion = as_count(usage.get("completion_tokens"))
    if not prompt or completion is None or (answered and completion == 0):
        return None
    details = as_dict(usage.get("prompt_tokens_details"))
    cached = as_count(details.get("cached_tokens", usage.get("prompt_cache_hit_tokens")))
    written = as_count(details.get("cache_write_tokens"))
    reasoning = as_count(as_dict(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    visible = visible_output(
        completion, reasoning or 0, as_count(usage.get("total_tokens")), prompt
    )
    return disjoint(prompt, cached, written, visible, reasoning)


class OpenAIStream:
    """Puts a streamed chat completion together."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._body: dict[str, Any] = {}
        self._finish: Any = None
        self._error: Any = None
        self._broken = False
        self._done = False

    @property
    def done(self) -> bool:
        """Nothing more is to come."""
        return self._done

    @property
    def complete(self) -> bool:
        """What has come is a whole reply or an error."""
        return self._error is not None or self._finish is not None

    def feed(self, event: Event) -> None:
        """Take the next event."""
        if event.data.startswith(b"[DONE]"):
            self._done = True
            return
        chunk = parse_json(event.data)
        if has_error(chunk) or event.name == "error":
            self._error, self._done = chunk or {"error": "error event"}, True
            return
        self._broken = self._broken or is_broken(event.data, chunk)
        for key in ("id", "model", "usage"):
            value = as_dict(chunk).get(key)
            if value:
                self._body[key] = value
        choice = as_dict((as_list(as_dict(chunk).get("choices")) or [None])[0])
        self._take(choice)

    def _take(self, choice: dict[str, Any]) -> None:
        delta = as_dict(choice.get("delta"))
        self._text.append(_content(delta.get("content")))
        self._reasoning.append(_reasoning(delta) or "")
        self._refusal.append(as_text(delta.get("refusal")))
        self._finish = choice.get("finish_reason") or self._finish
        if has_error(choice):
            self._error, self._done = choice, True

    def result(self, answer: Answer) -> Result:
        """What has come so far, as a result."""
        if self._error is not None:
            return envelope_result(answer, self._error)
        if self._broken:
            return malformed_result(answer, "bad_json")
        if not self.complete:
            return cut_result(answer)
        message = {
            "content": "".join(self._text),
            "reasoning": "".join(self._reasoning),
            "refusal": "".join(self._refusal),
        }
        return reply_result(_reply(self._body, {"finish_reason": self._finish}, message), answer)
