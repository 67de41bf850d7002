"""The vocabulary between the engine and a provider: one request out, one result back.

A result is always a value. What a reply means is decided by pure functions over status, headers
and body (`runner.providers`), so every recorded fault can be a test without a network.

These are made for every call, so they are structs, not dataclasses: a frozen dataclass of a dozen
fields takes several microseconds to make, a frozen struct less than one.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct, field

from state.records import Outcome
from tasks.sample import Prompt


class Usage(Struct, frozen=True, kw_only=True, gc=False):
    """Billed tokens in disjoint parts, however the provider nests them. None is unknown."""

    input_tokens: int | None = None
    """Input that was neither read from nor written to the provider's cache."""
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    """Visible output."""
    reasoning_tokens: int | None = None

    @property
    def total_input(self) -> int | None:
        """All input tokens; what long-context price tiers and context windows look at."""
        if self.input_tokens is None:
            return None
        return self.input_tokens + (self.cache_read_tokens or 0) + (self.cache_write_tokens or 0)

    @property
    def total_output(self) -> int | None:
        """Visible output and reasoning."""
        if self.output_tokens is None:
            return None
        return self.output_tokens + (self.reasoning_tokens or 0)


class RetryKind(StrEnum):
    """What repeating a request would be for."""

    NO = "no"
    TRANSIENT = "transient"
    OVERLOADED = "overloaded"
    RATE_LIMIT = "rate_limit"
    STALE_CONNECTION = "stale_connection"  # a pooled socket was already closed: at once, uncounted


class TooMuch(StrEnum):
    """What a rate-limit refusal is about."""

    RATE = "rate"  # so much per minute; also where nothing is said
    CONCURRENCY = "concurrency"  # in flight at once


class RetryDecision(Struct, frozen=True, kw_only=True, gc=False):
    """Whether to ask again, decided from the reply alone."""

    kind: RetryKind = RetryKind.NO
    about: TooMuch = TooMuch.RATE
    """What there was too much of, where the kind is RATE_LIMIT."""
    retry_after_s: float | None = None
    """What this very response asked for, in seconds."""


class LimitHint(Struct, frozen=True, kw_only=True, gc=False):
    """What response headers say about one limit of the account."""

    dimension: str
    """requests, input_tokens, output_tokens, tokens, or requests_per_day."""
    limit: int | None = None
    remaining: int | None = None
    reset_s: float | None = None
    in_words: bool = False
    """Said in an error's message only: believed where what we sent makes it likely."""


_COMPARED = 2000
_ID = re.compile(r"[\w.@:+/=-]*\d[\w.@:+/=-]*|[\w+/=-]{20,}|(?<=[a-z])[A-Z]\w*[A-Z]\w*")
_NAMED_ID = re.compile(
    r"\b((?:request|trace|ray|correlation|reference|error|session)[ _-]?id\W{1,4})\S+",
    re.IGNORECASE,
)


def _shape(text: str) -> str:
    """The text without ids and numbers."""
    return _ID.sub("#", _NAMED_ID.sub(r"\1#", text))


class Result(Struct, frozen=True, kw_only=True, gc=False):
    """How one attempt ended."""

    outcome: Outcome
    reason: str = ""
    """Stored after the outcome and a colon: `recitation`, `content_filter`, ..."""
    text: str = ""
    reasoning_text: str | None = None
    finish_reason: str | None = None
    model_reported: str | None = None
    usage: Usage | None = None
    request_id: str | None = None
    http_status: int | None = None
    error: str | None = None
    """The provider's own words, shortened and redacted."""
    retry: RetryDecision = RetryDecision()
    maybe_billed: bool = False
    """The provider may bill it although no usage came back (timeout, reset, cut body)."""
    hints: tuple[LimitHint, ...] = ()
    unsupported_param: str | None = None
    """A parameter that the provider says this model does not take."""
    first_byte_s: float | None = None

    @property
    def fingerprint(self) -> str:
        """What two replies share that end for the same reason: ids and counts in words differ."""
        words = _shape(f"{self.error or ''} {self.text}"[:_COMPARED])
        return f"{self.stored_outcome} {self.http_status} {self.finish_reason} {words}"

    @property
    def stored_outcome(self) -> str:
        """The outcome with its reason, as the table holds it."""
        return f"{self.outcome}:{self.reason}" if self.reason else str(self.outcome)


class Deadlines(Struct, frozen=True, kw_only=True, gc=False):
    """Seconds one attempt may take."""

    first_byte_s: float
    total_s: float


class Request(Struct, frozen=True, kw_only=True, gc=False):
    """One call to make."""

    model: str
    """The name the provider knows, without our provider prefix."""
    prompt: Prompt
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Decoding parameters in our names: temperature, top_p, max_tokens, seed, stop, ..."""
    stream: bool = False
    api_version: str | None = None
    """Of the path, where the wire format has one there; None is its own default."""
    inline_reasoning: bool = True
    """Whether tagged reasoning before the answer is reasoning; else it is part of the answer."""


class Provider(Protocol):
    """One account at one base URL."""

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        """Send one attempt. Never raises but for cancellation and our own bugs."""
        ...

    async def aclose(self) -> None:
        """Close pooled connections."""
        ...
