"""Gemini's generateContent."""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from runner.providers.formats.capabilities import Capability, fit
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

API_VERSION = "v1"
"""The version that the official SDK 3.x puts into its paths."""

_ENDINGS = {
    "STOP": Ending.STOP,
    "MAX_TOKENS": Ending.LENGTH,
    "CONTINUATION": Ending.LENGTH,
    "MALFORMED_FUNCTION_CALL": Ending.TOOL,
    "UNEXPECTED_TOOL_CALL": Ending.TOOL,
    "TOO_MANY_TOOL_CALLS": Ending.TOOL,
    "PUP_LIMITED_DISABLED": Ending.ACCOUNT,
}
_BLOCKED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "OTHER",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "ESCALATION",
        "MODEL_ARMOR",
        "NO_IMAGE",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_OTHER",
        "IMAGE_RECITATION",
    }
)
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
    """The wire format of `/v1/models/NAME:generateContent`; `base_url` is the bare host."""

    def __init__(self) -> None:
        self._tails = Tails(_settings)

    def path(self, request: Request) -> str:
        """What follows the base URL."""
        name = request.model.removeprefix("models/")
        call = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        return f"/{API_VERSION}/models/{quote(name, safe='/')}:{call}"

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
    params = fit(known, request.params).params
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
    finish = as_text(candidate.get("finishReason"))
    return reply_result(_reply(body, candidate, _ending(finish), finish), answer)


def _ending(finish: str) -> Ending:
    if finish in _BLOCKED:
        return Ending.BLOCKED_OUTPUT
    return _ENDINGS.get(finish, Ending.UNKNOWN)


def _reply(
    body: Mapping[str, Any], candidate: Mapping[str, Any], ending: Ending, finish: str
) -> ParsedReply:
    parts = [as_dict(part) for part in as_list(as_dict(candidate.get("content")).get("parts"))]
    text = "".join(as_text(part.get("text")) for part in parts if not part.get("thought"))
    thoughts = "".join(as_text(part.get("text")) for part in parts if part.get("thought"))
    telling = ending in (Ending.BLOCKED_INPUT, Ending.BLOCKED_OUTPUT, Ending.ACCOUNT)
    return ParsedReply(
        ending=ending,
        finish_reason=finish or None,
        text=text,
        reasoning_text=thoughts or None,
        reason=finish.lower()[:40] if telling else "" if finish else "no_finish_reason",
        usage=read_usage(as_dict(body.get("usageMetadata")), answered=bool(text)),
        model_reported=as_text(body.get("modelVersion")) or None,
        request_id=as_text(body.get("responseId")) or None,
    )


def read_usage(usage: Mapping[str, Any], *, answered: bool) -> Usage | None:
    """Disjoint parts of a bill whose prompt includes cached and whose thoughts stand apart.

    None when a part is missing or impossible: then the bill is unknown.
    """
    prompt = as_count(usage.get("promptTokenCount"))
    thoughts = as_count(usage.get("thoughtsTokenCount"))
    cached = as_count(usage.get("cachedContentTokenCount"))
    tools = as_count(usage.get("toolUsePromptTokenCount")) or 0
    if not prompt:
        return None
    visible = _visible(usage, prompt + tools + (thoughts or 0))
    if visible is None or (answered and visible == 0) or (cached or 0) > prompt:
        return None
    return Usage(
        input_tokens=prompt + tools - (cached or 0),
        cache_read_tokens=cached,
        output_tokens=visible,
        reasoning_tokens=thoughts,
    )


def _visible(usage: Mapping[str, Any], others: int) -> int | None:
    """Tokens of the candidates; a count of none is left out, and the total tells."""
    if "candidatesTokenCount" in usage:
        return as_count(usage["candidatesTokenCount"])
    total = as_count(usage.get("totalTokenCount"))
    return total - others if total is not None and total >= others else None


class GeminiStream:
    """Puts a streamed generateContent together."""

    def __init__(self) -> None:
        self._body: dict[str, Any] = {}
        self._parts: list[Any] = []
        self._finish = ""
        self._error: Any = None
        self._broken = False

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
        self._broken = self._broken or is_broken(event.data, data)
        chunk = as_dict(data)
        for key in ("usageMetadata", "modelVersion", "responseId", "promptFeedback"):
            if chunk.get(key):
                self._body[key] = chunk[key]
        candidate = as_dict((as_list(chunk.get("candidates")) or [None])[0])
        self._parts.extend(as_list(as_dict(candidate.get("content")).get("parts")))
        self._finish = as_text(candidate.get("finishReason")) or self._finish

    def result(self, answer: Answer) -> Result:
        """What has come so far, as a result."""
        if self._error is not None:
            return envelope_result(answer, self._error)
        if self._broken:
            return malformed_result(answer, "bad_json")
        if not self.complete:
            return cut_result(answer)
        candidate = {"content": {"parts": self._parts}, "finishReason": self._finish}
        return _result({**self._body, "candidates": [candidate]}, answer)
