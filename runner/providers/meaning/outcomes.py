"""Decides how an attempt ended, from what the provider said; the taxonomy lives here, once.

Each wire format reduces its replies to a `ParsedReply` and its errors to an `ErrorFacts`; what
these mean is decided below, by pure functions, the same for every provider.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from msgspec import Struct

from runner.providers.meaning.json_shapes import as_dict, as_list, as_text, as_word
from runner.wire import RetryKind, Usage
from state.records import Outcome


class Ending(StrEnum):
    """Why a model stopped, whatever word the provider has for it."""

    STOP = "stop"
    LENGTH = "length"
    CONTEXT = "context"  # the context window was full before the answer was done
    REFUSAL = "refusal"
    BLOCKED_INPUT = "blocked_input"
    BLOCKED_OUTPUT = "blocked_output"
    TOOL = "tool"  # the model called a tool, although none was offered
    FAILED = "failed"  # the provider says that generation broke
    ACCOUNT = "account"  # the provider switched the account off
    UNSAID = "unsaid"
    UNKNOWN = "unknown"


UNSAID = "no_finish_reason"
"""Marks what a server gave without saying why it ended."""


def word_of(finish: Any) -> str:
    """The provider's own word for why a model stopped, wherever it stands in the field."""
    while isinstance(finish, list):
        finish = as_list(finish)[0] if finish else None
    if isinstance(finish, dict):
        fields = as_dict(finish)
        finish = next((fields[name] for name in _WORDS_IN if as_word(fields.get(name))), None)
    word = as_text(finish).strip()
    return (
        "" if word.lower() in ("null", "none", "unspecified", "finish_reason_unspecified") else word
    )


_WORDS_IN = ("type", "reason", "finish_reason", "name", "value")
_PREFIX = re.compile(r"^(finish_?reason|stop_?reason)[_.:]")
_ENDINGS: Mapping[str, Ending] = {
    "model_length": Ending.CONTEXT,  # Mistral
    "error_limit": Ending.CONTEXT,  # Cohere
    "pause_turn": Ending.TOOL,  # Anthropic
    "pup_limited_disabled": Ending.ACCOUNT,  # Gemini
    "language": Ending.BLOCKED_OUTPUT,
    "other": Ending.BLOCKED_OUTPUT,
    "escalation": Ending.BLOCKED_OUTPUT,
    "image_other": Ending.BLOCKED_OUTPUT,
    "no_image": Ending.BLOCKED_OUTPUT,
    "continuation": Ending.LENGTH,
    "malformed_response": Ending.UNKNOWN,
}
_KINDS = (
    (
        re.compile(
            "filter|sensitiv|safety|unsafe|moderat|toxic|guardrail|block|prohibit|polic|censor|harm"
            "|violat|recit|spii|armor|inspect|illegal|inappropriate|forbid"
        ),
        Ending.BLOCKED_OUTPUT,
    ),
    (re.compile("refus|declin"), Ending.REFUSAL),
    (re.compile("tool|function"), Ending.TOOL),
    (re.compile("context"), Ending.CONTEXT),
    (
        re.compile(
            "error|abort|fail|insufficient|network|timeout|timed_out|cancel|overload|interrupt"
            "|unavailable|disconnect|crash"
        ),
        Ending.FAILED,
    ),
    (re.compile("length|max|limit|budget|truncat|out_of_tokens"), Ending.LENGTH),
    (
        re.compile(
            r"^(stop|stopped|eos|end|complete|completed|finish|finished|done|normal|success)(_|$)"
        ),
        Ending.STOP,
    ),
)
"""What words have in common that mean the same, the more telling first."""


@lru_cache(maxsize=512)
def ending_of(word: str) -> Ending:
    """Why a model stopped, in any vendor's word for it."""
    if not word:
        return Ending.UNSAID
    plain = _PREFIX.sub("", re.sub(r"[\s-]+", "_", word[:60].lower()))
    if plain in _ENDINGS:
        return _ENDINGS[plain]
    return next((ending for kind, ending in _KINDS if kind.search(plain)), Ending.UNKNOWN)


def blocked_reason(word: str) -> str:
    """What stands behind the outcome of a reply that was blocked: the provider's word."""
    return re.sub(r"[\s-]+", "_", word.lower())[:40]


