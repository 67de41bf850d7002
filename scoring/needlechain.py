"""Judges NeedleChain replies: the final amount, and why a wrong one is wrong.

A wrong reply gets the first label that applies: `instruction_not_followed` (no answer marker, or no
amount after it), `needle_omission` (a worker is never mentioned), `calculation_error`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from scoring.score import Reply, Score

TOLERANCE = 0.005
"""Half a cent: an amount rounded to cents is right."""
_EPSILON = 1e-9
_MARKER = re.compile(
    r"##[ \t*_`]*(?:[^\W_]+[ \t]+[*_`]*)?answer[ \t*_`]*(?:\(?[^\W_]+\)?[ \t*_`]*)?:", re.IGNORECASE
)
"""With Markdown around it, and one word more: `## **Final Answer:**`."""
_GROUP_MARKS = re.compile(r"(?<=\d)(?:\{,\}|\\,|[\u00a0\u2009\u202f])(?=\d{3})")
"""Thousands marks as LaTeX and typographers write them; they count as commas."""
_AMOUNT = re.compile(
    r"(?P<sign>(?<![\w.)])[-\u2212](?=\\?\$?[0-9.]))?"
    r"\\?\$?(?<!\w)"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?P<exponent>[eE][+-]?[0-9]{1,3}(?![0-9]))?"
)
_ASIDE = re.compile(r"(?<!\\)\([^()]*\)")
"""Brackets, but for LaTeX's: what stands in them explains the amount before them."""
_OPERATOR = re.compile(
    r"[+*/\u00d7\u00f7\u00b7\u2212]|(?<=[\d\s])x(?=[\d\s$])|\\times|\\cdot|(?<=\d)\s*-\s*[$\d]"
)
_OFFICIAL_MARKER = "## Answer:"
_OFFICIAL_AMOUNT = re.compile(r"\b(?:\d{1,3}(?:,\d{3})+|\d+)\b")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Final:
    """The final answer of a reply: its amount, and whether the asked form was kept."""

    amount: float | None
    marked: bool
    right: bool


class NeedleChainScorer:
    """Right or wrong by the final amount, with the paper's error taxonomy."""

    name: ClassVar[str] = "needlechain"
    version: ClassVar[int] = 2

    def score(self, reply: Reply, target: Mapping[str, Any], switches: Mapping[str, Any]) -> Score:
        """1 for the right amount, else 0; detail has mentions by position in both orders."""
        official = switches.get("needlechain.scorer") == "official"
        judge = _official_final if official else _decimal_final
        final = judge(reply.text, float(target["answer"]))
        text = f"{reply.text}\n{reply.reasoning_text}" if reply.reasoning_text else reply.text
        substring = switches.get("needlechain.name_match") == "substring"
        mentioned = mentions(text, target["names"], substring=substring)
        detail: dict[str, Any] = {
            "parsed": final.amount,
            "followed": final.marked and final.amount is not None,
            "n_missing": mentioned.count(0),
            "mentioned_reasoning": mentioned,
            "mentioned_presented": [mentioned[index] for index in target["presented"]],
            "text": "reply+reasoning" if reply.reasoning_text else "reply",
        }
        return Score(value=float(final.right), label=_label(final, mentioned), detail=detail)


def _label(final: _Final, mentioned: list[int]) -> str:
    if final.right:
        return "correct"
    if not final.marked or final.amount is None:
        return "instruction_not_followed"
    return "calculation_error" if all(mentioned) else "needle_omission"


def mentions(text: str, names: list[str], *, substring: bool) -> list[int]:
    """1 for each name that stands in the text, case-sensitive, else 0, in the names' order."""
    if substring:
        return [int(name in text) for name in names]
    words = set(_WORD.findall(text))
    return [int(_stands_in(text, name, words)) for name in names]


def _stands_in(text: str, name: str, words: set[str]) -> bool:
    if _WORD.fullmatch(name):
        return name in words
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) is not None


def _decimal_final(text: str, answer: float) -> _Final:
    amount = parse_amount(text)
    marked = _MARKER.search(text) is not None
    right = amount is not None and abs(amount - answer) <= TOLERANCE + _EPSILON
    return _Final(amount, marked, right)


def parse_amount(text: str) -> float | None:
    """The amount on the answer line.

    An amount with a dollar sign goes before bare numbers, what a calculation comes to before its
    terms, and an amount before the calculation or the brackets that explain it.
    """
    marks = list(_MARKER.finditer(text))
    if not marks:
        return None
    tail = text[marks[-1].end() :]
    line = _GROUP_MARKS.sub(",", next(filter(_says_something, tail.splitlines()), ""))
    plain = _ASIDE.sub(" ", line)
    first, *steps = (plain if _AMOUNT.search(plain) else line).split("=")
    if not steps or (_is_calculation(steps[-1]) and _is_amount(first)):
        found = _first_amount(first)
    else:
        found = next(filter(None, map(_first_amount, steps[::-1])), None) or _first_amount(first)
    return None if found is None else _value(found)


def _is_amount(part: str) -> bool:
    """Whether this side of an equation holds one amount and nothing to work out."""
    return len(_AMOUNT.findall(part)) == 1 and _OPERATOR.search(part) is None


def _is_calculation(part: str) -> bool:
    return len(_AMOUNT.findall(part)) > 1 and _OPERATOR.search(part) is not None


def _first_amount(part: str) -> re.Match[str] | None:
    """The first amount in dollars, else the first number."""
    amounts = list(_AMOUNT.finditer(part))
    return next((found for found in amounts if "$" in found[0]), amounts[0] if amounts else None)


def _says_something(line: str) -> bool:
    """Not blank, not a code fence, not the bare `$$` or brackets around a formula."""
    return _WORD.search(line) is not None and not line.lstrip().startswith("```")


def _value(match: re.Match[str]) -> float | None:
    digits = match["digits"].replace(",", "")
    value = float(digits + (match["exponent"] or ""))
    if not math.isfinite(value):
        return None
    return -value if match["sign"] else value


def _official_final(text: str, answer: float) -> _Final:
    """The published evaluation, bugs included: white space goes first, fractions are cut off."""
    tail = text.rsplit(_OFFICIAL_MARKER, maxsplit=1)[-1].replace("\n", "").replace(" ", "")
    found = _OFFICIAL_AMOUNT.search(tail)
    try:
        amount = int(found[0].replace(",", "")) if found else None
        right = amount is not None and amount == int(answer)
    except ValueError:  # more digits than Python converts: the published code calls it wrong
        return _Final(None, _OFFICIAL_MARKER in text, right=False)
    shown = None if amount is None or amount > 10**300 else float(amount)
    return _Final(shown, _OFFICIAL_MARKER in text, right)
