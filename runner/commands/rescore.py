"""`runner rescore`: stored replies judged again; no call is made, and earlier scores stay.

With `--judge MODEL` a model judges free text, and that is `runner.commands.judge`.
"""

import asyncio
import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
from msgspec.structs import replace

from queries.catalog import install
from runner.call import Judge
from runner.clock import SystemClock
from runner.errors import UsageError
from runner.judging import make_judge
from scoring.score import Reply
from state.duck import DuckStore
from state.records import ScoreRow
from state.store import Stored
from tasks.judge import is_judge
from tasks.profiles import PROFILES, Profile, effective
from tasks.sample import Scalar, TaskError

BATCH = 2000


def run(db: Path, flags: Mapping[str, Any]) -> int:
    """Judge every stored reply under a profile and single switches."""
    for flag in ("budget", "config", "retry_outcomes"):
        if flags[flag] is not None:
            raise UsageError(f"--{flag.replace('_', '-')}: is for the calls of --judge MODEL")
    profile, switches = chosen_profile(flags["profile"], flags["switches"])
    count = asyncio.run(rescore(db, profile, switches))
    sys.stdout.write(f"{count:,} replies judged again under profile {profile}; no call was made\n")
    return 0


def chosen_profile(profile: str, switches: list[str]) -> tuple[Profile, dict[str, Scalar]]:
    """What `--profile` and `--switch` mean. Raises UsageError naming the flag."""
    if profile not in PROFILES:
        raise UsageError(f"--profile {profile!r}: there are {', '.join(PROFILES)}")
    try:
        return profile, effective(profile, dict(map(parse_switch, switches)))
    except TaskError as error:
        raise UsageError(f"--switch {error}") from error


async def rescore(db: Path, profile: Profile, switches: dict[str, Scalar]) -> int:
    """Append a score for every stored reply; the number of them."""
    judge = make_judge(profile, switches, SystemClock())
    store = DuckStore.open(db, install_views=install, create=False)
    count = 0
    try:
        # What a judge wrote is no reply to a benchmark; `--judge` reads it.
        replies = (stored for stored in store.replies() if not is_judge(stored.task))
        while batch := list(itertools.islice(replies, BATCH)):
            await store.append(*rejudged(judge, batch))
            count += len(batch)
    finally:
        await store.aclose()
    return count


def rejudged(judge: Judge, batch: Iterable[Stored]) -> Iterator[ScoreRow]:
    """A score for each reply that says anything to score."""
    for stored in batch:
        reply = Reply(
            text=stored.text, reasoning_text=stored.reasoning_text, truncated=stored.truncated
        )
        row = judge(stored.trial_id, stored.task, reply, orjson.loads(stored.target))
        if row is not None:
            yield replace(row, again=True)


def parse_switch(text: str) -> tuple[str, Any]:
    """`name=value`, the value as TOML would read it, else as text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--switch {text!r}: must be name=value, like flenqa.answer=paper")
    literals: dict[str, Any] = {"true": True, "false": False}
    return name.strip(), literals.get(value.strip(), value.strip())
