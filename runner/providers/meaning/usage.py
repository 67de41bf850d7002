"""Reads a bill, wherever it stands in a reply and in whichever vendor's spelling.

A bill is believed only when it adds up: a count that no call can have, or parts that contradict
their total, leave it unknown. Tokens that show in the total alone are output that was not shown,
which is reasoning.

prompt_tokens, completion_tokens           input includes cached, output includes reasoning (OpenAI)
input_tokens, input_tokens_details         the same (responses)
input_tokens, cache_read_input_tokens      input leaves out what went through the cache (Anthropic)
promptTokenCount, candidatesTokenCount     input includes cached, output without thoughts (Gemini)
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from runner.providers.meaning.json_shapes import as_count, as_dict, objects_in
from runner.wire import Usage

MOST_HIDDEN_TOKENS = 1_000_000
"""What a gateway may put before a prompt, at the very most; more is no bill of this call."""
MOST_OUTPUT_TOKENS = 10_000_000


class _Absurd(Exception):  # noqa: N818  no error: a word for "unknown"
    """A count that stands there and cannot be one."""


class Counts(NamedTuple):
    """A bill as its provider counts; None is not said."""

    prompt: int
    completion: int
    total: int | None = None
    cached: int | None = None
    written: int | None = None
    reasoning: int | None = None


def inclusive(counts: Counts) -> Usage | None:
    """Disjoint parts of a bill whose input includes cached and whose output includes reasoning."""
    visible, reasoning = counts.completion - (counts.reasoning or 0), counts.reasoning
    uncached = counts.prompt - (counts.cached or 0) - (counts.written or 0)
    if counts.total is not None:
        hidden = counts.total - counts.prompt - counts.completion
        if hidden and hidden == counts.reasoning:  # xAI counts reasoning beside completion
            visible = counts.completion
        elif hidden and hidden == counts.prompt - uncached:  # a router before Anthropic
            uncached = counts.prompt
        elif hidden < 0:
            return None
        elif hidden:
            reasoning = (reasoning or 0) + hidden
    return _usage(uncached, counts.cached, counts.written, visible, reasoning)


def _usage(
    uncached: int, cached: int | None, written: int | None, visible: int, reasoning: int | None
) -> Usage | None:
    """The parts of a bill; None when one is impossible."""
    if uncached < 0 or visible < 0 or uncached + (cached or 0) + (written or 0) == 0:
        return None
    return Usage(
        input_tokens=uncached,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=visible,
        reasoning_tokens=reasoning,
    )


def find_usage(body: Mapping[str, Any], *, answered: bool) -> Usage | None:
    """The bill in a reply: under its usual name, else inside a choice, `x_groq` or elsewhere."""
    usual = (as_dict(body.get(name)) for name in ("usage", "usageMetadata"))
    places = [place for place in usual if _is_bill(place)]
    places = places or [place for place in objects_in(body) if _is_bill(place)]
    return read_usage(places[-1], answered=answered) if places else None


def _is_bill(place: Mapping[str, Any]) -> bool:
    return any(place.get(name) is not None for name in (*_PROMPT, *_TOTAL)) and (
        any(place.get(name) is not None for name in _COMPLETION)
        or any(place.get(name) is not None for name in _TOTAL)
    )


def read_usage(usage: Mapping[str, Any], *, answered: bool) -> Usage | None:
    """Disjoint parts of a bill; None when it is unknown, impossible or does not add up."""
    try:
        found = _read(usage)
    except _Absurd:
        return None
    if found is None or (answered and not found.total_output):
        return None
    return found


def _read(usage: Mapping[str, Any]) -> Usage | None:
    if "promptTokenCount" in usage and "prompt_tokens" not in usage:
        return _gemini(usage)
    prompt, completion = _count(usage, *_PROMPT), _count(usage, *_COMPLETION)
    if prompt is None or completion is None:
        return None
    counts = Counts(
        prompt=prompt,
        completion=completion,
        total=_count(usage, *_TOTAL),
        cached=_detail(usage, _INPUT_DETAILS, *_CACHED),
        written=_detail(usage, _INPUT_DETAILS, *_WRITTEN),
        reasoning=_detail(usage, _OUTPUT_DETAILS, *_REASONING),
    )
    if _is_disjoint(usage):
        return _disjoint(counts)
    return inclusive(counts) if prompt else None


_PROMPT = ("prompt_tokens", "input_tokens", "promptTokenCount")
_COMPLETION = (
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount",
)
_TOTAL = ("total_tokens", "totalTokenCount")
_INPUT_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details")
_CACHED = (
    "cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
)
_WRITTEN = (
    "cache_write_tokens",
    "cache_creation_tokens",
    "cache_creation_input_tokens",
)
_REASONING = ("reasoning_tokens", "thinking_tokens")


def _count(holder: Mapping[str, Any], *names: str) -> int | None:
    """The first of these counts that is said; raises _Absurd where it cannot be one."""
    for name in names:
        value = holder.get(name)
        if value is not None:
            count = as_count(value)
            if count is None:
                raise _Absurd
            return count
    return None


def _detail(usage: Mapping[str, Any], holders: tuple[str, ...], *names: str) -> int | None:
    """A count from the details, else from beside them."""
    for holder in (*(as_dict(usage.get(name)) for name in holders), usage):
        count = _count(holder, *names)
        if count is not None:
            return count
    return None


def _is_disjoint(usage: Mapping[str, Any]) -> bool:
    """Whether the input leaves out what went through the cache, as Anthropic counts."""
    inside = any(as_dict(usage.get(name)) for name in _INPUT_DETAILS)
    return not inside and "prompt_tokens" not in usage


def _disjoint(counts: Counts) -> Usage | None:
    through_cache = (counts.cached or 0) + (counts.written or 0)
    visible, reasoning = counts.completion - (counts.reasoning or 0), counts.reasoning
    if counts.total is not None:
        hidden = counts.total - counts.prompt - counts.completion
        if hidden == 0 and through_cache:  # a total says that the cache is inside after all
            return inclusive(counts)
        hidden -= through_cache
        if hidden < 0:
            return None
        reasoning = (reasoning or 0) + hidden if hidden else reasoning
    return _usage(counts.prompt, counts.cached, counts.written, visible, reasoning)


def _gemini(usage: Mapping[str, Any]) -> Usage | None:
    prompt = _count(usage, "promptTokenCount")
    thoughts = _count(usage, "thoughtsTokenCount")
    cached = _count(usage, "cachedContentTokenCount")
    tools = _count(usage, "toolUsePromptTokenCount") or 0
    visible, total = _count(usage, "candidatesTokenCount"), _count(usage, "totalTokenCount")
    if not prompt or (cached or 0) > prompt:
        return None
    if total is not None:
        hidden = total - prompt - tools - (thoughts or 0) - (visible or 0)
        if hidden < 0 and -hidden not in (thoughts, tools):  # some totals leave these out
            return None
        if hidden > 0 and visible is not None:
            thoughts = (thoughts or 0) + hidden
        # A count of none is left out, and the total tells.
        visible = (
            max(0, hidden) if visible is None and "candidatesTokenCount" not in usage else visible
        )
    if visible is None:
        return None
    return _usage(prompt + tools - (cached or 0), cached, None, visible, thoughts)


def is_plausible(usage: Usage, sent_bytes: int) -> bool:
    """Whether a request of that size can be billed so: no vocabulary makes more than a token of a
    byte, and what gateways add has an end."""
    billed, said = usage.total_input or 0, usage.total_output or 0
    return billed <= sent_bytes + MOST_HIDDEN_TOKENS and said <= MOST_OUTPUT_TOKENS
