"""Gemini's generateContent."""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from runner.providers.formats.capabilities import Capability, fit
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

API_VERSION = "v1beta"
"""What gateways serve too; a model's `api_version` says otherwise."""

_CONFIG_NAMES = {
    "max_tokens": "maxOutputTokens",
    "top_p": "topP",
    "top_k": "topK",
    "stop": "stopSequences",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
}
_HARMS = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
)
_ROLES = {"user": b"user", "assistant": b"model"}


class Gemini:
    """The wire format of `/VERSION/models/NAME:generateContent`; `base_url` is the bare host."""

    def __init__(self) -> None:
        self._tails = Tails(_settings)

    def path(self, request: Request) -> str:
        """What follows the base URL."""
        name = request.model.removeprefix("models/")
        call = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        return f"/{request.api_version or API_VERSION}/models/{quote(name, safe='/')}:{call}"

    def headers(self, key: str | None) -> dict[str, str]:
        """Headers of every request; the key never stands in the URL."""
        common = {"Content-Type": "application/json"}
        return common if key is None else {**common, "x-goog-api-key": key}

    def encode(self, request: Request, known: Capability) -> tuple[bytes, ...]:
        """The body in pieces; system turns become the `systemInstruction`."""
        pieces: list[bytes] = []
        turns = [turn for turn in request.prompt.messages if turn.role != "system"]
        system = [turn for turn in request.prompt.messages if turn.role == "system"]
        lead = b'{"contents":['
        for turn in turns:
            spliced(
                pieces, lead + b'{"role":"%b","parts":[{"text":"' % _ROLES[turn.role], turn.parts
            )
            lead = b'"}]},'
        lead = b'"}]}],"systemInstruction":{"role":"user","parts":[{"text":"'
        for turn in system:
            spliced(pieces, lead, turn.parts)
            lead = b"\\n\\n"
        close = b'"}]}' if system else b'"}]}]'
        pieces.append(close + b"," + self._tails.of(request, known))
        return tuple(pieces)

    def parse(self, answer: Answer) -> Result:
        """What a whole response means."""
        if not 200 <= answer.status < 300:
            return error_result(answer)
        body = parse_json(answer.body)
        if has_error(body):
            return envelope_result(answer, body)
        if body is None:
            return malformed_result(answer, "bad_json")
        return _result(as_dict(body), answer)

    def stream(self) -> "GeminiStream":
        """A reader for one streamed reply."""
        return GeminiStream()


def _settings(request: Request, known: Capability) -> dict[str, Any]:
    params = fit(known, request.params)
    config: dict[str, Any] = {}
    thinking: dict[str, Any] = {}
    safety: list[dict[str, Any]] = []
    for name, value in params.items():
        if name == "safety_settings":
            safety = _safety(value)
        elif name == "reasoning_effort" and known.effort_budgets:
            thinking["thinking_budget"] = known.effort_budgets.get(value, value)
        elif name == "reasoning_effort":
            thinking["thinking_level"] = str(value).upper()
        elif name == "thinking_budget":
            thinking["thinking_budget"] = value
        elif name == "stop" and isinstance(value, str):
            config["stopSequences"] = [value]
        else:
            config[_CONFIG_NAMES.get(name, name)] = value
    if thinking:
        config["thinkingConfig"] = thinking
    return {"generationConfig": config, **({"safetySettings": safety} if safety else {})}


def _safety(value: Any) -> list[dict[str, Any]]:
    """Thresholds by category; one threshold alone is meant for every category of texts."""
    one = dict.fromkeys(_HARMS, value)
    chosen = cast("dict[str, Any]", value) if isinstance(value, dict) else one
    return [{"category": name, "threshold": threshold} for name, threshold in chosen.items()]


def _result(body: dict[str, Any], answer: Answer) -> Result:
    candidate = as_dict((as_list(body.get("candidates")) or [None])[0])
    blocked = as_text(as_dict(body.get("promptFeedback")).get("blockReason"))
    if blocked:
        return reply_result(_reply(body, {}, Ending.BLOCKED_INPUT, blocked), answer)
    if not candidate:
        return malformed_result(answer, "no_candidates")
    finish = word_of(candidate.get("finishReason"))
    return reply_result(_reply(body, candidate, ending_of(finish), finish), answer)


def _reply(
    body: Mapping[str, Any], candidate: Mapping[str, Any], ending: Ending, finish: str
) -> ParsedReply:
    content = candidate.get("content")
    said = said_in(as_dict(content).get("parts", content))
    telling = ending in (Ending.BLOCKED_INPUT, Ending.BLOCKED_OUTPUT, Ending.ACCOUNT)
    usage = find_usage(body, answered=bool(said.text))
    return ParsedReply(
        ending=ending,
        finish_reason=finish or None,
        text=said.text,
        reasoning_text=said.reasoning or None,
        reason=blocked_reason(finish) if telling else "",
        usage=usage,
        model_reported=as_text(body.get("modelVersion")) or None,
        request_id=as_text(body.get("responseId")) or None,
        whole=usage is not None,
    )


class GeminiStream:
    """Puts a streamed generateContent together."""

    def __init__(self) -> None:
        self._body: dict[str, Any] = {}
        self._parts: list[Any] = []
        self._finish = ""
        self._error: Any = None
        self._broken = b""

    @property
    def done(self) -> bool:
        """Nothing more is to come; without an end marker only an error says so."""
        return self._error is not None

    @property
    def complete(self) -> bool:
        """What has come is a whole reply or an error."""
        blocked = as_dict(self._body.get("promptFeedback")).get("blockReason")
        return bool(self._error is not None or self._finish or blocked)

    def feed(self, event: Event) -> None:
        """Take the next event."""
        data = parse_json(event.data)
        if has_error(data) or event.name == "error":
            self._error = data or {"error": "error event"}
            return
        if not self._broken and is_broken(event.data, data):
            self._broken = event.data
        chunk = as_dict(data)
        for key in ("usageMetadata", "modelVersion", "responseId", "promptFeedback"):
            if chunk.get(key):
                self._body[key] = chunk[key]
        candidate = as_dict((as_list(chunk.get("candidates")) or [None])[0])
        content = candidate.get("content")
        parts = as_dict(content).get("parts", content)
        self._parts.extend([parts] if isinstance(parts, dict | str) else as_list(parts))
        self._finish = word_of(candidate.get("finishReason")) or self._finish

    def result(self, answer: Answer) -> Result:
        """What has come so far, as a result."""
        if self._error is not None:
            return broken_off_result(answer, self._error)
        if self._broken:
            return broken_result(answer, self._broken)
        if not self.complete:
            return cut_result(answer)
        candidate = {"content": {"parts": self._parts}, "finishReason": self._finish}
        return _result({**self._body, "candidates": [candidate]}, answer)