class ParsedReply(Struct, frozen=True, kw_only=True, gc=False):
    """What a model said, in one shape for all providers."""

    ending: Ending
    finish_reason: str | None = None
    """The provider's own word."""
    text: str = ""
    reasoning_text: str | None = None
    reason: str = ""
    """Goes behind the outcome: `recitation`, `content_filter`, ..."""
    usage: Usage | None = None
    model_reported: str | None = None
    request_id: str | None = None
    whole: bool = False
    """Nothing can be missing: a whole body with its bill, or a stream that said it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outcome with its reason, and whether and why to ask again."""

    outcome: Outcome
    reason: str = ""
    retry: RetryKind = RetryKind.NO
    maybe_billed: bool = False
    unsupported_param: str | None = None


RETRIES: Mapping[Outcome, RetryKind] = {
    Outcome.RATE_LIMITED: RetryKind.RATE_LIMIT,
    Outcome.OVERLOADED: RetryKind.OVERLOADED,
    Outcome.TRANSIENT: RetryKind.TRANSIENT,
    Outcome.MALFORMED: RetryKind.TRANSIENT,
    Outcome.TIMEOUT: RetryKind.TRANSIENT,
}


@lru_cache(maxsize=256)
def verdict(outcome: Outcome, reason: str = "", *, maybe_billed: bool = False) -> Verdict:
    """A verdict whose retry follows from its outcome."""
    return Verdict(
        outcome=outcome,
        reason=reason,
        retry=RETRIES.get(outcome, RetryKind.NO),
        maybe_billed=maybe_billed,
    )


def judge_reply(reply: ParsedReply) -> Verdict:
    """How an attempt ended that came back as a well-formed reply.

    Only a stop with visible text is an answer. The bill is unknown when usage is missing.
    """
    outcome, reason = _outcome_of(reply)
    judged = verdict(outcome, reason, maybe_billed=reply.usage is None)
    if outcome is Outcome.MALFORMED and reply.usage is not None:
        # Paid for, and a word that nobody knows is no accident: the next reply would end so too.
        return replace(judged, retry=RetryKind.NO)
    return judged


_BY_ENDING: Mapping[Ending, Outcome] = {
    Ending.REFUSAL: Outcome.REFUSED,
    Ending.BLOCKED_INPUT: Outcome.BLOCKED_INPUT,
    Ending.BLOCKED_OUTPUT: Outcome.BLOCKED_OUTPUT,
    Ending.ACCOUNT: Outcome.BAD_KEY,
    Ending.FAILED: Outcome.TRANSIENT,
}


def _outcome_of(reply: ParsedReply) -> tuple[Outcome, str]:
    fixed = _BY_ENDING.get(reply.ending)
    if fixed is not None:
        return fixed, reply.reason
    visible = bool(reply.text) and not reply.text.isspace()
    if reply.ending in (Ending.LENGTH, Ending.CONTEXT):
        return _cut_short(reply, visible=visible)
    if reply.ending is Ending.STOP:
        return _stopped(reply, visible=visible)
    if reply.ending is Ending.UNSAID:
        return Outcome.ANSWERED if reply.whole and visible else Outcome.MALFORMED, UNSAID
    if reply.ending is Ending.TOOL and not visible:
        return Outcome.EMPTY, "tool_call"
    return Outcome.MALFORMED, reply.reason or "finish_reason"


def _stopped(reply: ParsedReply, *, visible: bool) -> tuple[Outcome, str]:
    if visible:
        return Outcome.ANSWERED, ""
    return Outcome.EMPTY, "reasoning_only" if _reasoned(reply) else ""


def _cut_short(reply: ParsedReply, *, visible: bool) -> tuple[Outcome, str]:
    reason = "context_window" if reply.ending is Ending.CONTEXT else ""
    if visible:
        return Outcome.TRUNCATED, reason
    if reply.usage is not None and reply.usage.total_output == 0:
        return Outcome.EMPTY, reason or "length"
    return Outcome.TRUNCATED_REASONING, reason


def _reasoned(reply: ParsedReply) -> bool:
    reasoning_tokens = reply.usage.reasoning_tokens if reply.usage is not None else None
    return bool(reply.reasoning_text) or bool(reasoning_tokens)
