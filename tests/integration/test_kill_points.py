"""kill -9 at chosen steps: of a batch, a checkpoint, a rename, a migration, a repair, an export.

A sample of what `python -m tests.bench kills` does a thousand times.
"""

import os
from pathlib import Path

import pytest

from tests.fakes.kill_points import POINTS, Kind
from tests.fakes.kills import rounds

pytestmark = pytest.mark.loopback
KILLS = int(os.environ.get("RUNNER_KILL_POINTS", "3"))
SEED = int(os.environ.get("RUNNER_KILLS_SEED", "1"))


def test_a_kill_at_any_step_and_two_while_it_recovers_lose_nothing_and_pay_nothing_twice(
    tmp_path: Path,
):
    done = list(rounds(tmp_path, KILLS, SEED))
    assert sum(done[-1].kills.values()) > KILLS
    assert done[-1].trials > 0


def test_every_step_that_must_survive_a_kill_has_its_point():
    assert {point.kind for point in POINTS.values()} == set(Kind)
    for point in POINTS.values():
        assert callable(getattr(point.owner, point.attribute))
