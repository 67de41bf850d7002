"""Finds candidate answers in free text: UUIDs, or names from a list."""

import re
from collections.abc import Sequence

from scoring.literals import OPENING, fenced, read_items

_HEX = "[0-9a-fA-F]"
_UUID = re.compile(rf"(?<!{_HEX}){_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}(?!{_HEX})")
"""Not a piece of a longer run of hex digits: that would be another value. Both cases are spelt out:
to be told to ignore case takes twice as long."""
_GAP = re.compile(r"[\W_]+")


def find_uuids(text: str, *, whole_items: bool, junk_counts: bool) -> list[str]:
    """UUIDs in order: the items of a list or mapping, else all in the text, each once.

    `whole_items` gives items as they stand, with whatever surrounds the UUID. Under `junk_counts`
    an item of a list that holds no UUID is an answer too, though never a right one.
    """
    for body in (text.strip(), *fenced(text)):
        items = read_items(body) if body[:1] in OPENING else None
        if items and whole_items:
            return items
        if items and any(_UUID.search(item) for item in items):
            return _uuids_of_items(items, junk_counts=junk_counts and body[0] in "[(")
    return _once(_UUID.findall(text))


def _uuids_of_items(items: Sequence[str], *, junk_counts: bool) -> list[str]:
    answers: list[str] = []
    for item in items:
        uuids = _UUID.findall(item)
        if uuids:
            answers.extend(uuids)
        elif junk_counts and item.strip():
            answers.append(item.strip())
    return answers


def find_names(text: str, names: Sequence[str]) -> list[str]:
    """Those of `names` that the text mentions, in order of first mention, spelt as in `names`.

    Case, punctuation and white space between the words do not matter.
    """
    spelling = {_plain(name): name for name in names}
    # longest first, so that a name inside another one does not hide it
    choices = "|".join(map(re.escape, sorted(spelling, key=len, reverse=True)))
    mentions = re.findall(rf"\b(?:{choices})\b", _plain(text)) if choices else []
    return _once([spelling[mention] for mention in mentions])


def _plain(text: str) -> str:
    return _GAP.sub(" ", text.casefold()).strip()


def _once(answers: list[str]) -> list[str]:
    """Each answer at its first place, whatever its case."""
    if len(answers) < 2:
        return answers
    first: dict[str, str] = {}
    for answer in answers:
        first.setdefault(answer.casefold(), answer)
    return list(first.values())
