"""Reads JSON objects of UUIDs: looks keys up, finds marked keys, follows threads and branches."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.simulator.reader.luck import Luck

_OPEN = re.compile(r'\{"[^"\n]{36}": "')
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PAIR = re.compile(r'"([^"\n]{36})": "([^"\n]{36})"')
_QUOTED_CHARACTER = re.compile(r"""["'`]([^\w\s"'`\[\]{},:])["'`]""")
_BARE_CHARACTER = re.compile(r"character\s+([^\w\s\"'`])")
_MARK = '": "'
_UUID_CHARS = 36
_PAIR_CHARS = 80
_FEW = 12
"""So many look-ups are cheaper than an index of all pairs: an index takes as long as 4 of them in
2,000 characters, and as 14 to 20 of them from 32,000 characters on."""
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class _Thread:
    """The values along a thread, and where its first key stands."""

    values: tuple[str, ...]
    depth: float
    branched: bool = False


class _Object:
    """The pairs of a haystack; they are searched for, and indexed once that pays."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lookups = 0
        self._index: Mapping[str, int | Sequence[int]] | None = None

    def values(self, key: str) -> list[str]:
        """All values under a key, in their order."""
        return [self._value_at(at) for at in self._places(key)]

    def _places(self, key: str) -> Sequence[int]:
        """Where the key's quotes open."""
        self._lookups += 1
        if self._index is None and self._lookups > _FEW:
            self._index = _indexed(self.text)
        if self._index is not None:
            found = self._index.get(key, ())
            return (found,) if isinstance(found, int) else found
        needle, places = f'"{key}{_MARK}', list[int]()
        at = self.text.find(needle)
        while at >= 0:
            places.append(at)
            at = self.text.find(needle, at + 1)
        return places

    def _value_at(self, key_at: int) -> str:
        start = key_at + _UUID_CHARS + 1 + len(_MARK)
        return self.text[start : start + _UUID_CHARS]

    def depth(self, key: str) -> float:
        """Where a key stands, from 0 at the start to 1 at the end."""
        places = self._places(key)
        return places[0] / max(1, len(self.text) - 2 * _UUID_CHARS) if places else 0.0

    def neighbour(self, value: str) -> str:
        """The value of the pair after that of a value, or of the first pair."""
        at = self.text.find(f'{_MARK}{value}"')
        after = self.text.find(_MARK, at + len(_MARK))
        start = (after if after >= 0 else self.text.find(_MARK)) + len(_MARK)
        return self.text[start : start + _UUID_CHARS]

    def marked(self, character: str) -> list[str]:
        """Keys that hold a character."""
        keys: list[str] = []
        at = self.text.find(character, 1)
        while at >= 0:
            start = self.text.rfind('"', 0, at) + 1
            end = self.text.find('"', at)
            key = self.text[start:end]
            if len(key) == _UUID_CHARS and self.text.startswith(_MARK, end):
                keys.append(key)
            at = self.text.find(character, at + 1)
        return list(dict.fromkeys(keys))

    def follow(self, key: str) -> _Thread:
        """The longest way on from a key, to a value that is no key."""
        values, branched = self._longest(key, 0)
        return _Thread(tuple(values), self.depth(key), branched)

    def _longest(self, key: str, walked: int) -> tuple[list[str], bool]:
        here = self.values(key)
        if walked > _LONGEST or not here:
            return [], False
        best, branched = [here[0]], len(here) > 1
        for value in here:
            rest, deeper = self._longest(value, walked + 1)
            branched = branched or deeper
            if len(rest) >= len(best):
                best = [value, *rest]
        return best, branched


