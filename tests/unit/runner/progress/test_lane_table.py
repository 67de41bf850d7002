import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.runner.progress.views import PURSE, SAID, drawn, lane, view


@settings(max_examples=20, deadline=None)
@given(width=st.integers(80, 260))
def test_no_number_is_cut_at_any_width(width: int):
    text = " ".join(drawn(view(), width).split())
    for said in [*SAID, *PURSE, "anthropic/claude-sonnet-4-5", "compat/a", "running"]:
        assert said in text
    assert all(len(line) <= width for line in drawn(view(), width).splitlines())


@pytest.mark.parametrize(("width", "lines"), [(80, 3), (200, 1)])
def test_a_lane_takes_one_line_where_that_fits(width: int, lines: int):
    one = len(drawn(view(lane()), width).splitlines())
    two = len(drawn(view(lane(), lane()), width).splitlines())
    assert two - one == lines


def test_all_outcomes_are_named_where_there_is_room():
    for width in (80, 220):
        text = " ".join(drawn(view(), width).split())
        assert "overloaded 12 transient 5 empty 2" in text
