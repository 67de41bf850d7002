"""Anthropic's messages."""

from collections.abc import Mapping
from typing import Any

from runner.providers.formats.capabilities import DEFAULT_MAX_TOKENS, Capability, fit
from runner.providers.formats.prompt_bytes import Tails, spliced
from runner.providers.formats.sse import Event
from runner.providers.formats.wire_format import (
    broken_off_result,
    broken_result,
    cut_result,
    envelope_result,
    error_result,
    malformed_result,
    reply_result,
)
from runner.providers.http.answer import Answer
from runner.providers.meaning.content import said_in
from runner.providers.meaning.error_facts import has_error
from runner.providers.meaning.json_shapes import as_dict, as_text, is_broken, parse_json
from runner.providers.meaning.outcomes import (
    Ending,
    ParsedReply,
    blocked_reason,
    ending_of,
    word_of,
)
from runner.providers.meaning.usage import find_usage
from runner.wire import Request, Result

API_VERSION = "2026-10-21"
"""The version that the official SDK 2.x names."""


class AnthropicMessages:
    """The wire format of `/v1/messages`; `base_url` is the bare host."""

    def __init__(self) -> None:
        self._tails = Tails(_settings)

    def path(self, request: Request) -> str:  # noqa: ARG002  the protocol's; Gemini needs it
        """What follows the base URL."""
        return "/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        """Headers of every request; the SDK 2.x sends its key as a bearer token, and so do we."""
        common = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "anthropic-version": API_VERSION,
        }
        return common if key is None else {**common, "Authorization": f"Bearer {key}"}

    def encode(self, request: Request, known: Capability) -> tuple[bytes, ...]:
        """The body in pieces; system turns become the one `system` text."""
        pieces: list[bytes] = []
        turns = [turn for turn in request.prompt.messages if turn.role != "system"]
        system = [turn for turn in request.prompt.messages if turn.role == "system"]
        lead = b'{"messages":['
        for turn in turns:
            spliced(pieces, lead + b'{"role":"%b","content":"' % turn.role.encode(), turn.parts)
            lead = b'"},'
        lead = b'"}],"system":"'
        for turn in system:
            spliced(pieces, lead, turn.parts)
            lead = b"\\n\\n"
        pieces.append((b'",' if system else b'"}],') + self._tails.of(request, known))
        return tuple(pieces)

    def parse(self, answer: Answer) -> Result:
        """What a whole response means."""
        if not 200 <= answer.status < 300:
            return error_result(answer)
        body = parse_json(answer.body)
        if has_error(body):
            return envelope_result(answer, body)
        message = as_dict(body)
        if not isinstance(message.get("content"), list | str):
            return malformed_result(answer, "no_message" if body is not None else "bad_json")
        return reply_result(_reply(message), answer)

    def stream(self) -> "AnthropicStream":
        """A reader for one streamed reply."""
        return AnthropicStream()


def _settings(request: Request, known: Capability) -> dict[str, Any]:
    settings: dict[str, Any] = {"model": request.model, "max_tokens": DEFAULT_MAX_TOKENS}
    for name, value in fit(known, request.params).items():
        if name == "reasoning_effort":
            settings.update(_effort(value))
        elif name == "thinking_budget":
            settings["thinking"] = _thinking(value)
        elif name == "stop":
            settings["stop_sequences"] = [value] if isinstance(value, str) else value
        else:
            settings[name] = value
    if request.stream:
        settings["stream"] = True
    return settings


def _effort(effort: Any) -> dict[str, Any]:
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    return {"output_config": {"effort": effort}}


def _thinking(budget: Any) -> dict[str, Any]:
    return {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"}


def _reply(message: Mapping[str, Any], *, done: bool = False) -> ParsedReply:
    finish = word_of(message.get("stop_reason"))
    said = said_in(message.get("content"))
    ending = ending_of(finish)
    usage = find_usage(message, answered=bool(said.text))
    return ParsedReply(
        ending=ending,
        finish_reason=finish or None,
        text=said.text,
        reasoning_text=said.reasoning or None,
        reason=_reason(message, ending, finish),
        usage=usage,
        model_reported=as_text(message.get("model")) or None,
        request_id=as_text(message.get("id")) or None,
        whole=done or usage is not None,
    )


def _reason(message: Mapping[str, Any], ending: Ending, finish: str) -> str:
    if ending is Ending.REFUSAL:
        return as_text(as_dict(message.get("stop_details")).get("category"))[:40]
    return blocked_reason(finish) if ending is Ending.BLOCKED_OUTPUT else ""


_TEXT_EVENTS = {"content_block_start": "content_block", "content_block_delta": "delta"}


class AnthropicStream:
    """Puts a streamed message together."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._error: Any = None
        self._broken = b""
        self._done = False

    @property
    def done(self) -> bool:
        """Nothing more is to come."""
        return self._done

    @property
    def complete(self) -> bool:
        """What has come is a whole reply or an error."""
        stopped = bool(word_of(self._message.get("stop_reason")))
        return self._error is not None or stopped or self._done

    def feed(self, event: Event) -> None:
        """Take the next event."""
        data = parse_json(event.data)
        body = as_dict(data)
        kind = as_text(body.get("type")) or event.name
        if kind == "error" or has_error(data):
            self._error, self._done = data or {"error": "error event"}, True
        elif is_broken(event.data, data):
            self._broken = self._broken or event.data
        elif kind == "message_start":
            self._take_message(as_dict(body.get("message")), body)
        elif kind == "message_delta":
            self._take_message(as_dict(body.get("delta")), body)
        elif kind in _TEXT_EVENTS:
            self._take_text(as_dict(body.get(_TEXT_EVENTS[kind])))
        elif kind in ("message", "message_stop"):  # a message may come where events were due
            self._take_message(body, {})
            self._done = True

    def _take_message(self, part: dict[str, Any], body: dict[str, Any]) -> None:
        for key in ("id", "model", "stop_reason", "stop_details"):
            if part.get(key) is not None:
                self._message[key] = part[key]
        if said := said_in(part.get("content")):
            self._text.append(said.text)
            self._thinking.append(said.reasoning)
        # Counts are cumulative: a later one replaces an earlier one.
        for usage in (as_dict(part.get("usage")), as_dict(body.get("usage"))):
            self._usage.update({key: value for key, value in usage.items() if value is not None})

    def _take_text(self, part: dict[str, Any]) -> None:
        said = said_in(part)
        self._text.append(said.text)
        self._thinking.append(said.reasoning)

    def result(self, answer: Answer) -> Result:
        """What has come so far, as a result."""
        if self._error is not None:
            return broken_off_result(answer, self._error)
        if self._broken:
            return broken_result(answer, self._broken)
        if not self.complete:
            return cut_result(answer)
        content = [
            {"type": "text", "text": "".join(self._text)},
            {"type": "thinking", "thinking": "".join(self._thinking)},
        ]
        return reply_result(
            _reply({**self._message, "content": content, "usage": self._usage}, done=self._done),
            answer,
        )
