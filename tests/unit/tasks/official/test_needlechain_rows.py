from typing import Any

import pytest

from tasks.official import needlechain_rows
from tasks.official.entry import RowError
from tests.fakes.official_rows import (
    chain_row,
)


def test_a_chain_row_is_four_tellings():
    parsed = needlechain_rows.parse(chain_row(), "")
    assert [entry.task for entry in parsed.entries] == [
        f"needlechain.{chain}" for chain in ("forward", "backward", "mixed", "stack")
    ]
    assert all(entry.axes == {"k": 2, "val": 1600} for entry in parsed.entries)
    backward = parsed.entries[1].inputs
    assert backward["presented"] == [1, 0]
    assert (backward["single"], backward["total"]) == (3200.0, 4800.0)
    assert not parsed.disagreements


def test_rows_outside_the_bound_are_kept_and_whole_numbers_may_be_ints():
    lines = "Cairo received $1600 last week.\nRamon earns the same salary as Cairo."
    row = chain_row(forward_chain=lines, forward_single_val=1600, forward_total_val=3200)
    assert not needlechain_rows.parse(row, "").disagreements


def test_a_wrong_stored_value_is_a_disagreement():
    parsed = needlechain_rows.parse(chain_row(chaotic_total_val=4800.5), "")
    assert parsed.disagreements == ["chaotic_total_val is 4800.5, the facts give 4800.0"]
    assert len(parsed.entries) == 4


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"names": "Cairo"}, "tells of others than names"),
        ({"names": None}, "no field names"),
        ({"forward_chain": "Cairo is rich."}, "forward_chain: not a fact"),
        ({"parallel_chain": "Cairo received $5 last week."}, "parallel_chain: tells of others"),
        ({"backward_lastname": "Cairo"}, "not the last of names"),
        ({"chaotic_single_val": "many"}, "chaotic_single_val must be a number"),
        ({"chaotic_single_val": None}, "no field chaotic_single_val"),
    ],
)
def test_malformed_chain_rows(changes: dict[str, Any], reason: str):
    with pytest.raises(RowError, match=reason):
        needlechain_rows.parse(chain_row(**changes), "")
