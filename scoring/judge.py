"""What a judge's own words are worth: a score of the judged reply, or nothing.

A judge is a model and may fail like any other. Words that are no verdict, verdicts that were cut
off, and answers that the judged reply does not hold give no score: the earlier score stands.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from scoring.needle_threading import NeedleThreadingScorer
from scoring.score import Reply, Score

LOWEST, HIGHEST = 1, 10

_NO_ANSWER = frozenset({"none", "[]"})
_QUOTES = " \t\r\n`*_\"'."
_BARE = re.compile(r"[\W_]+")
_RATING = re.compile(
    r"""[\s*_`"'\[(]*
        (?:(?:final\s+)?(?:score|rating|grade|verdict)\b[\s*_`"':=]*(?:is\b)?[\s*_`"'\[(]*)?
        (?P<rating>10|[1-9])(?:\.0+)?
        [\s*_`"'\])]*(?:(?:/|out\s+of)\s*10)?[\s*_`"'\]).]*""",
    re.VERBOSE | re.IGNORECASE,
)


class VerdictScorer(Protocol):
    """Turns a judge's words about a reply into a score of that reply; never raises on any text."""

    name: ClassVar[str]
    version: ClassVar[int]

    def score(
        self, verdict: Reply, judged: str, target: Mapping[str, Any], switches: Mapping[str, Any]
    ) -> Score | None:
        """The score of the text `judged`, or None where the verdict is none."""
        ...


class ReformattedScorer:
    """Needle Threading: the answer that the judge copied out, through the usual exact match."""

    name: ClassVar[str] = "needle_threading.judge"
    version: ClassVar[int] = 1
    _scorer: ClassVar[NeedleThreadingScorer] = NeedleThreadingScorer()

    def score(
        self, verdict: Reply, judged: str, target: Mapping[str, Any], switches: Mapping[str, Any]
    ) -> Score | None:
        """The score of the copied answer; None unless every answer in it stands in the reply."""
        if verdict.truncated:
            return None
        score = self._scorer.score(Reply(text=verdict.text), target, switches)
        if score.label == "no_answer":
            return score if verdict.text.strip(_QUOTES).casefold() in _NO_ANSWER else None
        source = _bare(judged)
        if not all(_bare(answer) in source for answer in score.detail["answers"]):
            return None
        return score


class RatingScorer:
    """The user's own needle: a rating from 1 to 10, where 10 is right, laid on 0 to 1."""

    name: ClassVar[str] = "niah.judge"
    version: ClassVar[int] = 1

    def score(
        self, verdict: Reply, judged: str, target: Mapping[str, Any], switches: Mapping[str, Any]
    ) -> Score | None:
        """The rating as a score; None where the verdict holds no rating, or several."""
        del judged, target, switches
        rating = None if verdict.truncated else find_rating(verdict.text)
        if rating is None:
            return None
        value = (rating - LOWEST) / (HIGHEST - LOWEST)
        return Score(value=value, label=str(rating), detail={"rating": rating})


def find_rating(text: str) -> int | None:
    """The one rating that stands on a line of its own, `Score:` and `/10` aside."""
    matches = (_RATING.fullmatch(line) for line in text.splitlines())
    found = {int(match["rating"]) for match in matches if match is not None}
    return found.pop() if len(found) == 1 else None


def _bare(text: str) -> str:
    """Letters and digits alone: a judge may mend spaces, hyphens and case, but nothing else."""
    return _BARE.sub("", text.casefold())


VERDICT_SCORERS: dict[str, VerdictScorer] = {
    "judge.reformat": ReformattedScorer(),
    "judge.rating": RatingScorer(),
}
"""By the judge's task."""
