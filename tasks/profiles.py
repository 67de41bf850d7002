"""Every known divergence between a paper, its code and us, as one named switch.

A profile sets them all at once. Switches of scope `prompt` change what is sent, so they are part of
a cell's identity; `score` switches change how a reply is judged; `metric` switches only change how
judged replies are summed up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tasks.sample import Scalar, TaskError

Profile = Literal["default", "paper", "official"]
PROFILES: tuple[Profile, ...] = ("default", "paper", "official")


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """One divergence: its allowed values and the value each profile gives it."""

    scope: Literal["prompt", "score", "metric"]
    allowed: tuple[Scalar, ...]
    default: Scalar
    paper: Scalar
    official: Scalar
    about: str


def _switch(
    scope: Literal["prompt", "score", "metric"],
    allowed: tuple[Scalar, ...],
    values: tuple[Scalar, Scalar, Scalar],
    about: str,
) -> Switch:
    default, paper, official = values
    return Switch(
        scope=scope, allowed=allowed, default=default, paper=paper, official=official, about=about
    )


_BOTH = (False, True)

SWITCHES: Mapping[str, Switch] = {
    "nt.order": _switch(
        "prompt",
        ("instruction_first", "haystack_first"),
        ("instruction_first", "instruction_first", "haystack_first"),
        "where the instruction stands; the README's example puts the haystack first",
    ),
    "nt.depth_index": _switch(
        "prompt",
        ("floor", "round"),
        ("floor", "floor", "floor"),
        "index of the needle at a depth; the published point (50 %, 25 pairs) fits both",
    ),
    "nt.infeasible": _switch(
        "prompt",
        ("skip", "error"),
        ("skip", "skip", "skip"),
        "cells that need more pairs than the haystack holds",
    ),
    "nt.branch_last": _switch(
        "prompt",
        _BOTH,
        (False, True, True),
        "branched threading: also branch at the last step, where any branch then counts",
    ),
    "nt.match": _switch(
        "score",
        ("exact", "prefix"),
        ("exact", "exact", "prefix"),
        "the README's code compares a prefix of the evaluated literal",
    ),
    "nt.list_score": _switch(
        "score",
        ("fractional", "all_or_nothing"),
        ("fractional", "fractional", "fractional"),
        "the published tables need fractional credit",
    ),
    "nt.list_order": _switch(
        "score",
        ("set", "positional"),
        ("set", "set", "set"),
        "whether multi-value answers must stand in the asked order",
    ),
    "nt.pick": _switch(
        "score",
        ("first", "last"),
        ("first", "first", "first"),
        "which UUID of a single-value reply counts; last suits models that think aloud",
    ),
    "nt.ecl_crossing": _switch(
        "metric",
        ("first_down", "last_down"),
        ("first_down", "first_down", "first_down"),
        "which crossing of the threshold bounds the effective context",
    ),
    "nt.ci_n": _switch(
        "metric",
        ("prompts", "answers"),
        ("prompts", "prompts", "prompts"),
        "n of the Wilson interval",
    ),
    "flenqa.answer": _switch(
        "score",
        ("notebook", "paper"),
        ("notebook", "paper", "notebook"),
        "the notebook also strips articles and reads `not true` as false",
    ),
    "flenqa.early": _switch(
        "score",
        ("window", "first_verdict"),
        ("window", "window", "window"),
        "answer before reasoning: final verdict within the first 10 characters, or any first one",
    ),
    "flenqa.coverage": _switch(
        "score",
        ("key_sentence", "official"),
        ("key_sentence", "key_sentence", "official"),
        "chain-of-thought coverage of the key sentence, or of the whole facts field",
    ),
    "flenqa.strip_punct": _switch(
        "score",
        _BOTH,
        (False, True, False),
        "the notebook's punctuation stripping never matches anything",
    ),
    "flenqa.word_boundary": _switch(
        "score", _BOTH, (False, False, False), "match whole words only: `untrue` is not true"
    ),
    "flenqa.fisher_alt": _switch(
        "metric",
        ("both", "greater"),
        ("both", "both", "greater"),
        "which Fisher p-values are shown",
    ),
    "flenqa.dedup": _switch(
        "metric",
        _BOTH,
        (True, False, False),
        "count identical prompts once in intervals (all variants at 250 tokens are one prompt)",
    ),
    "niah.depth_dist": _switch(
        "prompt",
        ("linear", "sigmoid"),
        ("linear", "linear", "linear"),
        "spacing of the default depths",
    ),
    "niah.negative_slice": _switch(
        "prompt",
        ("clamp", "official"),
        ("clamp", "clamp", "official"),
        "contexts shorter than the buffer: refuse them, or cut from the end as the code does",
    ),
    "niah.city_weights": _switch(
        "prompt",
        ("uniform", "official"),
        ("uniform", "uniform", "official"),
        "the code's city list repeats some cities",
    ),
    "niah.rail": _switch(
        "score",
        ("official", "strict"),
        ("official", "strict", "official"),
        "substring rails, or whole numbers with commas removed; the README says exactly the number",
    ),
    "niah.score_scale": _switch(
        "metric",
        ("readme", "code"),
        ("readme", "readme", "code"),
        "10/1 with 10 good, or the code's 1/10/5 with 1 good",
    ),
    "needlechain.bound": _switch(
        "prompt",
        ("final64", "none"),
        ("final64", "final64", "final64"),
        "discard instances whose final value leaves val/64..64*val",
    ),
    "needlechain.scorer": _switch(
        "score",
        ("decimal", "official"),
        ("decimal", "decimal", "official"),
        "decimals with a tolerance, or the code's integers after deleting white space",
    ),
    "needlechain.name_match": _switch(
        "score",
        ("word", "substring"),
        ("word", "word", "word"),
        "how a name is looked for in a reply",
    ),
    "report.interval": _switch(
        "metric",
        ("cluster", "wilson"),
        ("cluster", "wilson", "cluster"),
        "intervals that allow for shared haystacks, or Wilson's as in Needle Threading's figures",
    ),
    "needlechain.rows": _switch(
        "metric",
        ("all", "first100"),
        ("all", "all", "first100"),
        "the code scores the first 100 rows only",
    ),
}


def effective(profile: Profile, overrides: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Every switch with its value. Raises TaskError for an unknown switch or value."""
    values: dict[str, Scalar] = {}
    for name, switch in SWITCHES.items():
        values[name] = getattr(switch, profile)
    for name, value in overrides.items():
        switch = SWITCHES.get(name)
        if switch is None:
            raise TaskError(f"switches: no switch {name!r}; there are {', '.join(SWITCHES)}")
        if not any(value == item and type(value) is type(item) for item in switch.allowed):
            allowed = ", ".join(map(repr, switch.allowed))
            raise TaskError(f"switches: {name} = {value!r} is not one of {allowed}")
        values[name] = value
    return values


def prompt_switches(family: str, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The values that shape prompts of one family (`nt`, `flenqa`, `niah`, `needlechain`)."""
    return {
        name: value
        for name, value in values.items()
        if name.startswith(f"{family}.") and SWITCHES[name].scope == "prompt"
    }
