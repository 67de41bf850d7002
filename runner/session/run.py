"""One run of a sweep from an open file to its end: signals, servers, display, store."""

import asyncio
import functools
import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from queries.catalog import install
from runner.clock import Clock, SystemClock
from runner.config.sweep import SweepConfig
from runner.endpoints.own import own_servers
from runner.endpoints.reach import ask_simulators, check_reachable
from runner.engine.engine import SweepEnd
from runner.engine.observers.announcements import Announcements
from runner.engine.observers.attempt_log import AttemptLog
from runner.engine.scoring import Judge, make_judge
from runner.forecast.build import make_forecast
from runner.forecast.calibration import chosen_plan
from runner.forecast.forecast import History
from runner.forecast.learned import Learned, learn, learn_from_files
from runner.forecast.printed import json_of, text_of
from runner.judge.again import score_unscored
from runner.limits.slots import AdaptiveSettings
from runner.models.keys import read_keys
from runner.models.spec import ModelSpec
from runner.plan.plan import Done, Plan
from runner.plan.record import record_plan, sweep_row
from runner.plan.simulated import known_addresses, mark
from runner.progress.display import Display
from runner.progress.status_file import StatusFile
from runner.providers.catalog import connect
from runner.providers.http.open_files import raise_open_files
from runner.providers.http.transport import AiohttpTransport
from runner.secret import Secret
from runner.session.process import prompt_makers, quiet_interpreter
from runner.session.signals import handle_signals
from runner.session.summary import plan_lines
from runner.session.wiring import SweepParts, make_engine, slots_of
from runner.wire import Provider
from state.records import UNSCORED
from state.sharing.live import LiveChannel
from state.store import Progress, StoreError
from state.stores.duck import DuckStore

