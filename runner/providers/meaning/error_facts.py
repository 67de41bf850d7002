"""Reads error bodies of every known spelling into one set of facts.

{"error": {"message", "type", "code", "param", "status", "details", "metadata"}}   most
[{"error": {...}}]                          Gemini, streams that are not event streams
{"type": "error", "error": {...}}           Anthropic
{"object": "error", "message", "code"}      older vLLM, Mistral
{"error": "text"}   {"detail": "text"}   {"detail": [{"msg", "loc"}]}   {"statusCode", "message"}
"""

import re
from dataclasses import dataclass
from typing import Any

from runner.providers.meaning.json_shapes import as_dict, as_list, as_text, as_word, parse_json

MAX_ERROR_CHARS = 500
"""What is kept of a provider's words."""
_SCANNED_CHARS = 4_000
"""What is looked at; wordings stand at the start, and a hostile body may be megabytes."""
_CODE_KEYS = ("type", "code", "status", "error_code", "reason", "error_type", "name")
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_STATUS_WORD = re.compile(r"\d{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFacts:
    """What a provider said when it did not answer."""

    status: int
    """Of HTTP, or of the envelope inside a 200."""
    message: str = ""
    codes: frozenset[str] = frozenset()
    """Every code, type and status word, in lower case."""
    quotas: str = ""
    """Names of the quotas that were hit, in lower case."""
    param: str = ""
    retry_delay: str = ""
    """A duration in the body, such as Gemini's `37s`."""

    @property
    def text(self) -> str:
        """The message in lower case, for matching."""
        return self.message.lower()


def shorten(text: str) -> str:
    """One line of at most MAX_ERROR_CHARS printable characters."""
    line = " ".join(text[:_SCANNED_CHARS].split())[: MAX_ERROR_CHARS + 1]
    line = "".join(char if char.isprintable() else "?" for char in line)
    return line if len(line) <= MAX_ERROR_CHARS else line[: MAX_ERROR_CHARS - 3] + "..."


def has_error(value: Any) -> bool:
    """Whether a JSON value is an error envelope, whatever status it came with."""
    body = as_dict((as_list(value) or [value])[0])
    return bool(body.get("error")) or as_word(body.get("object")) == "error"


def read_body(status: int, body: bytes) -> ErrorFacts:
    """Facts of an error body that may be JSON, HTML or anything else."""
    value = parse_json(body)
    if isinstance(value, dict | list):
        return read_error(status, value)
    text = body[:_SCANNED_CHARS].decode("utf-8", "replace")
    return ErrorFacts(status=status, message=" ".join(_TAGS.sub(" ", text).split()))


def read_error(status: int, value: Any) -> ErrorFacts:
    """Facts of an error that is JSON."""
    outer = as_dict(as_list(value)[0]) if as_list(value) else as_dict(value)
    error = as_dict(outer.get("error")) or outer
    layers = (outer, error, as_dict(error.get("innererror")), as_dict(error.get("details")))
    details = [as_dict(item) for item in as_list(error.get("details"))]
    codes = {as_word(layer.get(key)) for layer in (*layers, *details) for key in _CODE_KEYS}
    return ErrorFacts(
        status=_status(status, error, outer),
        message=_message(outer, error)[:_SCANNED_CHARS],
        codes=frozenset(codes - {""}),
        quotas=_quotas(details),
        param=as_word(error.get("param")),
        retry_delay=next((as_text(d["retryDelay"]) for d in details if "retryDelay" in d), ""),
    )


def _status(status: int, error: dict[str, Any], outer: dict[str, Any]) -> int:
    """The envelope's own status where HTTP said 200."""
    if status >= 300:
        return status
    for holder, key in ((error, "code"), (error, "status"), (outer, "code"), (outer, "statusCode")):
        word = as_word(holder.get(key))
        if _STATUS_WORD.fullmatch(word) and int(word) >= 400:
            return int(word)
    return status


def _message(outer: dict[str, Any], error: dict[str, Any]) -> str:
    """All that is said in words, the provider behind a router included."""
    metadata = as_dict(error.get("metadata"))
    said = [
        as_text(outer.get("error")),
        as_text(error.get("message")) or as_text(outer.get("message")),
        as_text(outer.get("detail")),
        *(as_text(as_dict(item).get("msg")) for item in as_list(outer.get("detail"))),
        as_text(metadata.get("raw")),
    ]
    return " | ".join(part for part in said if part)


def _quotas(details: list[dict[str, Any]]) -> str:
    violations = (as_dict(v) for detail in details for v in as_list(detail.get("violations")))
    keys = ("quotaId", "quotaMetric", "quotaValue")
    return " ".join(as_word(v.get(key)) for v in violations for key in keys).strip()
