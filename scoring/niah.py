"""Needle in a haystack: which of the few allowed answers a reply holds."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from scoring.score import Reply, Score

UNANSWERABLE = "unanswerable"
NOT_PARSABLE = "NOT_PARSABLE"

_GROUP_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = re.compile(r"\d+")
_CODE_SCALE = {"correct": 1, UNANSWERABLE: 10}
"""The published code's own scores, where 1 is good; anything else is 5."""


def snap_to_rail(text: str, number: str, *, strict: bool = False) -> str:
    """The number or `unanswerable`, whichever alone the reply contains; else NOT_PARSABLE.

    Substrings count, as in the published code; strict asks for the whole number, commas dropped.
    """
    rest = text.lower()
    found: list[str] = []
    for rail in sorted((number, UNANSWERABLE), key=len, reverse=True):
        if _holds(rest, rail, strict=strict):
            found.append(rail)
            rest = rest.replace(rail, "")
    return found[0] if len(found) == 1 else NOT_PARSABLE


def _holds(text: str, rail: str, *, strict: bool) -> bool:
    if strict and rail != UNANSWERABLE:
        return rail in _NUMBER.findall(_GROUP_COMMA.sub("", text))
    return rail in text


class NiahScorer:
    """Rails for numbers and their absence; keywords, which are ours, for the user's own needle."""

    name: ClassVar[str] = "niah"
    version: ClassVar[int] = 1

    def score(self, reply: Reply, target: Mapping[str, Any], switches: Mapping[str, Any]) -> Score:
        """The score of a reply to the sample with this target under these switches."""
        if target["kind"] == "keywords":
            return _keywords(reply.text, target["keywords"])
        number = str(target["number"])
        strict = switches.get("niah.rail") == "strict"
        rail = snap_to_rail(reply.text, number, strict=strict)
        if target["kind"] == "absent":
            return _absent(reply.text, rail, number)
        return _present(reply.text, rail, number)


def _present(text: str, rail: str, number: str) -> Score:
    label = {number: "correct", UNANSWERABLE: UNANSWERABLE}.get(rail, "not_parsable")
    right = label == "correct"
    return Score(
        value=float(right),
        label=label,
        detail={
            "readme_score": 10 if right else 1,
            "code_score": _CODE_SCALE.get(label, 5),
            "other_number": _other_number(text, number),
        },
    )


def _absent(text: str, rail: str, number: str) -> Score:
    """Saying that it is not there is right; naming any number of that length is made up."""
    right = rail == UNANSWERABLE
    return Score(
        value=float(right),
        label=UNANSWERABLE if right else "not_parsable",
        detail={
            "readme_score": 10 if right else 1,
            "code_score": 1 if right else 10,
            "hallucination": number in text or _other_number(text, number),
        },
    )


def _other_number(text: str, number: str) -> bool:
    """Whether a whole number with as many digits stands in the reply, other than this one."""
    plain = _GROUP_COMMA.sub("", text)
    return any(len(run) == len(number) and run != number for run in _NUMBER.findall(plain))


def _keywords(text: str, keywords: list[str]) -> Score:
    """The share of keywords that the reply contains; letter case and white space do not count."""
    plain = " ".join(text.casefold().split())
    found = [word for word in keywords if " ".join(word.casefold().split()) in plain]
    value = len(found) / len(keywords) if keywords else 0.0
    label = "correct" if value == 1 else "partial" if found else "wrong"
    return Score(value=value, label=label, detail={"method": "contains_keywords", "found": found})
