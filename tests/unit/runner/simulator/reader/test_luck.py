import itertools

import pytest

from runner.simulator.spec.settings import Ability, ReaderSettings
from tasks.catalog import TASKS
from tests.unit.runner.simulator.reader.replies import (
    said,
    samples,
)


@pytest.mark.parametrize("task", TASKS)
def test_the_same_prompt_meets_the_same_fate(task: str):
    half = ReaderSettings(ability=Ability(frontier_chars=3_000, sharpness=1))
    for _, _, sample in itertools.islice(samples(task, 1), 4):
        assert said(sample, half) == said(sample, half)
