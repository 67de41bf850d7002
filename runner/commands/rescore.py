"""`runner rescore`: stored replies judged again; no call is made, and earlier scores stay."""

import asyncio
import itertools
import sys
from pathlib import Path
from typing import Any, cast

import orjson

from queries.catalog import install
from runner.call import Judge
from runner.clock import SystemClock
from runner.errors import UsageError
from runner.judging import make_judge
from scoring.score import Reply
from state.duck import DuckStore
from state.records import ScoreRow
from state.store import Stored
from tasks.profiles import PROFILES, Profile, effective
from tasks.sample import Scalar, TaskError

BATCH = 2000


def run(db: Path, profile: str, switches: list[str]) -> int:
    """Judge every stored reply under a profile and single switches."""
    if profile not in PROFILES:
        raise UsageError(f"--profile {profile!r}: there are {', '.join(PROFILES)}")
    chosen = cast("Profile", profile)
    try:
        values = effective(chosen, dict(map(parse_switch, switches)))
    except TaskError as error:
        raise UsageError(f"--switch {error}") from error
    count = asyncio.run(rescore(db, chosen, values))
    sys.stdout.write(f"{count:,} replies judged again under profile {profile}; no call was made\n")
    return 0


async def rescore(db: Path, profile: Profile, switches: dict[str, Scalar]) -> int:
    """Append a score for every stored reply; the number of them."""
    judge = make_judge(profile, switches, SystemClock())
    store = DuckStore.open(db, install_views=install, create=False)
    count = 0
    try:
        replies = store.replies()
        while batch := list(itertools.islice(replies, BATCH)):
            await store.append(*(_judged(judge, stored) for stored in batch))
            count += len(batch)
    finally:
        await store.aclose()
    return count


def _judged(judge: Judge, stored: Stored) -> ScoreRow:
    reply = Reply(
        text=stored.text, reasoning_text=stored.reasoning_text, truncated=stored.truncated
    )
    return judge(stored.trial_id, stored.task, reply, orjson.loads(stored.target))


def parse_switch(text: str) -> tuple[str, Any]:
    """`name=value`, the value as TOML would read it, else as text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--switch {text!r}: must be name=value, like flenqa.answer=paper")
    literals: dict[str, Any] = {"true": True, "false": False}
    return name.strip(), literals.get(value.strip(), value.strip())