KEPT = "sending has stopped, all that is stored is kept; put it right, and the same command goes on"
"""Said of a file that can no longer be written, on top of why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a run is told besides its config and plan."""

    retry: frozenset[str] = frozenset()
    live_sql: bool = False
    save_prompts: bool = False
    calibrate: int = 0
    """Cheap calls per model to send first, so that estimates are learned."""
    judge: Judge | None = None
    """Scores the replies instead of the benchmarks' own scorers."""
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is to be run, as the command says it."""

    config: SweepConfig
    plan: Plan
    db: Path
    display: Display
    options: RunOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marked:
    """The plan whose models are known to be simulated or real, and what of it is done."""

    plan: Plan
    progress: Progress

    @property
    def running(self) -> list[ModelSpec]:
        """The models that something is to be sent to; the others need no key and no server."""
        return _unfinished(self.plan, self.progress.done)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """Every model that is to be asked has its key, and somebody listens at its address."""

    marked: _Marked
    keys: Mapping[str, Secret | None]
    addresses: Mapping[str, str]
    """Of our own servers, which were started for this run."""


async def run_sweep(
    config: SweepConfig, plan: Plan, db: Path, display: Display, options: RunOptions
) -> SweepEnd:
    """Run what is missing. Raises UsageError and StoreError before anything is sent."""
    asked = _Asked(config=config, plan=plan, db=db, display=display, options=options)
    keys = None if _exists(db) else await _refused_or_keys(asked)
    slots = [slots_of(config, m.model.limits) or AdaptiveSettings().maximum for m in plan.models]
    raise_open_files(sum(slots))
    async with AsyncExitStack() as stack:
        store = await _opened(stack, asked)
        marked = await _marked(asked, store)
        ready = await _ready(stack, asked, marked, keys)
        run = await _recorded(stack, asked, store, ready)
        end = await _engaged(run, marked.progress, display)
        return replace(end, errors=end.errors + Counter({UNSCORED: run.unscored}))


async def _refused_or_keys(asked: _Asked) -> Mapping[str, Secret | None]:
    """The keys for a new file. What is missing must leave no file behind.

    On an old one only unfinished models matter, and which those are stands in it.
    """
    models = [model.model for model in asked.plan.models]
    keys = read_keys(models, asked.options.environ, asked.config.where)
    await check_reachable(models, {}, asked.config.where)
    return keys


async def _opened(stack: AsyncExitStack, asked: _Asked) -> DuckStore:
    """The store of the file, closed with the stack; what it noticed is said."""
    store = await _open(asked.db)
    stack.push_async_callback(store.aclose)
    for notice in store.notices:
        asked.display.say(notice)
    return store


async def _marked(asked: _Asked, store: DuckStore) -> _Marked:
    """The plan with its simulated models marked; what it holds and what is done is said.

    Addresses that the file does not know are asked first, so that the plan makes its cells once.
    What the file says of the others holds until something is to be sent there: then they are asked.
    """
    known = await asyncio.to_thread(_known_addresses, store)
    models = [model.model for model in asked.plan.models]
    new = await ask_simulators(model for model in models if model.base_url not in known)
    plan = mark(asked.plan, known | new)
    progress = await _progress(plan, store, asked.options.retry)
    unfinished = _unfinished(plan, progress.done)
    again = await ask_simulators(model for model in unfinished if model.base_url in known)
    if any(known[url] != simulated for url, simulated in again.items()):
        # Somebody else listens there by now: these models' cells are other ones.
        plan = mark(plan, again)
        progress = await _progress(plan, store, asked.options.retry)
    for line in await asyncio.to_thread(list, plan_lines(store, asked.config, plan, progress)):
        asked.display.say(line)
    return _Marked(plan=plan, progress=progress)


async def _ready(
    stack: AsyncExitStack,
    asked: _Asked,
    marked: _Marked,
    keys: Mapping[str, Secret | None] | None,
) -> _Ready:
    """Keys and servers of the models that are to be asked. Raises UsageError for a missing one."""
    running, where = marked.running, asked.config.where
    if keys is None:
        keys = read_keys(running, asked.options.environ, where)
    addresses = await stack.enter_async_context(own_servers(running, asked.db))
    await check_reachable(running, addresses, where)
    return _Ready(marked=marked, keys=keys, addresses=addresses)


async def _recorded(
    stack: AsyncExitStack, asked: _Asked, store: DuckStore, ready: _Ready
) -> "_Run":
    """The plan as facts in the file, and everything that sending takes."""
    clock, plan, options = SystemClock(), ready.marked.plan, asked.options
    row = sweep_row(asked.config, plan, clock)
    await record_plan(store, row, plan)
    unscored = 0
    if options.judge is None:
        judge = make_judge(asked.config.profile, asked.config.switches, clock)
        unscored = await score_unscored(store, judge, asked.display.say)
    channel = stack.enter_context(await asyncio.to_thread(LiveChannel.open, store))
    if options.live_sql:
        asked.display.say(channel.attach_line())
    status = StatusFile(asked.db, clock)
    stack.callback(status.remove)
    log = stack.enter_context(AttemptLog.open(asked.db))
    parts = SweepParts(
        store=store,
        clock=clock,
        executor=stack.enter_context(prompt_makers()),
        provider_for=await stack.enter_async_context(
            _providers(ready.marked.running, ready.keys, ready.addresses, clock)
        ),
        view_hooks=(asked.display.show, status.show),
        observers=(log.take, Announcements(asked.display.say).take),
        save_prompts=options.save_prompts,
        judge=options.judge,
    )
    return _Run(asked.config, plan, row.sweep_id, parts, store, options, unscored)


async def _engaged(run: "_Run", progress: Progress, display: Display) -> SweepEnd:
    """What came of it: of the cheap calls first, where they were asked for, then of the rest."""
    if not run.options.calibrate:
        return await _engage(run, run.plan, progress)
    stopped = await _calibrate(run, progress, display)
    return stopped or await _engage(run, run.plan, await run.progress())


async def _open(db: Path) -> DuckStore:
    """The store of a file; opening, repairing and loading a journal take their time in a thread."""
    work = functools.partial(DuckStore.open, db, install_views=install, create=True)
    opening = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        await (await opening).aclose()
        raise


@dataclass(frozen=True, slots=True)
class _Run:
    """What both halves of a run share: the calls that calibrate, and the rest."""

    config: SweepConfig
    plan: Plan
    sweep_id: str
    parts: SweepParts
    store: DuckStore
    options: RunOptions
    unscored: int
    """Stored replies that could not be scored."""

    async def progress(self) -> Progress:
        """What is done by now."""
        return await _progress(self.plan, self.store, self.options.retry)

    async def learned(self, *, with_replies: bool) -> Learned:
        """What calls of this file and of the config's earlier files teach."""
        return await asyncio.to_thread(self._learned, with_replies=with_replies)

    def _learned(self, *, with_replies: bool) -> Learned:
        files = self.config.calibrate_from
        with self.store.cursor() as cursor:
            here = learn(cursor, self.plan, with_replies=with_replies)
        return here + learn_from_files(files, self.plan, with_replies=with_replies)


