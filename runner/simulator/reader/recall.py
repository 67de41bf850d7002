"""Reads for what a text has said before: the next word, or the sentence a question is about."""

import re
from functools import cache

from runner.simulator.reader.luck import Luck
from runner.simulator.reader.numbers import context_of
from tasks.flenqa.book import book

_QUESTION = re.compile(r"#QUESTION\s*(?P<question>[^\n]+)")
_BREAKS_OFF = re.compile(r"\b(last|next) word\b")
_LONGEST, _SHORTEST = 12, 2
"""Words of the tail that are looked for."""
_BOOK_TOKENS = 1 << 18
_MOST_PLACES = 50
"""Places of a word that are looked at."""


def read_next_word(text: str, luck: Luck) -> str | None:
    """The word that follows the same words elsewhere; None where no word is asked for.

    Elsewhere is earlier in the text, or in the book that texts are padded with: a model may know
    that by heart, and this one knows what sweeps of seed 0 are padded with.
    """
    if _BREAKS_OFF.search(text[:1_000]) is None:
        return None
    words = text[-400:].split()[1:]
    if not words or not luck.succeeds("flenqa.next_word", len(text), 1, 1.0):
        return luck.pick(text[:400].split(), "word")
    body = " ".join(text.split())
    for known in (_book(), body[: -len(words[-1])]):
        following = _following(known, words)
        if following:
            return following
    return luck.pick(words, "word")


def _following(known: str, words: list[str]) -> str:
    """What stands in a known text after as many of the last words as are found there."""
    for count in range(min(_LONGEST, len(words)), _SHORTEST - 1, -1):
        tail = f" {' '.join(words[-count:])} "
        at = known.find(tail)
        if at >= 0:
            end = at + len(tail)
            return known[end : end + 100].split(maxsplit=1)[0].strip(".,;:!?")
    return ""


@cache
def _book() -> str:
    return " ".join(book(0, _BOOK_TOKENS).split())


def read_sentence(text: str, luck: Luck) -> str | None:
    """The sentence that shares most words with the question; None where there is no question."""
    questions = list(_QUESTION.finditer(text))
    if not questions:
        return None
    context = context_of(text, questions[-1].start())
    question = re.split(r"(?<=\?)", questions[-1]["question"])[0]
    words = {word.lower() for word in re.findall(r"\w{4,}", question)}
    best, shared = "", 0
    for at in sorted(_places(context, words)):
        sentence = _sentence(context, at)
        common = len(words & {word.lower() for word in re.findall(r"\w{4,}", sentence)})
        if common > shared:
            best, shared = sentence, common
    depth = context.find(best) / max(1, len(context))
    # Sharing a word or two with a question is chance; sharing more is an answer.
    if shared * 2 <= len(words) or not luck.succeeds("niah.custom", len(context), 1, depth):
        return "UNANSWERABLE"
    return best


def _places(context: str, words: set[str]) -> set[int]:
    """Where the rarest of the words stand."""
    found: dict[str, list[int]] = {}
    for word in words:
        matches = re.finditer(rf"\b{word}\b", context, re.IGNORECASE)
        places = [match.start() for _, match in zip(range(_MOST_PLACES), matches, strict=False)]
        if places:
            found[word] = places
    rarest = sorted(found.values(), key=len)[:3]
    return {at for places in rarest for at in places}


def _sentence(context: str, at: int) -> str:
    starts = (context.rfind(mark, 0, at) for mark in (". ", "\n", "? ", "! "))
    start = max(starts) + 1
    end = re.search(r"[.!?](?=\s|$)", context[at : at + 2_000])
    return context[start : at + (end.end() if end else 200)].strip()
