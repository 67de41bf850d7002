"""Every known divergence is a switch, and the profiles set what the published works do."""

import pytest

from tasks.profiles import PROFILES, SWITCHES, effective, prompt_switches
from tasks.sample import TaskError

SUGGESTED = {
    "nt": "order match list_score list_order depth_index infeasible branch_last ecl_crossing ci_n",
    "flenqa": "answer early coverage strip_punct word_boundary fisher_alt dedup",
    "niah": "depth_dist negative_slice rail score_scale city_weights",
    "needlechain": "scorer rows bound name_match",
}
# What the published code does where the paper, or we, do something else.
OFFICIAL = {
    "nt.order": "haystack_first",
    "nt.match": "prefix",
    "flenqa.answer": "notebook",
    "flenqa.early": "window",
    "flenqa.coverage": "official",
    "flenqa.strip_punct": False,
    "flenqa.fisher_alt": "greater",
    "flenqa.dedup": False,
    "niah.negative_slice": "official",
    "niah.rail": "official",
    "niah.score_scale": "code",
    "niah.city_weights": "official",
    "needlechain.scorer": "official",
    "needlechain.rows": "first100",
}
PAPER = {
    "nt.order": "instruction_first",
    "nt.match": "exact",
    "nt.list_score": "fractional",
    "nt.branch_last": True,
    "flenqa.answer": "paper",
    "flenqa.word_boundary": False,
    "niah.rail": "strict",
    "niah.score_scale": "readme",
    "needlechain.scorer": "decimal",
    "needlechain.rows": "all",
}


def test_every_suggested_switch_exists():
    names = {f"{family}.{name}" for family, rest in SUGGESTED.items() for name in rest.split()}
    assert names <= SWITCHES.keys()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_sets_all_switches_to_allowed_values(profile: str):
    values = effective(profile, {})  # pyright: ignore[reportArgumentType]
    assert values.keys() == SWITCHES.keys()
    assert all(values[name] in SWITCHES[name].allowed for name in SWITCHES)


def test_profiles_do_what_was_published():
    official, paper = effective("official", {}), effective("paper", {})
    assert {name: official[name] for name in OFFICIAL} == OFFICIAL
    assert {name: paper[name] for name in PAPER} == PAPER


def test_one_switch_can_be_set_over_a_profile():
    assert effective("official", {"nt.match": "exact"})["nt.match"] == "exact"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"nt.macth": "exact"}, r"no switch 'nt\.macth'; there are nt\.order"),
        ({"nt.match": "exactly"}, r"nt\.match = 'exactly' is not one of 'exact', 'prefix'"),
        ({"nt.branch_last": 1}, r"nt\.branch_last = 1 is not one of False, True"),
    ],
)
def test_wrong_switches_are_named(overrides: dict[str, str | int], message: str):
    with pytest.raises(TaskError, match=message):
        effective("default", overrides)


def test_only_prompt_switches_are_part_of_a_point():
    assert prompt_switches("needlechain", effective("official", {})) == {
        "needlechain.bound": "final64"
    }
