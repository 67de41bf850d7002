"""`runner rescore --judge MODEL`: a model judges free text that a sweep has stored.

Its calls are trials of a sweep of their own in the same file, so money, limits and resume are the
engine's. Its scores stand beside the earlier ones; the newest score of a trial is the one shown.
"""

import asyncio
import itertools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queries.catalog import install
from runner.call import Judge
from runner.clock import SystemClock
from runner.commands.rescore import BATCH, chosen_profile, rejudged
from runner.commands.sweep import run_plan
from runner.commands.sweep_flags import parse_outcomes
from runner.config import SweepConfig
from runner.config_judge import judge_model
from runner.config_models import ModelConfig
from runner.display import choose
from runner.errors import UsageError
from runner.judged import Source, judge_plan, read_replies, read_source, verdicts_of
from runner.models import resolve
from runner.plan import Plan
from runner.pricing import parse_usd
from runner.session import RunOptions
from runner.verdicts import judged_profile, make_verdicts
from state.duck import DuckStore
from state.reading import open_for_reading
from state.records import judge_sweep
from state.store import Stored

_COUNT = "SELECT count(DISTINCT trial_id) FROM scores WHERE profile = $profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A judge's run, ready to start."""

    config: SweepConfig
    plan: Plan
    judge: Judge
    profile: str
    """What its scores are stored under."""
    others: int
    """Replies that no judge is for."""


def run(db: Path, flags: Mapping[str, Any]) -> int:
    """Judge what the model has not judged yet; the exit codes are those of a sweep."""
    retry = parse_outcomes(flags["retry_outcomes"])
    judging = asyncio.run(prepare(db, flags))
    if judging.others:
        sys.stdout.write(
            f"{judging.others:,} replies of exactly scored tasks are left as they are\n"
        )
    if not judging.plan.n_trials:
        sys.stdout.write("no reply is for a judge: Needle Threading's and niah.custom's are\n")
        return 0
    display = choose(plain=flags["plain"], json=False)
    options = RunOptions(retry=retry, judge=judging.judge)
    code = run_plan(judging.config, judging.plan, db, display, options)
    sys.stdout.write(_came_of_it(db, judging))
    return code


async def prepare(db: Path, flags: Mapping[str, Any]) -> Judging:
    """Plan against the file, and score again the verdicts that it holds already.

    Raises UsageError naming the flag, and StoreError.
    """
    profile, switches = chosen_profile(flags["profile"], flags["switches"])
    clock = SystemClock()
    store = DuckStore.open(db, install_views=install, create=False)
    try:
        source = read_source(store)
        table = judge_model(flags["judge"], flags["config"], source.models)
        model = resolve(table, clock.now_us())
        budget = budget_pusd(flags["budget"], source, store)
        if budget is not None and model.price is None:
            raise UsageError(
                f"--judge {model.id!r}: its price is unknown, so the budget cannot be kept; "
                "name a file whose [[models]] table has price = { input = USD, output = USD }: "
                "--config FILE"
            )
        replies = read_replies(store)
        plan = judge_plan(model, replies.judged)
        judge = make_verdicts(replies.judged, model.id, profile, switches, clock)
        await _score_again(store, judge, verdicts_of(store, plan, replies))
    finally:
        await store.aclose()
    return Judging(
        config=_config(table, source, budget, flags["config"]),
        plan=plan,
        judge=judge,
        profile=judged_profile(profile, model.id),
        others=replies.others,
    )


async def _score_again(store: DuckStore, judge: Judge, held: list[Stored]) -> None:
    """What was judged before becomes the newest score again, under the profile asked for now."""
    verdicts = iter(held)
    while batch := list(itertools.islice(verdicts, BATCH)):
        await store.append(*rejudged(judge, batch))


def budget_pusd(flag: str | None, source: Source, store: DuckStore) -> int | None:
    """The judge's cap over all its runs: `--budget`, else what the sweep's own budget leaves."""
    if flag is not None:
        try:
            return parse_usd(flag)
        except UsageError as error:
            raise UsageError(f"--budget {error}") from error
    if source.budget_pusd is None:
        return None
    spent_by_judge = store.committed_pusd(judge_sweep(source.name))
    return max(0, source.budget_pusd - store.committed_pusd(source.name) + spent_by_judge)


def _config(
    table: ModelConfig, source: Source, budget: int | None, path: Path | None
) -> SweepConfig:
    """The judge as a sweep of its own, under the metric switches of the sweep that it judges."""
    return SweepConfig(
        models=(table,),
        tasks=(),
        path=path,
        name=judge_sweep(source.name),
        budget_pusd=budget,
        profile=source.profile,
        overrides=source.switches,
    )


def _came_of_it(db: Path, judging: Judging) -> str:
    """How many replies the judge has scored by now, and what is true of the rest."""
    with open_for_reading(db) as reader:
        rows = reader.connection.execute(_COUNT, {"profile": judging.profile}).fetchall()
    planned = judging.plan.n_trials
    return (
        f"{rows[0][0]:,} of {planned:,} replies have a score under {judging.profile}, which is "
        "shown as the newest; the others keep theirs, and no earlier score is lost\n"
    )
