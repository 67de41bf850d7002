"""Reads a haystack for the magic number of a city, or for nothing."""

import re

from runner.simulator.reader.luck import Luck

_QUESTION = re.compile(r"magic (?P<city>[^\n?]{1,60}?) number\s*\?")
_OPENING, _CLOSING = "#CONTEXT", "#ENDCONTEXT"
_ABSENT = "UNANSWERABLE"
_DIGITS = 7


def context_of(text: str, before: int) -> str:
    """What stands between the marks, else all that stands before the question."""
    start = text.find(_OPENING)
    end = text.find(_CLOSING, start)
    if start < 0 or end < 0:
        return text[:before]
    return text[start + len(_OPENING) : end].strip("\n")


def read_number(text: str, luck: Luck) -> str | None:
    """The reply to a question for a magic number; None where no such question is asked."""
    questions = list(_QUESTION.finditer(text[-2_000:]))
    if not questions:
        return None
    asked = questions[-1]
    city = asked["city"].strip()
    context = context_of(text, max(0, len(text) - 2_000) + asked.start())
    needle = re.search(rf"\b{re.escape(city)}\b[^\n\d]{{0,60}}?(\d{{2,}})", context)
    if needle is None:
        honest = luck.succeeds("niah.negative", len(context), 1, 0.5)
        return _ABSENT if honest else _made_up(_DIGITS, "", luck)
    depth = needle.start() / max(1, len(context))
    number = needle[1]
    if luck.succeeds("niah.magic_number", len(context), 1, depth):
        return number
    made_up = luck.strikes(luck.settings.hallucination, "hallucination") or _ABSENT not in text
    return _made_up(len(number), number, luck) if made_up else _ABSENT


def _made_up(digits: int, right: str, luck: Luck) -> str:
    number = luck.pick("123456789", "digit", 0)
    number += "".join(luck.pick("0123456789", "digit", place) for place in range(1, digits))
    return number if number != right else number[:-1] + ("0" if number[-1] != "0" else "1")
