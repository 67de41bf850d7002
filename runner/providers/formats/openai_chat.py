"""OpenAI's chat completions, as spoken by OpenAI and by every OpenAI-compatible server."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from runner.providers.formats.capabilities import Capability, fit
from runner.providers.formats.openai_plain import plain_result
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
from runner.providers.meaning.json_shapes import as_dict, as_list, as_text, is_broken, parse_json
from runner.providers.meaning.outcomes import (
    Ending,
    ParsedReply,
    blocked_reason,
    ending_of,
    word_of,
)
from runner.providers.meaning.usage import find_usage
from runner.wire import Request, Result

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
        choice = _choice(body)
        if has_error(choice):
            return broken_off_result(answer, choice)
        message = _message(choice)
        if message is None:
            return malformed_result(answer, "no_message" if body is not None else "bad_json")
        return reply_result(_reply(as_dict(body), choice, message), answer)

    def stream(self) -> "OpenAIStream":
        """A reader for one streamed reply."""
        return OpenAIStream()


def _settings(request: Request, known: Capability) -> dict[str, Any]:
    settings: dict[str, Any] = {"model": request.model}
    for name, value in fit(known, request.params).items():
        settings[known.cap_name if name == "max_tokens" else name] = value
    if request.stream:
        settings["stream"] = True
        settings["stream_options"] = {"include_usage": True}
    return settings


def _choice(body: Any) -> dict[str, Any]:
    return as_dict((as_list(as_dict(body).get("choices")) or [None])[0])


def _message(choice: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a choice says: its message, a delta in its place, or the text of plain completions."""
    for name in ("message", "delta"):
        if isinstance(choice.get(name), dict):
            return as_dict(choice[name])
    return {"content": choice["text"]} if isinstance(choice.get("text"), str) else None


def _reply(
    body: Mapping[str, Any],
    choice: Mapping[str, Any],
    message: Mapping[str, Any],
    *,
    done: bool = False,
) -> ParsedReply:
    finish = word_of(choice.get("finish_reason"))
    said = said_in(message.get("content"))
    refusal = as_text(message.get("refusal")) or said.refusal
    usage = find_usage(body, answered=bool(said.text))
    ending = ending_of(finish)
    if refusal and ending in (Ending.STOP, Ending.LENGTH, Ending.BLOCKED_OUTPUT, Ending.UNSAID):
        ending = Ending.REFUSAL
    return ParsedReply(
        ending=ending,
        finish_reason=finish or None,
        text=said.text or refusal,
        reasoning_text=_reasoning(message) or said.reasoning or None,
        reason=blocked_reason(finish) if ending is Ending.BLOCKED_OUTPUT else "",
        usage=usage,
        model_reported=as_text(body.get("model")) or None,
        request_id=as_text(body.get("id")) or None,
        whole=done or usage is not None,
    )


def _reasoning(message: Mapping[str, Any]) -> str | None:
    """DeepSeek and vLLM say reasoning_content, OpenRouter and newer vLLM reasoning."""
    for name in ("reasoning_content", "reasoning", "thinking"):
        said = said_in(message.get(name))
        if said.text or said.reasoning:
            return said.text or said.reasoning
    return None


class OpenAIStream:
    """Puts a streamed chat completion together."""

    def __init__(self) -> None:
        self._said = SaidInPieces()
        self._body: dict[str, Any] = {}
        self._finish: Any = None
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
        return self._error is not None or bool(word_of(self._finish)) or self._done

    def feed(self, event: Event) -> None:
        """Take the next event."""
        if event.data.strip().startswith(b"[DONE]"):
            self._done = True
            return
        chunk = parse_json(event.data)
        if has_error(chunk) or event.name == "error":
            self._error, self._done = chunk or {"error": "error event"}, True
            return
        if not self._broken and is_broken(event.data, chunk):
            self._broken = event.data
        body, choice = as_dict(chunk), _choice(chunk)
        self._body.update(
            {
                key: value
                for key, value in body.items()
                if value and key not in ("choices", "object")
            }
        )
        if usage := next((each for each in _usages(choice)), None):
            self._body["usage"] = usage
        self._take(choice)

    def _take(self, choice: dict[str, Any]) -> None:
        if isinstance(choice.get("message"), dict) and not as_dict(choice.get("delta")):
            self._said.whole(as_dict(choice["message"]))
        else:
            self._said.delta(_message(choice) or {})
        self._finish = choice.get("finish_reason") or self._finish
        if has_error(choice):
            self._error, self._done = choice, True

    def result(self, answer: Answer) -> Result:
        """What has come so far, as a result."""
        if self._error is not None:
            return broken_off_result(answer, self._error)
        if self._broken:
            return broken_result(answer, self._broken)
        if not self.complete:
            return cut_result(answer)
        choice = {"finish_reason": self._finish}
        message = self._said.message()
        return reply_result(_reply(self._body, choice, message, done=self._done), answer)


def _usages(choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Bills inside a choice, where Moonshot puts them."""
    for place in (choice, as_dict(choice.get("delta")), as_dict(choice.get("message"))):
        if usage := as_dict(place.get("usage")):
            yield usage


class SaidInPieces:
    """What the deltas of a stream say; a whole message counts where no delta said anything."""

    def __init__(self) -> None:
        self._deltas = Channels()
        self._wholes: list[dict[str, Any]] = []

    def delta(self, delta: Mapping[str, Any]) -> None:
        """Take what one event adds."""
        self._deltas.add(delta)

    def whole(self, message: dict[str, Any]) -> None:
        """Take a message where a delta was due."""
        self._wholes.append(message)

    def message(self) -> dict[str, Any]:
        """All of it as one message."""
        said = self._deltas
        if not said.empty or not self._wholes:
            return said.message()
        last = Channels()
        for message in self._wholes:
            each = Channels()
            each.add(message)
            if each.text.startswith(last.text):  # what was said so far, again and more
                last = each
            else:
                last.add(message)
        return last.message()


class Channels:
    """Text, reasoning and refusal as they grow."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {"content": [], "reasoning": [], "refusal": []}

    def add(self, message: Mapping[str, Any]) -> None:
        """Take what a message or a delta says."""
        said = said_in(message.get("content"))
        self._parts["content"].append(said.text)
        self._parts["reasoning"].append(_reasoning(message) or said.reasoning)
        self._parts["refusal"].append(as_text(message.get("refusal")) or said.refusal)

    @property
    def text(self) -> str:
        """The visible text."""
        return "".join(self._parts["content"])

    @property
    def empty(self) -> bool:
        """Whether nothing was said on any channel."""
        return not any(map(any, self._parts.values()))

    def message(self) -> dict[str, Any]:
        """All of it as one message."""
        return {name: "".join(parts) for name, parts in self._parts.items()}