async def _engage(run: _Run, plan: Plan, progress: Progress) -> SweepEnd:
    """Send a plan's trials that are not done, with estimators that know what there is to know."""
    learned = await run.learned(with_replies=False)
    parts = replace(run.parts, estimator_for=learned.estimator)
    committed = await asyncio.to_thread(run.store.committed_pusd, run.config.name)
    engine = make_engine(run.config, plan, run.sweep_id, progress, parts, committed_pusd=committed)
    with handle_signals(engine), quiet_interpreter():
        try:
            return await engine.run()
        except* StoreError as stopped:
            raise StoreError(f"{_first(stopped)}; {KEPT}") from stopped


def _first(errors: BaseExceptionGroup[StoreError]) -> BaseException:
    """One of the errors that a group holds: they all tell of the same file."""
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


async def _calibrate(run: _Run, progress: Progress, display: Display) -> SweepEnd | None:
    """Send the cheap calls and tell the new forecast; how it ended, if it should not go on."""
    first = chosen_plan(run.plan, progress.done, run.options.calibrate)
    display.say(f"calibrating with {first.n_trials:,} short trials of the sweep")
    end = await _engage(run, first, progress)
    after = await run.progress()
    if end.exit_code not in (0, 5):
        return replace(end, pending=sum(model.n_pending(after.done) for model in run.plan.models))
    history = History(
        exists=True,
        done=after.done,
        committed_pusd=run.store.committed_pusd(run.config.name),
        unpriced=run.store.unpriced_calls(run.config.name),
    )
    known_of = (await run.learned(with_replies=True)).known
    forecast = make_forecast(run.config, run.plan, history, known_of, db=run.store.path)
    display.say(text_of(forecast) if display.for_people else json_of(forecast))
    return None


def _known_addresses(store: DuckStore) -> dict[str, bool]:
    with store.cursor() as cursor:
        return known_addresses(cursor)


async def _progress(plan: Plan, store: DuckStore, retry: frozenset[str]) -> Progress:
    cell_ids = [cell.cell_id for cell in plan.cells]
    return await asyncio.to_thread(store.progress, cell_ids, retry, seed=plan.seed)


def _exists(db: Path) -> bool:
    return db.exists()


def _unfinished(plan: Plan, done: Done) -> list[ModelSpec]:
    return [model.model for model in plan.models if model.n_pending(done)]


@asynccontextmanager
async def _providers(
    models: list[ModelSpec],
    keys: Mapping[str, Secret | None],
    addresses: Mapping[str, str],
    clock: Clock,
) -> AsyncGenerator[Callable[[ModelSpec], Provider]]:
    """One provider an account, over one pool of connections."""
    transport = AiohttpTransport(clock)
    made: dict[str, Provider] = {}
    for model in models:
        if model.account not in made:
            url = addresses.get(model.base_url, model.base_url)
            made[model.account] = connect(model.provider, url, keys[model.account], transport)
    try:
        yield lambda model: made[model.account]
    finally:
        await transport.aclose()
