"""Reads two facts in a long text and says whether a third follows, with or without its steps."""

import re
from dataclasses import dataclass

from runner.simulator.reader.luck import Luck

_NAME = r"[A-Z][\w'\u2019-]* [A-Z][\w'\u2019-]*"
_COMPARISON = re.compile(rf"Is (?P<a>{_NAME}) (?P<how>[^?\n]+?) than (?P<c>{_NAME})\?")
_ROOM = re.compile(
    rf"Is (?P<who>{_NAME}) in an? (?:room with (?P<with>[^?\n]+)|(?P<kind>[^?\n]+?) room)\?"
)
_RULE = re.compile(r"If (?P<if>[^\n]+?),? then (?P<then>[^\n.]+)\.")
_ASSERTION = re.compile(r"[\"“](?P<who>[A-Z]\w*) is (?P<what>[^\"”\n]+?)\.?[\"”]")
_ATTRIBUTE = re.compile(r"\w+ is (?P<what>.+?)(?= and |$)")
_START = r"(?:^|(?<=[.!?] ))"
_FEW_WORDS = r"[\w-]+(?: [\w-]+){0,2}"
_STEPWISE = re.compile(r"\bsteps?\b", re.IGNORECASE)
_TAIL, _HEAD = 1_500, 1_500
"""Questions stand at the ends of a prompt, so only these are looked through for them."""
_UNSURE = "I cannot decide that from what is given."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    task: str
    right: bool | None
    """None: the facts that it takes are not there."""
    facts: tuple[str, ...] = ()
    """Key sentences, as they stand in the text."""
    at: int = 0


def read_true_or_false(text: str, luck: Luck) -> str | None:
    """The reply to a True/False question; None where none is asked."""
    ends = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    if "True" not in ends or "False" not in ends:
        return None
    found = _compared(text, ends) or _located(text, ends) or _derived(text, ends)
    if found is None:
        return None
    return _reply(found, text, luck, stepwise=_STEPWISE.search(ends) is not None)


def _reply(found: _Found, text: str, luck: Luck, *, stepwise: bool) -> str:
    rates = luck.settings
    if found.right is None or luck.strikes(rates.no_verdict, "no verdict"):
        return _UNSURE
    depth = found.at / max(1, len(text))
    answer = found.right
    if not luck.succeeds(found.task, len(text), len(found.facts), depth):
        answer = not luck.strikes(rates.false_bias, "guess")
    if not stepwise:
        return str(answer)
    told = [
        fact
        for n, fact in enumerate(found.facts)
        if not luck.strikes(rates.skipped_fact, "skipped", n)
    ]
    steps = " ".join([*told, "That settles it."])
    if luck.strikes(rates.early_answer, "early"):
        return f"{answer}. {steps}"
    return f"{steps}\nTherefore the answer is {answer}."


def _compared(text: str, ends: str) -> _Found | None:
    """A chain of comparisons from one person to another, in either direction."""
    question = _COMPARISON.search(ends)
    if question is None:
        return None
    how = re.escape(question["how"])
    told = re.compile(rf"(?P<a>{_NAME}) is {how} than (?P<b>{_NAME})\.")
    edges: dict[str, re.Match[str]] = {}
    for match in told.finditer(text):
        edges.setdefault(match["a"], match)
    for start, end, right in (
        (question["a"], question["c"], True),
        (question["c"], question["a"], False),
    ):
        path = _path(edges, start, end)
        if path:
            return _Found(
                task="flenqa.monorel",
                right=right,
                facts=tuple(match[0] for match in path),
                at=path[0].start(),
            )
    return _Found(task="flenqa.monorel", right=None)


def _path(edges: dict[str, re.Match[str]], start: str, end: str) -> list[re.Match[str]]:
    path: list[re.Match[str]] = []
    while start != end:
        step = edges.get(start)
        if step is None or step in path:
            return []
        path.append(step)
        start = step["b"]
    return path


def _located(text: str, ends: str) -> _Found | None:
    """Somebody's room, and what is said of that room."""
    question = _ROOM.search(ends)
    if question is None:
        return None
    wanted = (question["with"] or question["kind"]).lower()
    stays = rf"{_START}{re.escape(question['who'])} is in (?P<room>[^.\n]+)\."
    where = re.search(stays, text, re.MULTILINE)
    if where is None:
        return _Found(task="flenqa.pir", right=None)
    room = where["room"].removeprefix("the ")
    what = None
    for verb in ("has", "is"):
        said = rf"{_START}(?:the )?{re.escape(room)} {verb} (?P<what>[^.\n]+)\."
        what = what or re.search(said, text, re.IGNORECASE | re.MULTILINE)
    if what is None:
        return _Found(task="flenqa.pir", right=None)
    right = wanted in what["what"].lower() or what["what"].lower() in wanted
    return _Found(
        task="flenqa.pir",
        right=right,
        facts=(where[0], what[0]),
        at=min(where.start(), what.start()),
    )


def _derived(text: str, ends: str) -> _Found | None:
    """A rule, and whether the facts meet its conditions."""
    rule, asserted = _RULE.search(text), _ASSERTION.search(ends)
    if rule is None or asserted is None:
        return None
    who = asserted["who"]
    told = re.compile(rf"{_START}{re.escape(who)} is (?P<what>{_FEW_WORDS})\.", re.MULTILINE)
    facts: dict[str, re.Match[str]] = {}
    for match in told.finditer(text):
        facts.setdefault(match["what"], match)
    needed = [match["what"].strip() for match in _ATTRIBUTE.finditer(rule["if"])]
    then = _ATTRIBUTE.search(rule["then"])
    met = all(what in facts for what in needed)
    follows = met and then is not None and then["what"].strip() == asserted["what"]
    known = [facts[what] for what in facts if f"{who} is {what}" != asserted["what"]]
    return _Found(
        task="flenqa.ruletaker",
        right=follows or asserted["what"] in facts,
        facts=tuple(match[0] for match in known[:2]),
        at=min((match.start() for match in known), default=0),
    )
