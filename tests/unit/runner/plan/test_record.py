import asyncio
from typing import Any

import pytest

from runner.clock import SystemClock
from runner.plan.record import ROWS_AT_ONCE, record_plan, sweep_row
from tests.fakes.memory_store import MemoryStore
from tests.fakes.plans import plan_of, sweep_text


class CountingStore(MemoryStore):
    """Tells how many rows came at once."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    async def append(self, *rows: Any) -> None:
        self.batches.append(len(rows))
        await super().append(*rows)


def recorded(cells: int) -> CountingStore:
    sizes = [80 * n for n in range(1, cells + 1)]
    task = f'[[tasks]]\nname = "needle_threading.single_needle"\nsize = {sizes}\ndepth = [50]'
    config, plan = plan_of(sweep_text(model="price = 0", tasks=task))
    store = CountingStore()
    asyncio.run(record_plan(store, sweep_row(config, plan, SystemClock()), plan))
    return store


def test_a_small_plan_is_one_commit():
    store = recorded(3)
    assert store.batches == [1 + 1 + 2 * 3]
    assert {name: len(rows) for name, rows in store.rows.items() if rows} == {
        "sweeps": 1,
        "models": 1,
        "cells": 3,
        "sweep_cells": 3,
    }


@pytest.mark.parametrize("cells", [(ROWS_AT_ONCE - 2) // 2, ROWS_AT_ONCE])
def test_a_large_plan_is_written_in_parts_and_never_in_an_empty_one(cells: int):
    store = recorded(cells)
    assert len(store.rows["cells"]) == cells
    assert min(store.batches) > 0
    assert max(store.batches) <= ROWS_AT_ONCE
