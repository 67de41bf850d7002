"""Reads prose for events that followed one another."""

import json
import re

from runner.simulator.reader.luck import Luck

_ASKED = re.compile(r"^First events?: (?P<events>.+)$", re.MULTILINE)
_LINK = r"\b{0}\b[^.\n]{{0,80}}?\band then\b[^.\n]*?\bthe (?P<then>[A-Z]\w+ of [A-Z]\w+)"


def read_events(text: str, luck: Luck) -> str | None:
    """The reply to a question for the last event of a row; None where no such thing is asked."""
    asked = _ASKED.search(text[-20_000:])
    if asked is None:
        return None
    events = asked["events"].strip()
    many = events.startswith("[")
    firsts: list[str] = json.loads(events) if many else [events]
    body = text[: max(0, len(text) - 20_000) + asked.start()]
    rows = [_follow(body, first) for first in firsts]
    task = f"needle_threading.natural_{'multi_' if many else ''}threading"
    lasts = [
        row[-1]
        if luck.succeeds(task, len(body), len(row) - 1, 0.5, n)
        else luck.pick(row[:-1] or row, "where", n)
        for n, row in enumerate(rows)
    ]
    return json.dumps(lasts) if many else lasts[0]


def _follow(text: str, first: str) -> list[str]:
    row = [first]
    while (after := _next(text, row[-1])) is not None and after not in row:
        row.append(after)
    return row


def _next(text: str, event: str) -> str | None:
    pattern = re.compile(_LINK.format(re.escape(event)))
    at = text.find(event)
    while at >= 0:
        match = pattern.match(text, at)
        if match is not None:
            return match["then"]
        at = text.find(event, at + 1)
    return None
