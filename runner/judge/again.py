"""Scores stored replies again under other rules, a batch at a time."""

from collections.abc import Callable, Iterable, Iterator

import orjson
from msgspec.structs import replace

from runner.engine.scoring import Judge
from scoring.score import Reply
from state.records import ScoreRow
from state.store import Store, Stored
from tasks.judge import is_judge

BATCH = 2000
BATCH_CHARS = 16_000_000


def batches(replies: Iterable[Stored]) -> Iterator[list[Stored]]:
    """Stored replies by so many, or so many characters."""
    batch: list[Stored] = []
    chars = 0
    for stored in replies:
        batch.append(stored)
        chars += len(stored.text) + len(stored.reasoning_text or "")
        if len(batch) == BATCH or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def rejudged(judge: Judge, batch: Iterable[Stored]) -> Iterator[ScoreRow]:
    """A score for each reply that says anything to score."""
    for stored in batch:
        reply = Reply(
            text=stored.text, reasoning_text=stored.reasoning_text, truncated=stored.truncated
        )
        row = judge(stored.trial_id, stored.task, reply, orjson.loads(stored.target))
        if row is not None:
            yield replace(row, again=True)


async def score_unscored(store: Store, judge: Judge, say: Callable[[str], None]) -> int:
    """Score stored replies that were never judged, since something failed; how many cannot be."""
    left = 0
    unscored = (stored for stored in store.replies(unscored=True) if not is_judge(stored.task))
    for batch in batches(unscored):
        rows: list[ScoreRow] = []
        for stored in batch:
            try:
                rows += (replace(row, again=False) for row in rejudged(judge, [stored]))
            except Exception as error:  # noqa: BLE001  a scorer's bug must not keep a sweep from going on
                left += 1
                say(f"trial {stored.trial_id}: its reply is stored and cannot be scored: {error!r}")
        if rows:
            await store.append(*rows)
    return left
