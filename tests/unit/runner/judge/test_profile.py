import pytest

from runner.errors import UsageError
from runner.judge.profile import chosen_profile, parse_switch


def test_a_switch_stands_over_its_profile():
    profile, switches = chosen_profile("default", ["flenqa.answer=paper"])
    assert (profile, switches["flenqa.answer"]) == ("default", "paper")


def test_truth_values_are_read_as_such_and_all_else_as_text():
    assert [parse_switch(f"a = {value}")[1] for value in ("true", "false", "1")] == [
        True,
        False,
        "1",
    ]


@pytest.mark.parametrize(
    ("profile", "switch", "says"),
    [
        ("none", "flenqa.answer=paper", "--profile 'none': there are "),
        ("default", "flenqa.answer", "--switch 'flenqa.answer': must be name=value"),
        ("default", "no.such=1", "--switch "),
    ],
)
def test_what_is_wrong_names_its_flag(profile: str, switch: str, says: str):
    with pytest.raises(UsageError, match=says):
        chosen_profile(profile, [switch])
