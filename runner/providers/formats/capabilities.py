"""Which decoding parameters which models take, by patterns over model names.

A parameter that a model refuses is left out of the request, and the caller is told which. What the
table does not know is learned once per model from an explicit refusal (see `substitute`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from runner.vendors import VENDORS, Naming

DEFAULT_MAX_TOKENS = 4096
"""The output cap where the config has none; Anthropic's API requires one."""
SAMPLING = frozenset({"temperature", "top_p", "top_k"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Capability:
    """What one model takes. Equal only to itself, so that it is a cheap key."""

    cap_name: str = "max_tokens"
    """The provider's own name for the output cap."""
    refuses: frozenset[str] = frozenset()
    """Parameters, in our names, that the model answers with an error."""
    exclusive: tuple[str, ...] = ()
    """Parameters of which only the first that is given may be sent."""
    reasoning: bool = False
    """Thinks before it answers, and pays for that from the same output cap."""
    only_when_asked: bool = False
    """Thinks only where the request says how much."""
    effort_budgets: Mapping[str, int] | None = None
    """Thinking tokens for each reasoning effort, where the model knows no efforts."""


_OPENAI_CLASSIC = re.compile(r"(gpt-3\.5|gpt-4(?!\.[5-9])|chatgpt-4o|davinci|babbage|ft:gpt-[34])")
_OPENAI_WHEN_ASKED = re.compile(r"gpt-5\.[1-4](?!.*(pro|codex))")
_OPENAI_CHAT = re.compile(r"gpt-[5-9](\.\d+)?-chat")
_OPENAI_REASONING = re.compile(r"(o\d+(-|$)|gpt-[5-9]|gpt-oss|codex)")
# Sampling parameters went away after Opus 4.6; dated names end in -YYYYMMDD.
_CLAUDE_NEW = re.compile(
    r"claude-(fable|mythos)|claude-[a-z]+-([5-9]|\d{2})(-|$)|claude-[a-z]+-4-([7-9]|\d{2})(-|$)"
)
_CLAUDE_WHEN_ASKED = re.compile(r"claude-[a-z]+-4-[78](-|$)")
_CLAUDE_ONE_OF_TWO = re.compile(r"claude-[a-z]+-4-[1-6](-|$)")
_GEMINI_BUDGETED = re.compile(r"gemini-2\.5")
# What Google's own OpenAI-compatible endpoint makes of efforts for these models.
_GEMINI_BUDGETS: Mapping[str, int] = MappingProxyType(
    {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24_576}
)
_GEMINI_THINKING = re.compile(r"gemini-(2\.5|[3-9])")
# Behind routers and own servers, with or without the vendor's name before a slash.
_THINKING_ANYWHERE = re.compile(
    r"(?:.*/)?(o[134](-mini|-pro|-preview)?([-:]\d|$)|gpt-oss|gpt-[5-9](?![\w.-]*-chat)"
    r"|deepseek-(r\d|reasoner)|qwq|magistral|.*(?<!\bno)(?<!\bnon)[-:](thinking|reasoning)\b)"
)


def _openai(name: str) -> Capability:
    if _OPENAI_CHAT.match(name):
        return Capability(cap_name="max_completion_tokens")
    if _OPENAI_CLASSIC.match(name):
        return Capability()
    if _OPENAI_REASONING.match(name):
        return Capability(
            cap_name="max_completion_tokens",
            refuses=SAMPLING | {"stop", "frequency_penalty", "presence_penalty"},
            reasoning=True,
            only_when_asked=_OPENAI_WHEN_ASKED.match(name) is not None,
        )
    return Capability(cap_name="max_completion_tokens")


def _anthropic(name: str) -> Capability:
    never = frozenset({"seed", "frequency_penalty", "presence_penalty"})
    if _CLAUDE_NEW.match(name):
        asked = _CLAUDE_WHEN_ASKED.match(name) is not None
        return Capability(refuses=never | SAMPLING, reasoning=True, only_when_asked=asked)
    if _CLAUDE_ONE_OF_TWO.match(name):
        return Capability(refuses=never, exclusive=("temperature", "top_p"))
    return Capability(refuses=never)


def _google(name: str) -> Capability:
    thinking = _GEMINI_THINKING.match(name) is not None
    return Capability(
        cap_name="maxOutputTokens",
        reasoning=thinking,
        only_when_asked=name.startswith("gemini-2.5-flash-lite"),
        effort_budgets=_GEMINI_BUDGETS if _GEMINI_BUDGETED.match(name) else None,
    )


def capability(vendor: str, model: str) -> Capability:
    """What a vendor's model takes, as far as its name tells."""
    return _told(VENDORS[vendor].naming, model)


@lru_cache(maxsize=1024)
def _told(naming: Naming, model: str) -> Capability:
    name = model.lower().removeprefix("models/")
    match naming:
        case Naming.OPENAI:
            return _openai(name)
        case Naming.ANTHROPIC:
            return _anthropic(name)
        case Naming.GOOGLE:
            return _google(name)
        case Naming.ANYBODY:
            return Capability(
                reasoning=_THINKING_ANYWHERE.match(name) is not None,
                only_when_asked=_OPENAI_WHEN_ASKED.match(name.rpartition("/")[2]) is not None,
            )


def fit(known: Capability, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the model takes; nothing is changed in value."""
    refuses = known.refuses
    # OpenAI's newer models sample as asked once reasoning is off.
    if params.get("reasoning_effort") == "none" and known.reasoning:
        refuses = refuses - {"temperature", "top_p"}
    given = {name: value for name, value in params.items() if value is not None}
    later = [name for name in known.exclusive if name in given][1:]
    dropped = refuses.union(later)
    return {name: value for name, value in given.items() if name not in dropped}


_OTHER_CAP = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def substitute(known: Capability, unsupported: str) -> Capability:
    """What is known after the provider refused a parameter by name.

    An output cap is never left out, since the worst case is reserved from it: it gets its other
    name. Anything else is refused from now on.
    """
    if unsupported == "max_tokens":
        return replace(known, cap_name=_OTHER_CAP.get(known.cap_name, known.cap_name))
    return replace(known, refuses=known.refuses | {unsupported})
