"""Rows in the published shapes, made up for tests: the shapes are the data cards'."""

import json
import random
import uuid
from typing import Any


def pairs(size: int, seed: int = 0) -> list[tuple[str, str]]:
    rng = random.Random(seed)

    def draw() -> str:
        return str(uuid.UUID(int=rng.getrandbits(128)))

    return [(draw(), draw()) for _ in range(size // 80)]


def needle_row(**changes: Any) -> dict[str, Any]:
    """The data card's example: 25 pairs of seed 0, the needle at 50 %."""
    found = pairs(2000, changes.get("repeat_number", 0))
    return {
        "id": 5,
        "haystack": json.dumps(dict(found)),
        "keys": found[12][0],
        "values": found[12][1],
        "question": "What stands under this key?",
        "context_length": 2000,
        "num_kv_pairs": 25,
        "repeat_number": 0,
        "needle_depth": "50",
        "num_needles": 1,
        "needle_placement": "depthwise",
        "conditional_character": "N/A",
        "thread_length": 1,
        "thread_direction": "N/A",
        "num_threads": 0,
        **changes,
    }


def multi_row(**changes: Any) -> dict[str, Any]:
    found = pairs(2000)
    asked = [found[3], found[1]]
    return (
        needle_row(
            keys=repr([key for key, _ in asked]),
            values=repr([value for _, value in asked]),
            needle_depth="N/A",
            num_needles=2,
            needle_placement="random",
        )
        | changes
    )


def conditional_row(**changes: Any) -> dict[str, Any]:
    found = pairs(2000)
    for index in (4, 9):
        key, value = found[index]
        found[index] = (f"{key[:5]}*{key[6:]}", value)
    marked = [found[4], found[9]]
    return (
        multi_row(
            haystack=json.dumps(dict(found)),
            keys=repr([key for key, _ in marked]),
            values=repr([value for _, value in marked]),
            conditional_character="*",
        )
        | changes
    )


def thread_row(threads: int = 1, **changes: Any) -> dict[str, Any]:
    """Threads of three pairs, one after another in the haystack."""
    found = pairs(2000)
    starts, ends = list[str](), list[str]()
    for thread in range(threads):
        first = 3 * thread
        for index in (first + 1, first + 2):
            found[index] = (found[index - 1][1], found[index][1])
        starts.append(found[first][0])
        ends.append(found[first + 2][1])
    return (
        needle_row(
            haystack=json.dumps(dict(found)),
            keys=starts[0] if threads == 1 else repr(starts),
            values=ends[0] if threads == 1 else repr(ends),
            needle_depth="N/A",
            needle_placement="N/A",
            thread_length=3,
            thread_direction="forward" if threads == 1 else "all random",
            num_threads=threads,
        )
        | changes
    )


def flenqa_row(**changes: Any) -> dict[str, Any]:
    return {
        "global_sample_id": 9342,
        "sample_id": 42,
        "label": "True",
        "dataset": "Simplified RuleTaker",
        "facts": None,
        "rule": "If X is good and X is small then X is loud.",
        "statement": ["Dave is small.", "Dave is good."],
        "assertion/question": "Dave is loud.",
        "mixin": "Dave is small. So he is.\nA book lay there.\nDave is good. He is.",
        "padding_type": "books",
        "dispersion": "random",
        "ctx_size": 2000,
    } | changes


def monorel_row(**changes: Any) -> dict[str, Any]:
    facts = ["Ann Lee is older than Bo Ray. By years.", "Bo Ray is older than Cy Fox. They say."]
    return (
        flenqa_row(
            global_sample_id=5301,
            sample_id=1,
            dataset="MonoRel",
            facts=facts,
            rule=None,
            statement=None,
            mixin="\n".join(facts),
            padding_type="same",
            dispersion="first",
            ctx_size=250,
        )
        | {"assertion/question": "Is Ann Lee older than Cy Fox?"}
        | changes
    )


def chain_row(**changes: Any) -> dict[str, Any]:
    forward = ["Cairo received $1600 last week.", "Ramon earns twice as much as Cairo."]
    stack = ["Ramon received $400.0 last week.", "Cairo received $800.0 last week."]
    row: dict[str, Any] = {"idx": 0, "names": "Cairo, Ramon"}
    for chain, lines, single, total in (
        ("parallel", stack, 400.0, 1200.0),
        ("forward", forward, 3200.0, 4800.0),
        ("backward", forward[::-1], 3200.0, 4800.0),
        ("chaotic", forward, 3200.0, 4800.0),
    ):
        row |= {
            f"{chain}_chain": "\n".join(lines),
            f"{chain}_total_val": total,
            f"{chain}_lastname": "Ramon",
            f"{chain}_single_val": single,
        }
    return row | changes
