"""What a file holds for a judge: the replies to look at, and the verdicts that there are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import duckdb
import orjson

from runner.judge.spooled import SpooledReplies
from state.records import judge_sweep
from state.store import Store, Stored, StoreError
from state.stores.duck import DuckStore
from tasks.judge import JUDGES, Judged, is_judge, wanted
from tasks.profiles import Profile
from tasks.sample import Prompt, Scalar

_SWEEPS = """
SELECT name, budget_pusd, profile, switches::VARCHAR, config::VARCHAR
FROM sweeps
ORDER BY rowid DESC
"""
JUDGE_TRIALS = """
SELECT trial_id, provider, base_url, model, task, point::VARCHAR, params::VARCHAR
FROM trials
JOIN cells USING (cell_id)
WHERE starts_with(task, 'judge.')
"""
_REPLY = """
SELECT c.task, t.target::VARCHAR, co.text
FROM completions AS co
JOIN trials AS t USING (trial_id)
JOIN cells AS c USING (cell_id)
WHERE t.trial_id = $trial
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The newest sweep of a file that asked a model under test."""

    name: str
    budget_pusd: int | None
    profile: Profile
    switches: Mapping[str, Scalar]
    models: tuple[Mapping[str, Any], ...]
    """Its `[[models]]` tables, as they were checked then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """All replies of a file that may be scored."""

    judged: Mapping[str, Judged]
    """Those that a judge may look at, by trial."""
    verdicts: Mapping[str, Stored]
    """What judges have written, by the judge's trial."""
    others: int
    """Replies of benchmarks whose own scorer leaves nothing to judge."""


def read_replies(store: Store, folder: Path) -> Replies:
    """Replies, their texts spooled in the folder, and verdicts, which are short."""
    judged = SpooledReplies(folder)
    verdicts: dict[str, Stored] = {}
    others = 0
    for stored in store.replies():
        if is_judge(stored.task):
            verdicts[stored.trial_id] = stored
        elif wanted(stored.task):
            judged.add(stored.trial_id, stored.task, stored.target, stored.text)
        else:
            others += 1
    return Replies(judged=judged, verdicts=verdicts, others=others)


def read_source(store: DuckStore) -> Source:
    """The sweep whose replies are judged. Raises StoreError for a file without one."""
    with store.cursor() as cursor:
        rows = cursor.execute(_SWEEPS).fetchall()
    names = {row[0] for row in rows}
    judges = {judge_sweep(name) for name in names}
    for name, budget, profile, switches, config in rows:
        if name not in judges:
            return Source(
                name=name,
                budget_pusd=budget,
                profile=cast("Profile", profile),
                switches=orjson.loads(switches),
                models=tuple(orjson.loads(config).get("models", ())),
            )
    raise StoreError(f"{store.path.name}: holds no sweep, so there is nothing to judge")


def judge_prompts(
    connection: duckdb.DuckDBPyConnection, task: str, point: Mapping[str, Scalar]
) -> Iterator[Prompt]:
    """The prompts that a judge's point may have had: one for each reply that fits it."""
    rows = connection.execute(_REPLY, {"trial": point["trial"]}).fetchall()
    for judged_task, target, text in rows:
        judged = Judged(
            trial_id=str(point["trial"]),
            task=judged_task,
            target=orjson.loads(target),
            text=text,
        )
        for made in (judge({judged.trial_id: judged}) for judge in JUDGES if judge.name == task):
            if made.infeasible(point) is None:
                yield made.generate(point, 0).prompt
