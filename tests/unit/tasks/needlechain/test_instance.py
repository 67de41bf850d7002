"""Generated instances keep the published construction."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.needlechain import solver
from tasks.needlechain.instance import draw

KS = st.integers(1, 60)
SEEDS = st.integers(0, 2**63)


@given(k=KS, seed=SEEDS, val=st.sampled_from([160, 1600, 16000]))
@settings(max_examples=60, deadline=None)
def test_solver_agrees_with_every_telling(k: int, seed: int, val: int):
    instance = draw(k, val, "final64", seed)
    assert len(set(instance.names)) == k
    for series in instance.series.values():
        salaries = solver.solve(series.lines)
        assert salaries[instance.names[-1]] == series.single
        assert sum(salaries.values()) == pytest.approx(series.total, rel=1e-12)
        assert list(salaries) == [instance.names[index] for index in series.presented]


@given(k=KS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_chains_share_their_facts(k: int, seed: int):
    series = draw(k, 1600, "final64", seed).series
    forward, backward, mixed = (series[name].lines for name in ("forward", "backward", "mixed"))
    assert backward == forward[::-1]
    assert sorted(mixed) == sorted(forward)
    assert forward[0].endswith(" received $1600 last week.")


@given(k=KS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_last_value_is_bounded_and_all_else_is_not(k: int, seed: int):
    bounded, free = (draw(k, 1600, bound, seed) for bound in ("final64", "none"))
    assert bounded.series["forward"].single in {25.0 * 2**j for j in range(13)}
    if 25 <= free.series["forward"].single <= 102400:
        assert bounded == free


def test_without_the_bound_some_values_leave_it():
    values = [draw(50, 1600, "none", seed).series["forward"].single for seed in range(60)]
    assert any(not 25 <= value <= 102400 for value in values)


def test_number_formats_are_the_published_ones():
    stack = draw(100, 1600, "final64", 0).series["stack"].lines
    amounts = {line.split("$")[1].split()[0] for line in stack}
    assert amounts == {"200.0", "400.0", "800.0", "1600.0", "3200.0", "6400.0", "12800.0"}


def test_steps_are_drawn_evenly():
    lines = draw(1600, 1600, "none", 1).series["forward"].lines
    kinds = Counter(line.split()[2] for line in lines[1:])
    assert all(430 < kinds[kind] < 640 for kind in ("twice", "half", "the"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["Ann received $5 last week.", "Ann received $6 last week."], "Ann is told twice"),
        (["Ann earns twice as much as Bob."], "nothing fixes the salary of"),
        (
            ["Ann earns twice as much as Bob.", "Bob earns half as much as Ann."],
            "nothing fixes the salary of",
        ),
        (["Ann likes Bob."], "not a fact"),
        (["Ann received $5 last week.", "Ann earns twice as much as Ann."], "told twice"),
    ],
)
def test_facts_that_fix_nothing_are_refused(lines: list[str], message: str):
    with pytest.raises(solver.UnsolvableError, match=message):
        solver.solve(lines)
