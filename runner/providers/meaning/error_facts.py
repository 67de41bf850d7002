"""Reads error bodies of every known spelling into one set of facts.

{"error": {"message", "type", "code", "param", "status", "details", "metadata"}}   most
[{"error": {...}}]                          Gemini, streams that are not event streams
{"type": "error", "error": {...}}           Anthropic
{"object": "error", "message", "code"}      older vLLM, Mistral
{"error": "text"}   {"detail": "text"}   {"detail": [{"msg", "loc"}]}   {"statusCode", "message"}
{"error": ["text"]}   {"errors": [{"message"}]}   {"base_resp": {"status_code", "status_msg"}}
"""

import re
from dataclasses import dataclass
from typing import Any

from runner.providers.meaning.json_shapes import (
    as_dict,
    as_list,
    as_text,
    as_word,
    objects_in,
    parse_json,
)

MAX_ERROR_CHARS = 500
"""What is kept of a provider's words."""
_SCANNED_CHARS = 4_000
"""What is looked at; wordings stand at the start, and a hostile body may be megabytes."""
_CODE_KEYS = (
    *("type", "code", "status", "error_code", "reason", "error_type", "name"),
    *("status_code", "failed_check", "__type"),
)
_SAID = (
    *("error", "message", "msg", "Message", "error_message", "errorMessage", "error_msg"),
    *(
        "status_msg",
        "description",
        "error_description",
        "title",
        "detail",
        "details",
        "faultstring",
    ),
    *("errors", "fault", "base_resp", "metadata", "raw", "innererror", "inner_error"),
)
"""Where words stand, the likeliest first."""
_SAID_NAMES = frozenset(_SAID)
_IS_REPLY = frozenset({"choices", "candidates", "delta", "parts"})
_MAX_DEPTH = 6
_MAX_PARTS = 20
_EVENT = re.compile(rb"\s*(?:event:[^\n]*\n)?data: ?(?=[{\[])")
_PAGE = re.compile(r"\s*<(!doctype|html|head|body|\?xml)", re.IGNORECASE)
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
    page: bool = False
    """The body is a page for people, as proxies and challenges send."""

    @property
    def text(self) -> str:
        """The message in lower case, for matching."""
        return self.message.lower()


def shorten(text: str) -> str:
    """One line of at most MAX_ERROR_CHARS printable characters."""
    line = " ".join(text[:_SCANNED_CHARS].split())[: MAX_ERROR_CHARS + 1]
    line = "".join(char if char.isprintable() else "?" for char in line)
    return line if len(line) <= MAX_ERROR_CHARS else line[: MAX_ERROR_CHARS - 3] + "..."


_NOTHING = frozenset(
    {
        "",
        "0",
        "200",
        "none",
        "null",
        "nil",
        "undefined",
        "false",
        "ok",
        "success",
        "no error",
        "n/a",
    }
)
"""Words that say that there is no error."""


def says_something(value: Any, depth: int = 0) -> bool:
    """Whether the value of an `error` field tells of an error: one of empty fields does not."""
    if isinstance(value, dict | list):
        inner = as_dict(value).values() or as_list(value)
        return depth < _MAX_DEPTH and any(says_something(item, depth + 1) for item in inner)
    if isinstance(value, str | int) and not isinstance(value, bool):
        return as_word(value) not in _NOTHING
    return bool(value)


def has_error(value: Any) -> bool:
    """Whether a JSON value is an error envelope, whatever status it came with."""
    body = as_dict((as_list(value) or [value])[0])
    if any(says_something(body.get(name)) for name in ("error", "errors", "error_code", "fault")):
        return True
    if says_something(as_dict(body.get("base_resp")).get("status_code")):  # MiniMax
        return True
    return "error" in (as_word(body.get("object")), as_word(body.get("type")))


def read_body(status: int, body: bytes) -> ErrorFacts:
    """Facts of an error body that may be JSON, an event, HTML or anything else."""
    value = parse_json(_EVENT.sub(b"", body, count=1) if _EVENT.match(body) else body)
    if isinstance(value, dict | list):
        return read_error(status, value)
    text = body[:_SCANNED_CHARS].decode("utf-8", "replace")
    return ErrorFacts(
        status=status,
        message=" ".join(_TAGS.sub(" ", text).split()),
        page=_PAGE.match(text) is not None,
    )


def read_error(status: int, value: Any) -> ErrorFacts:
    """Facts of an error that is JSON."""
    outer = as_dict(as_list(value)[0]) if as_list(value) else as_dict(value)
    error = as_dict(outer.get("error")) or as_dict((as_list(outer.get("errors")) or [None])[0])
    error = error or outer
    layers = [layer for layer in objects_in(outer) if not _IS_REPLY & layer.keys()]
    codes = {as_word(layer.get(key)) for layer in layers for key in _CODE_KEYS}
    details = [as_dict(item) for item in as_list(error.get("details"))]
    return ErrorFacts(
        status=_status(status, error, outer),
        message=_message(outer)[:_SCANNED_CHARS],
        codes=frozenset(codes - {""}),
        quotas=_quotas(details),
        param=as_word(error.get("param")),
        retry_delay=next((as_text(d["retryDelay"]) for d in details if "retryDelay" in d), ""),
    )


def _status(status: int, error: dict[str, Any], outer: dict[str, Any]) -> int:
    """The envelope's own status where HTTP said 200."""
    if status >= 300:
        return status
    named = ((error, "code"), (error, "status"), (outer, "code"), (outer, "statusCode"))
    for holder, key in (*named, (outer, "status")):
        word = as_word(holder.get(key))
        if _STATUS_WORD.fullmatch(word) and int(word) >= 400:
            return int(word)
    return status


def _message(value: Any) -> str:
    """All that is said in words, wherever it stands, the provider behind a router included."""
    said: list[str] = []
    _collect(value, said, 0)
    return " | ".join(dict.fromkeys(said))


def _collect(value: Any, said: list[str], depth: int) -> None:
    """The words of an error, the outer before the inner."""
    if not value or depth > _MAX_DEPTH or len(said) >= _MAX_PARTS:
        return
    if isinstance(value, str):
        if (
            inner := parse_json(value.encode("utf-8", "replace"))
            if value[:1] in "{[" and value
            else None
        ):
            _collect(inner, said, depth + 1)
        elif value.strip():
            said.append(value[:_SCANNED_CHARS])
    elif isinstance(value, list):
        for item in as_list(value)[:_MAX_PARTS]:
            _collect(item, said, depth + 1)
    else:
        fields = as_dict(value)
        for name in fields.keys() & _SAID_NAMES and _SAID:
            _collect(fields.get(name), said, depth + 1)


def _quotas(details: list[dict[str, Any]]) -> str:
    violations = (as_dict(v) for detail in details for v in as_list(detail.get("violations")))
    keys = ("quotaId", "quotaMetric", "quotaValue")
    return " ".join(as_word(v.get(key)) for v in violations for key in keys).strip()
