"""A provider's wire format, apart from any network: requests to bytes, bytes to results."""

from dataclasses import replace
from typing import Protocol

from msgspec import structs

from runner.providers.formats.capabilities import Capability
from runner.providers.formats.sse import Event
from runner.providers.http.answer import Answer
from runner.providers.meaning.error_facts import ErrorFacts, read_body, read_error, shorten
from runner.providers.meaning.error_rules import judge_disguised, judge_error, judge_stream_error
from runner.providers.meaning.headers import (
    exhausted_reset_s,
    limit_hints,
    parse_duration,
    retry_after_s,
    retry_after_words,
)
from runner.providers.meaning.json_shapes import mended
from runner.providers.meaning.limit_words import limit_in_words, too_much
from runner.providers.meaning.outcomes import ParsedReply, Verdict, judge_reply, verdict
from runner.wire import LimitHint, Request, Result, RetryDecision, RetryKind
from state.records import Outcome


class StreamReader(Protocol):
    """Puts one streamed reply together, event by event."""

    def feed(self, event: Event) -> None:
        """Take the next event; any bytes are welcome, none raises."""
        ...

    @property
    def done(self) -> bool:
        """Nothing more is to come."""
        ...

    @property
    def complete(self) -> bool:
        """What has come is a whole reply or an error, even if the stream should break off now."""
        ...

    def result(self, answer: Answer) -> Result:
        """What has come so far, as a result; a stream that was cut is transient."""
        ...


class WireFormat(Protocol):
    """One provider family's dialect; pure."""

    def path(self, request: Request) -> str:
        """What follows the base URL."""
        ...

    def headers(self, key: str | None) -> dict[str, str]:
        """Headers of every request; the only place where the key goes."""
        ...

    def encode(self, request: Request, known: Capability) -> tuple[bytes, ...]:
        """The body in pieces, with parameters that fit the model.

        Text that prompts share is the same bytes object in all their bodies.
        """
        ...

    def parse(self, answer: Answer) -> Result:
        """What a whole response means."""
        ...

    def stream(self) -> StreamReader:
        """A reader for one streamed reply."""
        ...


_NO_RETRY = RetryDecision()


def reply_result(reply: ParsedReply, answer: Answer) -> Result:
    """The result of a reply, judged."""
    judged = judge_reply(reply)
    return Result(
        outcome=judged.outcome,
        reason=mended(judged.reason),
        text=mended(reply.text),
        reasoning_text=_mended(reply.reasoning_text),
        finish_reason=_mended(reply.finish_reason),
        model_reported=_mended(reply.model_reported),
        usage=reply.usage,
        request_id=request_id(answer) or _mended(reply.request_id),
        http_status=answer.status,
        retry=_NO_RETRY if judged.retry is RetryKind.NO else RetryDecision(kind=judged.retry),
        maybe_billed=judged.maybe_billed,
        hints=limit_hints(answer.headers, answer.now),
        first_byte_s=answer.first_byte_s,
    )


def _mended(text: str | None) -> str | None:
    return None if text is None else mended(text)


def error_result(answer: Answer) -> Result:
    """The result of a response that is an error by status."""
    facts = read_body(answer.status, answer.body)
    code = answer.headers.get(_ERROR_CODE, "").partition(":")[0].strip().lower()
    if code:
        facts = replace(facts, codes=facts.codes | {code})
    if 300 <= answer.status < 400:
        facts = replace(facts, message=_redirect(facts, answer))
    return _judged(facts, judge_error(facts), answer)


_ERROR_CODE = "x-amzn-errortype"


def _redirect(facts: ErrorFacts, answer: Answer) -> str:
    """Where a redirect points, without what may be secret in a query."""
    to = answer.headers.get("location", "").partition("?")[0]
    return f"redirects to {to or 'nowhere'}; put its address into base_url. {facts.message}".strip()


def envelope_result(answer: Answer, body: object) -> Result:
    """The result of a 200 that holds an error envelope and nothing else; vendors bill it not."""
    facts = read_error(answer.status, body)
    return _judged(facts, judge_error(facts), answer)


