"""Takes secrets out of text by their value, whole, in part, or encoded."""

import base64
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from msgspec.structs import replace

from runner.wire import Result

REDACTED = "[redacted]"
GRAM = 8
"""This many characters of a secret in a row are taken out, so that a cut-off key is no leak."""
MIN_SECRET = 4
"""A shorter value is no secret; taking it out would shred all text."""


class Redactor:
    """Knows the secrets of one account and removes them from text."""

    __slots__ = ("_grams", "_whole")

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= MIN_SECRET}
        spellings = {spelling for secret in known for spelling in _spellings(secret)}
        self._whole = tuple(sorted(spellings, key=len, reverse=True))
        self._grams = frozenset(
            spelling[start : start + GRAM]
            for spelling in spellings
            for start in range(len(spelling) - GRAM + 1)
        )

    def __repr__(self) -> str:
        return f"Redactor({len(self._whole)} spellings)"

    def whole(self, text: str) -> str:
        """The text without any whole secret; for long text, where parts are not looked for."""
        for secret in self._whole:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text

    def clean(self, text: str) -> str:
        """The text without any secret or part of one."""
        text = self.whole(text)
        if not self._grams or len(text) < GRAM:
            return text
        return self._without_parts(text)

    def _without_parts(self, text: str) -> str:
        kept: list[str] = []
        position = 0
        covered = 0
        for start in range(len(text) - GRAM + 1):
            if text[start : start + GRAM] not in self._grams:
                continue
            if start >= covered:
                kept.extend((text[position:start], REDACTED))
            position = covered = start + GRAM
        kept.append(text[position:])
        return "".join(kept)

    def result(self, result: Result) -> Result:
        """The result without any secret in any of its texts."""
        if not self._whole:
            return result
        changes = {
            name: cleaned
            for name in ("error", "request_id", "finish_reason", "model_reported", "reason")
            if (value := getattr(result, name)) and (cleaned := self.clean(value)) != value
        }
        for name in ("text", "reasoning_text"):
            value = getattr(result, name)
            if value and (cleaned := self.whole(value)) != value:
                changes[name] = cleaned
        return replace(result, **changes) if changes else result


def _spellings(secret: str) -> set[str]:
    """The secret as it is, in a URL, and in base64 (as in basic authentication)."""
    encoded = base64.b64encode(secret.encode()).decode()
    return {secret, quote(secret, safe=""), quote_plus(secret), encoded.rstrip("=")}
