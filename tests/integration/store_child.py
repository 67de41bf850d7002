"""Writes trials until it is killed, and tells its parent which of them are durable."""

import asyncio
import itertools
import os
import sys
from pathlib import Path

from state.database import writer
from state.stores.duck import DuckStore
from tests.fakes import rows

IN_FLIGHT = 32


async def write(path: Path, run: str) -> None:
    # small and often, so that a kill meets checkpoints and changes of segment too
    writer.CHECKPOINT_BYTES = 60_000
    store = DuckStore.open(path, install_views=lambda _: None, create=True)
    store._journal._segment_bytes = 20_000
    await store.append(rows.sweep(run), rows.cell())
    numbers = itertools.count()

    async def lane() -> None:
        for number in numbers:
            trial, attempt = f"{run}-{number}", f"{run}-{number}/1"
            started = rows.start(attempt, trial_id=trial, sweep_id=run)
            await store.append(rows.trial(trial, repeat=number), started)
            tell(f"started {attempt}")
            await store.append(
                rows.attempt(attempt, trial_id=trial),
                rows.completion(trial_id=trial, attempt_id=attempt),
                rows.score(trial_id=trial),
            )
            tell(f"done {attempt}")

    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(lane())


def tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2]))
