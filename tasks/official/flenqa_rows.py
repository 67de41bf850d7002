"""Rows of the published FLenQA set (HF `alonj/FLenQA`, and the zip of the repository)."""

import re
from collections.abc import Mapping
from typing import Any

from tasks.official.entry import Entry, Parsed, Row, RowError

DATASETS: Mapping[str, str] = {
    "MonoRel": "monorel",
    "PIR": "pir",
    "People In Rooms": "pir",
    "Simplified RuleTaker": "ruletaker",
    "RuleTaker": "ruletaker",
}
PADDINGS: Mapping[str, str] = {
    "same": "similar",
    "books": "different",
    "identity": "duplicate",
    "duplicate": "duplicate",
    "similar": "similar",
    "different": "different",
}
"""The published names are the left ones; `identity` is the notebook's, never released."""
PLACEMENTS: Mapping[str, str] = {name: name for name in ("first", "middle", "last", "random")}
_SENTENCE = re.compile(r"[^\n]*?[.!?](?=\s|$)")


def parse(fields: Mapping[str, Any], label: str) -> Parsed:  # noqa: ARG001  the rows name their set
    """The row as an entry of its task. Raises RowError."""
    row = Row(fields)
    task = row.choice("dataset", DATASETS)
    mixin = row.text("mixin")
    rule, facts = _rule_and_facts(row, task)
    axes = {
        "size": row.whole("ctx_size"),
        "padding": row.choice("padding_type", PADDINGS),
        "placement": row.choice("dispersion", PLACEMENTS),
    }
    inputs = {
        "label": row.truth("label"),
        "question": row.text("assertion/question"),
        "rule": rule,
        "facts": facts,
        "key_sentences": [_first_sentence(fact) for fact in facts],
    }
    entry = Entry(
        task=f"flenqa.{task}", axes=axes, rank=row.whole("sample_id"), inputs=inputs, text=mixin
    )
    absent = [fact for fact in facts if fact.strip() not in mixin]
    doubts = [f"the mixin lacks the key paragraph {fact[:60]!r}" for fact in absent]
    return Parsed(entries=[entry], disagreements=doubts)


def _rule_and_facts(row: Row, task: str) -> tuple[str, list[str]]:
    """RuleTaker has a rule and two statements; the others have two paragraphs of facts."""
    if task != "ruletaker":
        return "", row.texts("facts")
    rules = row.texts("rule")
    if len(rules) != 1:
        raise RowError(f"rule must be one rule, not {len(rules)}")
    statements = row.texts("statement")
    if len(statements) == 1:  # the card describes one text; the data have a list
        statements = [match.strip() for match in _SENTENCE.findall(statements[0])] or statements
    return rules[0], statements


def _first_sentence(paragraph: str) -> str:
    match = _SENTENCE.match(paragraph)
    return match[0].strip() if match else paragraph.strip()
