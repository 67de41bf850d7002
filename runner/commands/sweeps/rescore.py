"""`runner rescore`: stored replies judged again; no call is made, and earlier scores stay.

With `--judge MODEL` a model judges free text, and that is `runner.commands.sweeps.judge`.
"""

import asyncio
from pathlib import Path

from queries.catalog import install
from runner.clock import SystemClock
from runner.commands.sweeps.rescore_flags import RescoreFlags
from runner.engine.scoring import make_judge
from runner.judge.again import batches, rejudged
from runner.judge.profile import chosen_profile
from runner.terminal.console import put
from state.sharing.live import LiveChannel
from state.stores.duck import DuckStore
from tasks.judge import is_judge
from tasks.profiles import Profile
from tasks.sample import Scalar


def run(db: Path, flags: RescoreFlags) -> int:
    """Judge every stored reply under a profile and single switches."""
    profile, switches = chosen_profile(flags.profile, flags.switches)
    count = asyncio.run(rescore(db, profile, switches))
    put(f"{count:,} replies judged again under profile {profile}; no call was made")
    return 0


async def rescore(db: Path, profile: Profile, switches: dict[str, Scalar]) -> int:
    """Append a score for every stored reply; the number of them."""
    judge = make_judge(profile, switches, SystemClock())
    store = DuckStore.open(db, install_views=install, create=False)
    try:
        # What a judge wrote is no reply to a benchmark; `--judge` reads it.
        replies = (stored for stored in store.replies() if not is_judge(stored.task))
        with LiveChannel.open(store):
            return await store.append_scores(
                list(rejudged(judge, batch)) for batch in batches(replies)
            )
    finally:
        await store.aclose()
