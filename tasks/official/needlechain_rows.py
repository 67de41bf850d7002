"""Rows of the published NeedleChain files: four tellings with both answers each."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.needlechain import solver
from tasks.needlechain.instance import Chain
from tasks.official.entry import Entry, Parsed, Row, RowError

CHAINS: Mapping[Chain, str] = {
    "forward": "forward",
    "backward": "backward",
    "mixed": "chaotic",
    "stack": "parallel",
}
"""Our names and the published ones."""


def parse(fields: Mapping[str, Any], label: str) -> Parsed:  # noqa: ARG001  no splits to tell apart
    """The row as an entry of each task. Raises RowError."""
    row = Row(fields)
    names = [name.strip() for name in row.text("names").split(",")]
    val = _starting_salary(row)
    entries: list[Entry] = []
    disagreements: list[str] = []
    for chain, published in CHAINS.items():
        inputs, doubts = _telling(row, published, names)
        axes = {"k": len(names), "val": val}
        rank = row.whole("idx") if row.has("idx") else 0
        entries.append(Entry(task=f"needlechain.{chain}", axes=axes, rank=rank, inputs=inputs))
        disagreements.extend(doubts)
    return Parsed(entries=entries, disagreements=disagreements)


def _starting_salary(row: Row) -> float:
    salaries = _solve(row.text("forward_chain").split("\n"), "forward_chain")
    value = next(iter(salaries.values()))
    return int(value) if value == int(value) else value


def _solve(lines: Sequence[str], field: str) -> dict[str, float]:
    try:
        return solver.solve(lines)
    except solver.UnsolvableError as error:
        raise RowError(f"{field}: {error}") from error


def _telling(row: Row, chain: str, names: list[str]) -> tuple[dict[str, Any], list[str]]:
    lines = row.text(f"{chain}_chain").split("\n")
    salaries = _solve(lines, f"{chain}_chain")
    if sorted(salaries) != sorted(names):
        raise RowError(f"{chain}_chain: tells of others than names")
    last = row.text(f"{chain}_lastname")
    if last != names[-1]:
        raise RowError(f"{chain}_lastname = {last!r} is not the last of names")
    stored = {question: row.number(f"{chain}_{question}_val") for question in ("single", "total")}
    found = {"single": salaries[last], "total": math.fsum(salaries.values())}
    places = {name: index for index, name in enumerate(names)}
    inputs = {
        "names": names,
        "lines": lines,
        "presented": [places[name] for name in salaries],
        **stored,
    }
    doubts = [
        f"{chain}_{question}_val is {value}, the facts give {found[question]}"
        for question, value in stored.items()
        if not math.isclose(value, found[question], rel_tol=1e-9)
    ]
    return inputs, doubts
