import pytest

from runner.simulator.reader.frontier import chance, effective_chars
from runner.simulator.spec.settings import Ability


def test_the_chance_falls_with_length_steps_and_the_middle():
    ability = Ability(frontier_chars=1000, sharpness=3, steps_power=1, depth_dip=1)
    lengths = [chance(ability, chars) for chars in (10, 1000, 2000, 10**9)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[1] == pytest.approx(0.75)
    assert chance(ability, 500, steps=2) == pytest.approx(0.75)
    assert chance(ability, 500, depth=0.5) == pytest.approx(0.75)
    assert chance(ability, 500, depth=0.5) < chance(ability, 500, depth=0.9)
    assert chance(Ability(), 10**12) == 1.0


def test_effective_chars_is_where_the_chance_is_three_quarters():
    ability = Ability(frontier_chars=9000, sharpness=5, steps_power=0.5, depth_dip=0.8)
    found = effective_chars(ability, steps=5, depth=0.3)
    assert found is not None
    assert chance(ability, round(found), 5, 0.3) == pytest.approx(0.75, abs=1e-3)
    assert effective_chars(Ability()) is None
