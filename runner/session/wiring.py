"""Turns a config into objects: the only place where concrete classes are put together."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from runner.clock import Clock
from runner.config.models import LimitsConfig, smallest_limits
from runner.config.sweep import SweepConfig
from runner.engine.dispatch import Dispatcher
from runner.engine.engine import TICK_S, Engine, ViewHook
from runner.engine.feeder import Feeder
from runner.engine.gate import Gate
from runner.engine.lane import Account, Lane
from runner.engine.observers.counts import LaneStats
from runner.engine.observers.events import Observer
from runner.engine.outage import Outage
from runner.engine.retry import RetryPolicy
from runner.engine.scoring import Judge, make_judge
from runner.engine.trial import CallContext
from runner.engine.window import Window
from runner.limits.demand import Dimension
from runner.limits.limiter import Limiter
from runner.limits.slots import slots_for
from runner.models.counting import estimator_for
from runner.models.spec import ModelSpec
from runner.money.ledger import Ledger
from runner.plan.plan import Plan
from runner.tokens.estimate import Estimator
from runner.wire import Provider
from state.store import Progress, Store

WINDOW_BYTES = 512 * 1024 * 1024
"""Prompts that exist at once, over all lanes; shared haystacks count once."""

LIMIT_NAMES: Mapping[str, Dimension] = {
    "rpm": Dimension.REQUESTS,
    "itpm": Dimension.INPUT_TOKENS,
    "otpm": Dimension.OUTPUT_TOKENS,
    "tpm": Dimension.TOKENS,
    "rpd": Dimension.REQUESTS_PER_DAY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepParts:
    """What a run is made of besides its config."""

    store: Store
    clock: Clock
    executor: Executor
    provider_for: Callable[[ModelSpec], Provider]
    view_hooks: Sequence[ViewHook] = ()
    observers: Sequence[Observer] = ()
    """Who is told what happens to the calls of all lanes."""
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    save_prompts: bool = False
    judge: Judge | None = None
    """Instead of the scorers of the benchmarks."""
    estimator_for: Callable[[ModelSpec], Estimator] | None = None
    """Estimators that begin with what earlier calls taught; None for ones that know nothing."""
    tick_s: float = TICK_S
    """Seconds between two views."""


def make_engine(
    config: SweepConfig,
    plan: Plan,
    sweep_id: str,
    progress: Progress,
    parts: SweepParts,
    *,
    committed_pusd: int | None = None,
) -> Engine:
    """The engine of one run. Must be called on the running loop.

    `committed_pusd` is what earlier runs spent or may have spent; without it the store is asked.
    """
    if committed_pusd is None:
        committed_pusd = parts.store.committed_pusd(config.name)
    context = CallContext(
        sweep_id=sweep_id,
        store=parts.store,
        ledger=Ledger(budget=config.budget_pusd, committed=committed_pusd),
        clock=parts.clock,
        judge=parts.judge or make_judge(config.profile, config.switches, parts.clock),
        save_prompts=parts.save_prompts,
    )
    accounts: dict[str, Account] = {}
    limiters = _Limiters(config, [model.model for model in plan.models])
    lanes: list[tuple[Lane, Dispatcher]] = []
    for model in plan.models:
        if model.n_pending(progress.done) == 0:
            continue  # it needs no key, no server and no lane
        spec = model.model
        account = accounts.setdefault(spec.account, Account(spec.account))
        lane = _lane(
            limiters.get(spec),
            spec,
            account,
            parts,
            n_lanes=len(plan.models),
            patience_s=config.patience_s,
        )
        lane.stats.planned = model.n_trials
        lane.stats.done_before = model.n_trials - model.n_pending(progress.done)
        lane.attempts_before = progress.attempts
        lane.trouble = context.trouble
        feeder = Feeder(
            model.trials(progress.done),
            estimator=lane.estimator,
            window=lane.window,
            executor=parts.executor,
        )
        lanes.append((lane, Dispatcher(context, lane, feeder)))
    return Engine(
        name=config.name,
        context=context,
        lanes=lanes,
        hooks=parts.view_hooks,
        standing_errors=plan.standing_errors(progress.errors),
        tick_s=parts.tick_s,
    )


class _Limiters:
    """Limiters: one for each lane, or for each group of lanes that the config says share theirs."""

    def __init__(self, config: SweepConfig, specs: Sequence[ModelSpec]) -> None:
        self._config = config
        self._specs = specs
        self._shared: dict[tuple[str, str], Limiter] = {}

    def get(self, spec: ModelSpec) -> Limiter:
        """The limiter of a model."""
        group = spec.limits.group
        if group is None:
            return self._make([spec])
        key = (spec.account, group)
        if key not in self._shared:
            members = [s for s in self._specs if (s.account, s.limits.group) == key]
            self._shared[key] = self._make(members)
        return self._shared[key]

    def _make(self, members: Sequence[ModelSpec]) -> Limiter:
        now = asyncio.get_running_loop().time
        shared = smallest_limits(spec.limits for spec in members)
        limits = limits_of(shared)
        rate_named = bool(limits.keys() - {Dimension.REQUESTS_PER_DAY})
        slots = slots_for(slots_of(self._config, shared), rate_named=rate_named, now=now)
        return Limiter(slots=slots, limits=limits, now=now)


def _lane(
    limiter: Limiter,
    spec: ModelSpec,
    account: Account,
    parts: SweepParts,
    *,
    n_lanes: int,
    patience_s: float,
) -> Lane:
    lane = Lane(
        model=spec,
        provider=parts.provider_for(spec),
        account=account,
        limiter=limiter,
        estimator=(parts.estimator_for or estimator_for)(spec),
        window=Window(WINDOW_BYTES // n_lanes),
        stats=LaneStats(model=spec.id, planned=0, done_before=0),
        policy=parts.policy,
        attempts_before={},
        gate=Gate(Outage(patience_s)),
        observers=tuple(parts.observers),
    )
    account.add(lane)
    return lane


def slots_of(config: SweepConfig, limits: LimitsConfig) -> int | None:
    """Calls in flight that the user fixed, or None where they are to be found out."""
    return config.concurrency or limits.concurrency


def limits_of(limits: LimitsConfig) -> dict[Dimension, float]:
    """The configured limits under the limiter's names."""
    return {
        dimension: float(value)
        for name, dimension in LIMIT_NAMES.items()
        if (value := getattr(limits, name)) is not None
    }
