"""What a run of a judge needs before it can start."""

from dataclasses import dataclass
from pathlib import Path

from queries.catalog import install
from runner.clock import SystemClock
from runner.config.models import ModelConfig
from runner.config.sweep import SweepConfig
from runner.engine.scoring import Judge
from runner.errors import UsageError
from runner.judge.again import batches, rejudged
from runner.judge.model import judge_model
from runner.judge.plan import judge_plan, verdicts_of
from runner.judge.profile import chosen_profile
from runner.judge.replies import Source, read_replies, read_source
from runner.judge.scores import judged_profile, make_verdicts
from runner.models.spec import resolve
from runner.models.thinking import refuse_starved
from runner.money.price import parse_usd
from runner.plan.plan import Plan
from state.records import judge_sweep
from state.store import Stored
from state.stores.duck import DuckStore


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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """Which model shall judge, under which profile, for how much; as the user wrote it."""

    model: str
    profile: str = "default"
    switches: tuple[str, ...] = ()
    budget: str | None = None
    config: Path | None = None


async def prepare(db: Path, asked: JudgeRequest) -> Judging:
    """Plan against the file, and score again the verdicts that it holds already.

    Raises UsageError naming the flag, and StoreError.
    """
    profile, switches = chosen_profile(asked.profile, asked.switches)
    clock = SystemClock()
    store = DuckStore.open(db, install_views=install, create=False)
    try:
        source = read_source(store)
        table = judge_model(asked.model, asked.config, source.models)
        model = resolve(table, clock.now_us())
        refuse_starved([model], str(asked.config or db))
        budget = budget_pusd(asked.budget, source, store)
        if budget is not None and model.price is None:
            raise UsageError(
                f"--judge {model.id!r}: its price is unknown, so the budget cannot be kept; "
                "name a file whose [[models]] table has price = { input = USD, output = USD }: "
                "--config FILE"
            )
        replies = read_replies(store, db.parent)
        plan = judge_plan(model, replies.judged)
        judge = make_verdicts(replies.judged, model.id, profile, switches, clock)
        await _score_again(store, judge, verdicts_of(store, plan, replies))
    finally:
        await store.aclose()
    return Judging(
        config=_config(table, source, budget, asked.config),
        plan=plan,
        judge=judge,
        profile=judged_profile(profile, model.id),
        others=replies.others,
    )


async def _score_again(store: DuckStore, judge: Judge, held: list[Stored]) -> None:
    """What was judged before becomes the newest score again, under the profile asked for now."""
    await store.append_scores(list(rejudged(judge, batch)) for batch in batches(held))


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
    return SweepConfig(models=(table,), tasks=(), path=path).model_copy(
        update={
            "name": judge_sweep(source.name),
            "budget_pusd": budget,
            "profile": source.profile,
            "overrides": source.switches,
        }
    )
