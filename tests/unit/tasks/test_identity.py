from hypothesis import given
from hypothesis import strategies as st

from tasks.identity import (
    canonical_json,
    derive_seed,
    seed_repeat,
    stable_hash,
    trial_seed,
)


def test_equal_values_give_equal_bytes():
    assert canonical_json({"b": 1, "a": [1, 2]}) == canonical_json({"a": [1, 2], "b": 1})
    assert stable_hash({"b": 1, "a": 2}) == stable_hash({"a": 2, "b": 1})


def test_hashes_and_seeds_never_change():
    assert stable_hash(["a", 1]) == "484c670ce4753ed75a3cc908af49224a"
    assert derive_seed("order", 0) == 2649314554148557891


@given(st.integers(0, 2**20), st.integers(0, 2**31))
def test_a_trials_seed_holds_its_repeat(sweep: int, repeat: int):
    assert seed_repeat(trial_seed(sweep, repeat)) == repeat
    assert trial_seed(0, repeat) == repeat