def broken_off_result(answer: Answer, error: object) -> Result:
    """The result of a reply that had begun when the error came, so it may be billed."""
    facts = read_error(answer.status, error)
    return _judged(facts, judge_stream_error(facts), answer)


def broken_result(answer: Answer, data: bytes) -> Result:
    """The result of a stream in which an event held something else than the reply."""
    return malformed_result(structs.replace(answer, body=data), "bad_json")


def malformed_result(answer: Answer, reason: str) -> Result:
    """The result of a 2xx whose body is not what the provider promised.

    Words instead of a reply may say what is wrong; the start of a reply that was cut may not.
    """
    body = answer.body
    cut = reason == "bad_json" and body.lstrip()[:1] in (b"{", b"[")
    facts = read_body(answer.status, body if len(body) <= _MOST_WORDS else body[:4000])
    disguised = None if cut or len(body) > _MOST_WORDS else judge_disguised(facts)
    judged = disguised or verdict(Outcome.MALFORMED, reason, maybe_billed=True)
    return _judged(facts, judged, answer)


_MOST_WORDS = 16_000
"""A longer body is no error's text."""


def cut_result(answer: Answer, reason: str = "cut_stream") -> Result:
    """The result of a stream that ended before the reply did."""
    judged = verdict(Outcome.TRANSIENT, reason, maybe_billed=True)
    facts = ErrorFacts(status=answer.status, message="the stream ended before the reply did")
    return _judged(facts, judged, answer)


def _judged(facts: ErrorFacts, judged: Verdict, answer: Answer) -> Result:
    hints = _hints(facts, judged, answer)
    retry = RetryDecision(
        kind=judged.retry,
        retry_after_s=_wait(facts, judged, answer, hints),
        about=too_much(facts),
    )
    return Result(
        outcome=judged.outcome,
        reason=judged.reason,
        request_id=request_id(answer),
        http_status=answer.status,
        error=shorten(facts.message) or _silent(answer),
        retry=retry,
        maybe_billed=judged.maybe_billed,
        hints=hints,
        unsupported_param=judged.unsupported_param,
        first_byte_s=answer.first_byte_s,
    )


def _silent(answer: Answer) -> str:
    """What is said of an answer without words of its own: the start of what it held instead."""
    held = shorten(answer.body[:_SHOWN].decode(errors="replace"))
    return f"HTTP {answer.status} with no message{held and f': {held}'}"


_SHOWN = 120


def _hints(facts: ErrorFacts, judged: Verdict, answer: Answer) -> tuple[LimitHint, ...]:
    """What the headers say of the limits; of the one that was hit, else what the words say."""
    hints = limit_hints(answer.headers, answer.now)
    if judged.retry is not RetryKind.RATE_LIMIT:
        return hints
    said = limit_in_words(facts)
    if said is None or said.dimension in {hint.dimension for hint in hints}:
        return hints
    return (*hints, said)


def _wait(
    facts: ErrorFacts, judged: Verdict, answer: Answer, hints: tuple[LimitHint, ...]
) -> float | None:
    """The wait that this response asks for: its header, then its body, then its used-up limits."""
    if judged.retry is RetryKind.NO:
        return None
    # A wait of nothing is no wait that was asked for: our own backoff is its floor.
    wait = retry_after_s(answer.headers, answer.now) or None
    if wait is None and facts.retry_delay:
        wait = parse_duration(facts.retry_delay) or None
    if wait is None and judged.retry is RetryKind.RATE_LIMIT:
        wait = retry_after_words(facts.message) or None
    if wait is None and judged.retry is RetryKind.RATE_LIMIT:
        wait = exhausted_reset_s(hints) or None
    return wait


_ID_HEADERS = (
    *("x-request-id", "request-id", "x-goog-request-id", "apim-request-id"),
    *("x-amzn-requestid", "cf-ray"),
)


def request_id(answer: Answer) -> str | None:
    """The provider's name for this request, for its support to find it by."""
    for name in _ID_HEADERS:
        value = answer.headers.get(name)
        if value:
            return value[:200]
    return None
