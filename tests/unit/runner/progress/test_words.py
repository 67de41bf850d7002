from typing import Any

import pytest

from runner.progress.states import LaneEnd, Wait
from tests.unit.runner.progress.views import drawn, lane, view


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"waiting": Wait.RETRY_AFTER, "waiting_s": 20.0}, "told to wait 20s, backoff 3"),
        ({"waiting": Wait.BACKOFF}, "backoff 3"),
        ({"waiting": Wait.BUDGET, "backing_off": 0}, "budget"),
        ({"waiting": None, "backing_off": 0}, "running"),
        ({"ended": LaneEnd.PARKED}, "parked"),
    ],
)
def test_what_a_lane_waits_for_is_said(changes: dict[str, Any], words: str):
    for width in (80, 200):
        assert words in drawn(view(lane(**changes)), width)
