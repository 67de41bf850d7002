"""Reads facts about salaries and solves them for one person or for all."""

import re
from dataclasses import dataclass

from runner.simulator.reader.luck import Luck

_RECEIVED = re.compile(r"^(?P<name>\S[^\n]*?) received \$(?P<value>[\d.,]*\d)[^\n]*$", re.MULTILINE)
_COMPARED = re.compile(
    r"^(?P<name>\S[^\n]*?) earns (?P<how>twice|half|the same)[^\n]* as (?P<before>[^\n]+?)\.?$",
    re.MULTILINE,
)
_FACTORS = {"twice": 2.0, "half": 0.5, "the same": 1.0}
_QUESTION = re.compile(r"[^\n]*\?")
_TOTAL = re.compile(r"\b(total|together|altogether|all|sum)\b", re.IGNORECASE)
_MARKER = "## Answer:"


@dataclass(frozen=True, slots=True, kw_only=True)
class _SalaryFacts:
    """What is said of each person."""

    order: tuple[str, ...]
    """Subjects in the order of their lines."""
    given: dict[str, float]
    compared: dict[str, tuple[str, float]]
    chars: int

    def value(self, name: str) -> float | None:
        """A salary, by way of as many others as it takes."""
        factor = 1.0
        for _ in range(len(self.order) + 1):
            if name in self.given:
                return self.given[name] * factor
            if name not in self.compared:
                return None
            name, step = self.compared[name]
            factor *= step
        return None

    def steps(self, name: str) -> int:
        """How many facts a salary takes."""
        count = 1
        while name in self.compared and count <= len(self.order):
            name, count = self.compared[name][0], count + 1
        return count


def read_chain(text: str, system: str, luck: Luck) -> str | None:
    """The reply to a question about salaries; None where no such facts are told."""
    if " received $" not in text:
        return None
    facts = _facts(text)
    questions = _QUESTION.findall(text)
    if not facts.order or not questions:
        return None
    question = questions[-1]
    asked = [name for name in facts.order if re.search(rf"\b{re.escape(name)}\b", question)]
    total = len(asked) != 1 or _TOTAL.search(question) is not None
    people = list(facts.order) if total else [asked[0]]
    return _reply(facts, _reasoning_order(facts), people, _MARKER in system + text, luck)


def _facts(text: str) -> _SalaryFacts:
    given = [(m.start(), m["name"], m["value"].replace(",", "")) for m in _RECEIVED.finditer(text)]
    told = list(_COMPARED.finditer(text))
    places = [(at, name) for at, name, _ in given] + [(m.start(), m["name"]) for m in told]
    return _SalaryFacts(
        order=tuple(name for _, name in sorted(places)),
        given={name: float(value) for _, name, value in given},
        compared={m["name"]: (m["before"], _FACTORS[m["how"]]) for m in told},
        chars=max(m.end() for m in (*_RECEIVED.finditer(text), *told)) - min(at for at, _ in places)
        if places
        else 0,
    )


def _reasoning_order(facts: _SalaryFacts) -> list[str]:
    """Those whose salary others depend on come first."""
    return sorted(facts.order, key=facts.steps)


def _task(facts: _SalaryFacts, reasoning: list[str]) -> str:
    if not facts.compared:
        return "needlechain.stack"
    if list(facts.order) == reasoning:
        return "needlechain.forward"
    backward = list(facts.order) == reasoning[::-1]
    return "needlechain.backward" if backward else "needlechain.mixed"


def _reply(
    facts: _SalaryFacts, reasoning: list[str], people: list[str], marker: bool, luck: Luck
) -> str:
    values = {name: facts.value(name) or 0.0 for name in reasoning}
    answer = sum(values[name] for name in people)
    steps = facts.steps(people[0]) if len(people) == 1 else len(facts.order)
    told = list(reasoning)
    if not luck.succeeds(_task(facts, reasoning), facts.chars, steps, 0.5):
        answer, told = _wrong(answer, told, luck)
    lines = [f"{name} gets ${money(values[name])}." for name in told]
    silent = luck.strikes(luck.settings.no_marker, "marker") or not marker
    closing = "That is what I found." if silent else f"{_MARKER} ${money(answer)}"
    return "\n".join([*lines, closing])


def _wrong(answer: float, told: list[str], luck: Luck) -> tuple[float, list[str]]:
    """A value that is off by a factor, with a person forgotten or a step miscalculated."""
    off = answer * (2.0 if luck.strikes(0.5, "factor") else 0.5)
    if not luck.strikes(luck.settings.omission, "omission"):
        return off, told
    forgotten = int(luck.unit("who") * len(told))
    return off, told[:forgotten] + told[forgotten + 1 :]


def money(value: float) -> str:
    """Dollars without an exponent or an idle `.0`, exact for halves of whole numbers."""
    return str(int(value)) if value == int(value) else f"{value:.12f}".rstrip("0")
