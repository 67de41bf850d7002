"""Runs a sweep's own config against stand-ins: same engine, limits, money, file; no time, no cost.

A long sweep is rehearsed on its first trials, which are a random sample of it since the order is
shuffled. Budget and daily limits shrink with it, and what it took is scaled up again: not by the
number of trials, but by what the forecast expects of the part and of the whole.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from queries.catalog import install
from runner.clock import SystemClock
from runner.config.models import smallest_limits
from runner.config.sweep import SweepConfig
from runner.engine.engine import SweepEnd
from runner.forecast.build import KnownOf, forecast_from
from runner.forecast.forecast import Forecast, History
from runner.forecast.measure import Measured, measure
from runner.models.spec import ModelSpec
from runner.plan.plan import Plan, remodelled
from runner.plan.record import record_plan, sweep_row
from runner.progress.display import Display, LiveDisplay
from runner.progress.states import RunState
from runner.progress.view import LaneView, SweepView
from runner.providers.catalog import connect
from runner.providers.http_provider import HttpProvider
from runner.rehearsal.buffered_store import BufferedStore
from runner.rehearsal.in_process import SimulatorTransport
from runner.rehearsal.inline import InlineExecutor
from runner.rehearsal.part import WHOLE, PlanShares, all_but, chosen_part, shares_of
from runner.rehearsal.stand_in import settings_of, stand_in
from runner.rehearsal.virtual_time import VirtualClock, VirtualLoop, run_virtual
from runner.session.signals import handle_signals
from runner.session.wiring import SweepParts, make_engine
from runner.simulator.core import Simulator
from runner.simulator.timeline import Timeline
from state.stores.duck import DuckStore

MOST_TRIALS = 8_000
MOST_TOKENS = 200_000_000
"""Of all prompts that are made; both together keep a rehearsal under two minutes."""
VIEWS = 400
"""Moments of a rehearsal that are looked at."""
LIVE_EVERY_S, PLAIN_EVERY_S = 0.1, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """Tells how a rehearsal went."""

    end: SweepEnd
    shares: PlanShares
    trials: int
    planned: int
    took_s: float
    """Real seconds."""
    forecast: Forecast

    @property
    def share(self) -> float:
        """The share of the planned trials that was rehearsed."""
        return self.trials / max(1, self.planned)

    @property
    def seconds(self) -> float:
        """Wall time of the whole sweep."""
        return self.end.view.elapsed_s / self.shares.seconds

    @property
    def usd(self) -> float:
        """What the whole sweep would spend."""
        return sum(self.usd_of(lane) for lane in self.end.view.lanes)

    def usd_of(self, lane: LaneView) -> float:
        """What one model would spend in the whole sweep."""
        return lane.spent_usd / self.shares.usd_of(lane.model)

    @property
    def rate_limited(self) -> int:
        """The number of replies of 429 that were met."""
        return sum(lane.rate_limited for lane in self.end.view.lanes)


def rehearse(
    config: SweepConfig, plan: Plan, db: Path, display: Display, known_of: KnownOf
) -> Rehearsed:
    """Sweep into a new file at `db`, in virtual time."""
    started = time.monotonic()
    plan = remodelled(plan, lambda model: replace(model, simulated=True))
    measured = measure(plan)
    forecast = forecast_from(measured, config, plan, History(), known_of)
    part = chosen_part(plan, _share(forecast))
    shares = WHOLE
    scaled = config
    if part is not plan:
        partly = forecast_from(measured, config, part, all_but(part), known_of)
        shares = shares_of(partly, forecast)
        if config.budget_pusd is not None:
            scaled = config.model_copy(update={"budget_pusd": int(config.budget_pusd * shares.usd)})
    display.say(_opening(plan, part))
    stage = _Stage(scaled, part, db, display, known_of, measured, forecast)
    end = run_virtual(stage.run)
    return Rehearsed(
        end=end,
        shares=shares,
        trials=part.n_trials,
        planned=plan.n_trials,
        took_s=time.monotonic() - started,
        forecast=forecast,
    )


def _opening(plan: Plan, part: Plan) -> str:
    said = f"rehearsal: {part.n_trials:,} trials against the simulator in compressed time; no cost"
    if part is not plan:
        share = part.n_trials / plan.n_trials
        said += (
            f"\n  {100 * share:.1f} % of the {plan.n_trials:,} planned: the first of their "
            "shuffled order; budget and daily limits shrink alike, and what comes out is scaled up"
        )
    return "\n  ".join((said, *plan.remarks))


def _share(forecast: Forecast) -> float:
    """How much of the plan is rehearsed."""
    total = forecast.total
    trials = max(1, total.planned)
    return min(1.0, MOST_TRIALS / trials, MOST_TOKENS / max(1.0, total.input_tokens.expected))


@dataclass(frozen=True, slots=True)
class _Stage:
    """Everything that is on stage during one rehearsal."""

    config: SweepConfig
    plan: Plan
    db: Path
    display: Display
    known_of: KnownOf
    measured: Measured
    forecast: Forecast

    async def run(self, loop: VirtualLoop) -> SweepEnd:
        """The sweep, from an empty file to its end."""
        clock = VirtualClock(loop, SystemClock().now_us())
        async with AsyncExitStack() as stack:
            duck = DuckStore.open(self.db, install_views=install, create=True)
            store = BufferedStore(duck, loop)
            stack.push_async_callback(store.aclose)
            row = sweep_row(self.config, self.plan, clock)
            await record_plan(store, row, self.plan)
            providers = self._providers(clock)
            parts = SweepParts(
                store=store,
                clock=clock,
                executor=InlineExecutor(),
                provider_for=lambda model: providers[model.account],
                view_hooks=(_Paced(self.display).show,),
                tick_s=max(0.5, self.forecast.seconds / VIEWS),
            )
            progress = store.progress((), frozenset(), seed=self.config.seed)
            engine = make_engine(self.config, self.plan, row.sweep_id, progress, parts)
            with handle_signals(engine):
                return await engine.run()

    def _providers(self, clock: VirtualClock) -> Mapping[str, HttpProvider]:
        """One simulated server for each account."""
        by_account: dict[str, list[ModelSpec]] = {}
        for model in self.plan.models:
            by_account.setdefault(model.model.account, []).append(model.model)
        return {
            account: _provider(specs[0], self._simulator(specs, clock))
            for account, specs in by_account.items()
        }

    def _simulator(self, specs: list[ModelSpec], clock: VirtualClock) -> Simulator:
        models = {
            spec.name: stand_in(_grouped(spec, specs), self.known_of(spec), self.measured)
            for spec in specs
        }
        return Simulator(settings_of(models), Timeline(clock))


def _grouped(spec: ModelSpec, account: Sequence[ModelSpec]) -> ModelSpec:
    """The model with the limits that hold for its whole group."""
    group = spec.limits.group
    if group is None:
        return spec
    shared = smallest_limits(
        [member.limits for member in account if member.limits.group == group], group
    )
    return replace(spec, limits=shared)


def _provider(spec: ModelSpec, simulator: Simulator) -> HttpProvider:
    """The account's own wire format; no request leaves the process, whatever its address."""
    address = f"http://simulated{'/v1' if spec.vendor.base_ends_in_v1 else ''}"
    return connect(spec.provider, address, None, SimulatorTransport(simulator))


class _Paced:
    """Shows as many of the views as a person can see."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._every_s = LIVE_EVERY_S if isinstance(display, LiveDisplay) else PLAIN_EVERY_S
        self._next = 0.0

    def show(self, view: SweepView) -> None:
        now = time.monotonic()
        if view.state is RunState.ENDED or now >= self._next:
            self._next = now + self._every_s
            self._display.show(view)
