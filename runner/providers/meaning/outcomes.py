"""Decides how an attempt ended, from what the provider said; the taxonomy lives here, once.

Each wire format reduces its replies to a `Reply` and its errors to an `ErrorFacts`; what these mean
is decided below, by pure functions, the same for every provider.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

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
    UNKNOWN = "unknown"


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
    return verdict(outcome, reason, maybe_billed=reply.usage is None)


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
        if visible:
            return Outcome.ANSWERED, ""
        return Outcome.EMPTY, "reasoning_only" if _reasoned(reply) else ""
    if reply.ending is Ending.TOOL and not visible:
        return Outcome.EMPTY, "tool_call"
    return Outcome.MALFORMED, reply.reason or "finish_reason"


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
