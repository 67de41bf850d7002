"""Takes reasoning out of the text where a server left it there, in tags before the answer.

Servers without a reasoning parser give a model's own tags as they came. Templates that open the tag
in the prompt leave only the closing one; a cap may cut before it.
"""

import re
from typing import NamedTuple

from msgspec.structs import replace

from runner.wire import Result
from state.records import Outcome

_WORD = (
    r"(?:(?!start|end|begin)[a-z]{1,12}[:_])?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection)"
)
_PAIRS = (
    (rf"<\|?{_WORD}\|?(?:\s[^<>]{{0,80}})?>", rf"</\|?{_WORD}\|?>|<\|?/{_WORD}\|?>"),
    (r"\[think\]", r"\[/think\]"),  # Magistral
    (rf"◁{_WORD}▷", rf"◁/{_WORD}▷"),  # Kimi
    (r"<\|begin_of_(?:thought|think|reasoning)\|>", r"<\|end_of_(?:thought|think|reasoning)\|>"),
    (r"<\|start_(?:thinking|think)\|>", r"<\|end_(?:thinking|think)\|>"),  # Cohere
    (
        r"<\|channel\|>analysis<\|message\|>",
        r"<\|channel\|>final(?:\s\w+)?<\|message\|>",
    ),  # gpt-oss
    (r"<unused94>(?:thought)?", r"<unused95>"),  # Gemma
)
_OPEN = [re.compile(rf"\s*(?:{start})", re.IGNORECASE) for start, _ in _PAIRS]
_CLOSE = [re.compile(end, re.IGNORECASE) for _, end in _PAIRS]
_ANY = re.compile("|".join(f"(?:{start})|(?:{end})" for start, end in _PAIRS), re.IGNORECASE)
_ANSWER_TAG = re.compile(
    r"\s*<\|?(?:begin_of_solution|start_response|start_text)\|?>", re.IGNORECASE
)
_LAST_TAG = re.compile(
    r"<\|?(?:end_of_solution|end_response|end_text|return|end)\|?>\s*\Z", re.IGNORECASE
)
_MOST_BLOCKS = 50


class Parted(NamedTuple):
    """A text without its reasoning."""

    reasoning: str
    text: str
    untagged: bool = False
    """The reasoning had a closing tag and no opening one."""


def parted(text: str) -> Parted | None:
    """The reasoning before an answer, and the answer; None where there is no tag before it."""
    if _ANY.search(text) is None:
        return None
    thoughts: list[str] = []
    untagged = False
    for _ in range(_MOST_BLOCKS):
        block = _first_block(text)
        if block is None:
            break
        thought, text, opened = block
        thoughts.append(thought)
        untagged = untagged or not opened
    if not thoughts:
        return None
    text = _ANSWER_TAG.sub("", text, count=1) if _ANSWER_TAG.match(text) else text
    text = _LAST_TAG.sub("", text)
    return Parted("\n\n".join(filter(None, thoughts)), text.strip(), untagged)


def _first_block(text: str) -> tuple[str, str, bool] | None:
    """The first block's reasoning, what follows it, and whether it had an opening tag."""
    for start, end in zip(_OPEN, _CLOSE, strict=True):
        opened = start.match(text)
        closed = end.search(text, opened.end() if opened else 0)
        if opened is not None:
            if closed is None:
                return text[opened.end() :].strip(), "", True
            return text[opened.end() : closed.start()].strip(), text[closed.end() :], True
        if closed is not None and start.search(text, 0, closed.start()) is None:
            return text[: closed.start()].strip(), text[closed.end() :], False
    return None


def apart(result: Result, found: Parted | None, *, untagged: bool = False) -> Result:
    """A scored result with its inline reasoning as reasoning, and judged by what is left.

    `untagged`: this model's templates open the tag in the prompt, so a text that was cut before the
    closing tag is all reasoning.
    """
    if found is None:
        if not untagged or result.outcome is not Outcome.TRUNCATED:
            return result
        found = Parted(result.text, "")
    reasoning = "\n\n".join(filter(None, (result.reasoning_text, found.reasoning)))
    kept = replace(result, text=found.text, reasoning_text=reasoning or None)
    if found.text:
        return kept
    outcome, reason = _LEFT[result.outcome]
    return replace(kept, outcome=outcome, reason=reason or result.reason)


_LEFT = {
    Outcome.ANSWERED: (Outcome.EMPTY, "reasoning_only"),
    Outcome.TRUNCATED: (Outcome.TRUNCATED_REASONING, ""),
}
"""What is left of a reply whose text was all reasoning."""
