"""FLenQA: the last verdict of a reply, whether it came before the reasoning, and what it cites."""

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from scoring.score import Reply, Score

REFUSED = "refused"
"""The published `other/refused`: neither verdict stands in the reply. It counts as wrong."""
CUT_OFF = "cut_off"
"""The output cap ended the reply before any verdict: wrong as well, but nothing was refused."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_EARLY_WINDOW = 10


def normalize(text: str, *, strip_punct: bool = False) -> str:
    """Lower case, without articles, white space collapsed.

    The published code means to strip punctuation too, but replaces the whole list of it at once,
    which matches nothing; strip_punct does what it says.
    """
    lowered = text.lower()
    if strip_punct:
        lowered = lowered.translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", lowered).split())


def verdict(text: str, switches: Mapping[str, Any]) -> str:
    """`true`, `false` or `refused`, whichever stands last in the reply."""
    strip = switches.get("flenqa.strip_punct") is True
    if switches.get("flenqa.answer") == "paper":
        plain = text.lower().translate(_PUNCTUATION) if strip else text.lower()
    else:
        plain = normalize(text, strip_punct=strip).replace("not true", "false")
    places = _places(plain, whole_words=switches.get("flenqa.word_boundary") is True)
    return max(places)[1] if places else REFUSED


def _places(text: str, *, whole_words: bool) -> list[tuple[int, str]]:
    """Where each verdict stands last."""
    border = r"\b" if whole_words else ""
    places: list[tuple[int, str]] = []
    for word in ("true", "false"):
        found = [match.start() for match in re.finditer(f"{border}{word}{border}", text)]
        places += [(at, word) for at in found[-1:]]
    return places


def is_early(text: str, answer: str, switches: Mapping[str, Any]) -> bool:
    """Whether the verdict came before the reasoning; a refusal holds no verdict."""
    if switches.get("flenqa.early") == "first_verdict":
        opening = _SENTENCE_END.split(text.strip().lower(), maxsplit=1)[0]
        return bool(_places(opening, whole_words=True))
    strip = switches.get("flenqa.strip_punct") is True
    return answer != REFUSED and answer in normalize(text, strip_punct=strip)[:_EARLY_WINDOW]


def covered(text: str, target: Mapping[str, Any], switches: Mapping[str, Any]) -> list[bool]:
    """For each key sentence, whether the reply repeats it; official looks for the whole facts."""
    if switches.get("flenqa.coverage") == "official":
        reply = normalize(text)
        return [normalize(fact) in reply for fact in target["facts"]]
    reply = " ".join(text.lower().split())
    sentences: Sequence[str] = target["key_sentences"]
    return [" ".join(key.lower().split()).rstrip(".") in reply for key in sentences]


class FlenqaScorer:
    """True, False or refused; for next-word prediction, the word."""

    name: ClassVar[str] = "flenqa"
    version: ClassVar[int] = 2

    def score(self, reply: Reply, target: Mapping[str, Any], switches: Mapping[str, Any]) -> Score:
        """The score of a reply to the sample with this target under these switches."""
        if target["dataset"] == "next_word":
            return _next_word(reply.text, str(target["label"]))
        answer = verdict(reply.text, switches)
        gold = str(target["label"]).lower()
        cited = covered(reply.text, target, switches)
        return Score(
            value=float(answer == gold),
            label=CUT_OFF if answer == REFUSED and reply.truncated else answer,
            detail={
                "gold": gold,
                "early": is_early(reply.text, answer, switches),
                "covered": sum(cited),
                "n_key": len(cited),
            },
        )


def _next_word(text: str, gold: str) -> Score:
    """The first word of the reply, without marks around it, must be the word letter for letter."""
    words = [word.strip(string.punctuation) for word in text.split()]
    given = next((word for word in words if word), "")
    if not given:
        return Score(value=0.0, label=REFUSED, detail={"gold": gold})
    right = given == gold
    return Score(value=float(right), label="correct" if right else "wrong", detail={"gold": gold})
