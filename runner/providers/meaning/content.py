"""What a message says: visible text, reasoning and refusal, whatever its parts are called.

content "text"   ["text"]   [{"text"}]   [{"type": "text" | "output_text", "text"}]   most
{"type": "thinking", "thinking": "..." | [parts]}                            Anthropic, Mistral
{"type": "reasoning", "summary" | "content": [parts]}                        responses, gateways
{"text", "thought": true}                                                    Gemini
{"type": "refusal", "refusal"}                                               OpenAI
"""

import re
from typing import Any, NamedTuple

from runner.providers.meaning.json_shapes import as_dict, as_list, as_text, as_word

_REASONING = re.compile("think|reason|thought")
_NOT_SAID = re.compile("tool|function|image|audio|video|file|execut|search|citation")
_TEXTS = ("text", "content", "value", "output_text")
_THOUGHTS = ("thinking", "reasoning", "reasoning_content", "thought", "summary", *_TEXTS)
_MAX_DEPTH = 4


class Said(NamedTuple):
    """The three channels of a message."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""


def said_in(content: Any) -> Said:
    """What the content of a message says."""
    if isinstance(content, str):
        return Said(text=content)
    parts = [as_dict(content)] if isinstance(content, dict) else as_list(content)
    said = [_part(part) for part in parts]
    return Said(*("".join(channel) for channel in zip(*said, strict=True))) if said else Said()


def _part(part: Any) -> Said:
    if isinstance(part, str):
        return Said(text=part)
    fields = as_dict(part)
    kind = as_word(fields.get("type"))
    if _NOT_SAID.search(kind):
        return Said()
    if _REASONING.search(kind) or fields.get("thought") is True:
        return Said(reasoning=_first(fields, _THOUGHTS))
    refusal = as_text(fields.get("refusal"))
    text = _first(fields, _TEXTS)
    return Said(
        text=text, reasoning="" if text else as_text(fields.get("thinking")), refusal=refusal
    )


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    """The first of these fields that says something."""
    return next((text for name in names if (text := _flat(fields.get(name), 0))), "")


def _flat(value: Any, depth: int) -> str:
    """A text, or the texts of its parts one after the other."""
    if isinstance(value, str) or depth > _MAX_DEPTH:
        return as_text(value)
    if isinstance(value, dict):
        fields = as_dict(value)
        return next((text for name in _TEXTS if (text := _flat(fields.get(name), depth + 1))), "")
    return "".join(_flat(part, depth + 1) for part in as_list(value))
