"""A writer with an open channel: writes trials until its standard input closes.

It prints the line that attaches once its first trial can be asked for.
"""

import asyncio
import sys
from itertools import count
from pathlib import Path

from queries.catalog import install
from state.sharing.live import LiveChannel
from state.stores.duck import DuckStore
from tests.fakes import rows


async def write(path: Path) -> None:
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(rows.sweep(), rows.cell(), rows.sweep_cell(repeats=1_000_000))
    with LiveChannel.open(store) as channel:
        await _write_trial(store, 0)
        await asyncio.to_thread(store.flush)
        sys.stdout.write(channel.attach_line() + "\n")
        sys.stdout.flush()
        stopped = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for number in count(1):
            if stopped.done():
                break
            await _write_trial(store, number)
    await store.aclose()


async def _write_trial(store: DuckStore, number: int) -> None:
    trial = f"t{number}"
    await store.append(rows.trial(trial, repeat=number), rows.start(trial, trial_id=trial))
    await store.append(
        rows.attempt(trial, trial_id=trial),
        rows.completion(trial_id=trial, attempt_id=trial),
        rows.score(trial_id=trial),
    )


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