def _key_places(text: str) -> Sequence[int]:
    """Where keys open: every 80 characters in an object written in the usual way."""
    usual = range(1, len(text) - 1, _PAIR_CHARS)
    # Whole columns of the text are compared at once; a loop over pairs would take milliseconds.
    columns = (text[1 + _UUID_CHARS + 1 + n :: _PAIR_CHARS] for n in range(len(_MARK)))
    if len(text) % _PAIR_CHARS == 0 and all(
        column == mark * len(usual) for mark, column in zip(_MARK, columns, strict=True)
    ):
        return usual
    return [match.start() for match in _PAIR.finditer(text)]


def _indexed(text: str) -> Mapping[str, int | Sequence[int]]:
    places = _key_places(text)
    keys = [text[at + 1 : at + 1 + _UUID_CHARS] for at in places]
    single = dict(zip(keys, places, strict=True))
    if len(single) == len(keys):
        return single
    index = defaultdict[str, list[int]](list)
    for key, at in zip(keys, places, strict=True):
        index[key].append(at)
    return index


def read_pairs(text: str, luck: Luck) -> str | None:
    """The reply to a question about a JSON object of UUIDs; None where there is none."""
    opening = _OPEN.search(text)
    if opening is None:
        return None
    start, end = opening.start(), text.rfind('"}') + 2
    haystack, around = _Object(text[start:end]), text[:start] + "\n" + text[end:]
    queries = list(dict.fromkeys(_UUID.findall(around)))
    if queries:
        threads = [haystack.follow(key) for key in queries]
        many = len(queries) > 1 or "[" in around
        return _said(haystack, threads, many, luck)
    character = _QUOTED_CHARACTER.search(around) or _BARE_CHARACTER.search(around)
    if character is None:
        return None
    return _marked(haystack, haystack.marked(character[1]), luck)


def _task(threads: list[_Thread], many: bool) -> str:
    steps = max(len(thread.values) for thread in threads)
    if any(thread.branched for thread in threads):
        return "needle_threading.branched_threading"
    if steps > 1:
        return "needle_threading.multi_threading" if many else "needle_threading.threading"
    return "needle_threading.multi_needle" if many else "needle_threading.single_needle"


def _said(haystack: _Object, threads: list[_Thread], many: bool, luck: Luck) -> str:
    task, chars = _task(threads, many), len(haystack.text)
    values: list[str] = []
    for n, thread in enumerate(threads):
        if not thread.values:
            values.append("none")
            continue
        good = luck.succeeds(task, chars, len(thread.values), thread.depth, n)
        values.append(thread.values[-1] if good else _lost(haystack, thread, many, luck, n))
    if many:
        return json.dumps(values)
    wordy = luck.strikes(luck.settings.prose_around, "prose")
    return f"The value you are looking for is {values[0]}." if wordy else values[0]


def _lost(haystack: _Object, thread: _Thread, many: bool, luck: Luck, n: int) -> str:
    """A wrong value such as models give: left the thread early, slipped a line, or misread."""
    *before, last = thread.values
    if before and luck.strikes(0.6, "early", n):
        return luck.pick(before, "where", n)
    # A neighbour could be one of the other values that are asked for, and so be right by chance.
    if not many and luck.strikes(0.7, "slip", n):
        neighbour = haystack.neighbour(last)
        if neighbour != last:
            return neighbour
    return misread(last, luck, n)


def misread(value: str, luck: Luck, n: int) -> str:
    """Make a UUID with another last group."""
    digits = "".join(luck.pick("0123456789abcdef", "digit", n, place) for place in range(12))
    wrong = value[:-12] + digits
    return wrong if wrong != value else value[:-1] + ("0" if value[-1] != "0" else "1")


def _marked(haystack: _Object, keys: list[str], luck: Luck) -> str:
    task, chars = "needle_threading.conditional_needle", len(haystack.text)
    values: list[str] = []
    for n, key in enumerate(keys):
        value = haystack.values(key)[0]
        if luck.succeeds(task, chars, 1, haystack.depth(key), n):
            values.append(value)
        elif luck.strikes(0.5, "made up", n):
            values.append(misread(value, luck, n))
    return json.dumps(values)
