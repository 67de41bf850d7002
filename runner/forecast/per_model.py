"""Works out one model's part of a forecast: tokens, dollars, and what can never be sent."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from runner.forecast.amounts import Amount
from runner.forecast.forecast import ModelForecast, Note, TaskForecast
from runner.forecast.measure import Input, Key, Measured, key_of
from runner.forecast.replies import thought_tokens
from runner.forecast.walltime import Load, Pace, wall_time
from runner.models.spec import ModelSpec
from runner.money.price import PUSD_PER_USD, Price, Rates, worst_case
from runner.plan.cell import Cell, size_of
from runner.plan.fit import fits
from runner.plan.plan import Done, ModelPlan
from runner.tokens.estimate import Estimator
from tasks.facts import TextKind

ReplyTokens = Callable[[Cell], float]
"""Output tokens to expect of one trial of a cell, thoughts included."""
CACHED_FROM = 1024
"""Input tokens from which providers keep a prompt's beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """Parts of the input that were read from a cache and written to one; the rest was neither."""

    read: float = 0.0
    write: float = 0.0

    def rate(self, rates: Rates, shared: float) -> float:
        """Pico-dollars a token, if no more is read than `shared`: what was sent before."""
        read = min(self.read, shared)
        write = min(self.write, 1 - read)
        per_read = rates.input if rates.cache_read is None else rates.cache_read
        per_write = rates.input if rates.cache_write is None else rates.cache_write
        return read * per_read + write * per_write + (1 - read - write) * rates.input


NOTHING_CACHED = Cached()


CachedOf = Callable[[str, TextKind | None], Cached]
"""By a task's name and the kind of its text."""


def never_cached(_task: str, _kind: TextKind | None) -> Cached:
    """Where nothing is known, nothing is expected of a cache."""
    return NOTHING_CACHED


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a model besides its spec."""

    estimator_of: Callable[[str], Estimator]
    """By the task's name."""
    reply_tokens: ReplyTokens
    pace: Pace
    tokens_source: str
    cached_of: CachedOf = never_cached


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The cells of one task and size under one model."""

    cells: Sequence[Cell]
    pending: Sequence[int]
    """Trials left of each cell."""
    each: Input
    cached: Cached
    """What a provider's cache is expected to give, apart from what the plan allows."""

    @property
    def task(self) -> str:
        """The task's name."""
        return self.cells[0].task.name

    @property
    def size(self) -> float:
        """The size on the task's own axis."""
        return size_of(self.cells[0])

    @property
    def n_pending(self) -> int:
        """Trials left."""
        return sum(self.pending)

    @property
    def n_planned(self) -> int:
        """Trials planned."""
        return sum(cell.repeats for cell in self.cells)

    @property
    def reusable(self) -> float:
        """The share of input that a cache can give at all: all of it, or none.

        A haystack may have been sent by another cell, task, size or sweep before.
        """
        shares = self.cells[0].task.shares and self.each.tokens.expected >= CACHED_FROM
        return 1.0 if shares else 0.0


def guessed_tokens(cell: Cell) -> float:
    """Output tokens where no reply was seen: a usual reply, and thoughts where there are some."""
    return min(
        float(cell.output_cap), cell.task.reply_tokens(cell.point.axes) + thought_tokens(cell)
    )


def groups(plan: ModelPlan, done: Done, measured: Measured, known: Known) -> list[Group]:
    """The model's cells by task and size."""
    cells: dict[Key, list[Cell]] = {}
    for cell in plan.cells:
        cells.setdefault(key_of(cell), []).append(cell)
    names = {key: members[0].task.name for key, members in cells.items()}
    inputs = measured.inputs(known.estimator_of, names)
    return [
        Group(
            cells=members,
            pending=[_left(cell, done) for cell in members],
            each=inputs[key],
            cached=known.cached_of(names[key], measured.kind_of(members[0].task)),
        )
        for key, members in cells.items()
    ]


def _left(cell: Cell, done: Done) -> int:
    finished = done.get(cell.cell_id)
    if not finished:
        return cell.repeats
    return cell.repeats - sum(1 for repeat in finished if repeat < cell.repeats)


def forecast_model(
    plan: ModelPlan,
    done: Done,
    measured: Measured,
    known: Known,
    concurrency: int | None,
) -> tuple[ModelForecast, float]:
    """The forecast, and the variance of its expected input tokens."""
    spec = plan.model
    found = groups(plan, done, measured, known)
    by_task: dict[str, list[Group]] = {}
    for group in found:
        by_task.setdefault(group.task, []).append(group)
    tasks = [_task(name, parts, spec, known) for name, parts in by_task.items()]
    load = Load(
        trials=sum(task.to_send for task in tasks),
        input_tokens=sum(task.input_tokens.expected for task in tasks),
        output_tokens=sum(task.output_tokens.expected for task in tasks),
    )
    variance = sum(
        (group.n_pending * group.each.error) ** 2 for group in found if _sent(group, spec)
    )
    forecast = ModelForecast(
        model=spec.id,
        simulated=spec.simulated,
        tasks=tasks,
        notes=[note for group in found for note in _notes(group, spec, measured)],
        wall=wall_time(load, spec.limits, concurrency, known.pace),
        price_source=spec.price_source,
        tokens_source=known.tokens_source,
        missing=_missing(spec),
        cached_share=_cached_share([group for group in found if _sent(group, spec)]),
    )
    return forecast, variance


def _sent(group: Group, spec: ModelSpec) -> bool:
    """Whether the dispatcher would send it."""
    return fits(spec, group.each.tokens)


def _task(name: str, parts: Sequence[Group], spec: ModelSpec, known: Known) -> TaskForecast:
    sent = [group for group in parts if _sent(group, spec)]
    outputs = [_output(group, known.reply_tokens) for group in sent]
    price = spec.price
    return TaskForecast(
        task=name,
        planned=sum(group.n_planned for group in parts),
        done=sum(group.n_planned - group.n_pending for group in parts),
        over_window=sum(group.n_pending for group in parts if not _sent(group, spec)),
        to_send=sum(group.n_pending for group in sent),
        input_tokens=Amount.total(group.each.tokens.times(group.n_pending) for group in sent),
        output_tokens=Amount.total(outputs),
        usd=None
        if price is None
        else Amount.total(
            _usd(group, output, price) for group, output in zip(sent, outputs, strict=True)
        ),
    )


def _output(group: Group, reply_tokens: ReplyTokens) -> Amount:
    """Output tokens of all trials left: a token at least, the cap at most."""
    counted = [
        (cell, n, cell.output_cap) for cell, n in zip(group.cells, group.pending, strict=True)
    ]
    return Amount(
        low=group.n_pending,
        expected=sum(n * min(reply_tokens(cell), cap) for cell, n, cap in counted if n),
        worst=sum(n * cap for _, n, cap in counted),
    )


def _usd(group: Group, output: Amount, price: Price) -> Amount:
    n = group.n_pending
    if n == 0:
        return Amount()
    tokens = group.each.tokens
    usual = price.at(round(tokens.expected))
    most = worst_case(price, round(tokens.worst), round(output.worst / n)) * n
    return Amount(
        low=(price.request + _least_input(group, price)) * n
        + output.low * price.at(round(tokens.low)).output,
        expected=price.request * n
        + tokens.expected * group.cached.rate(usual, group.reusable) * n
        + output.expected * usual.output,
        worst=most,
    ).times(1 / PUSD_PER_USD)


def _least_input(group: Group, price: Price) -> float:
    """Pico-dollars of one trial's input, if all that can come from the provider's cache does."""
    low = group.each.tokens.low
    rates = price.at(round(low))
    cached = rates.input if rates.cache_read is None else min(rates.input, rates.cache_read)
    return low * (cached * group.reusable + rates.input * (1 - group.reusable))


def _cached_share(sent: Sequence[Group]) -> float:
    """The part of all input that is expected from the provider's cache."""
    tokens = sum(group.each.tokens.expected * group.n_pending for group in sent)
    read = sum(
        group.each.tokens.expected * group.n_pending * min(group.cached.read, group.reusable)
        for group in sent
    )
    return read / tokens if tokens else 0.0


def _missing(spec: ModelSpec) -> str | None:
    if spec.price is not None:
        return None
    return (
        f"{spec.id} has no known price ({spec.price_source}): add price = "
        "{ input = USD, output = USD } per million tokens to its [[models]] table, or price = 0"
    )


def _notes(group: Group, spec: ModelSpec, measured: Measured) -> Iterator[Note]:
    if group.n_pending == 0:
        return
    failed = measured.failed.get(key_of(group.cells[0]))
    if failed is not None:
        yield _note(group, spec, "no prompt", failed)
    elif not _sent(group, spec):
        said = f"about {group.each.tokens.expected:,.0f} tokens, the window holds"
        yield _note(group, spec, "over the window", f"{said} {spec.context_window:,}")
    else:
        yield from _tier_notes(group, spec)


def _note(group: Group, spec: ModelSpec, kind: str, why: str, trials: int | None = None) -> Note:
    return Note(
        model=spec.id,
        task=group.task,
        size=group.size,
        trials=group.n_pending if trials is None else trials,
        kind=kind,
        why=why,
    )


def _tier_notes(group: Group, spec: ModelSpec) -> Iterator[Note]:
    """One request takes more than a minute of the account's tokens."""
    tokens, limits = group.each.tokens.expected, spec.limits
    cap = max(cell.output_cap for cell in group.cells)
    for name, amount, limit in (
        ("itpm", tokens, limits.itpm),
        ("otpm", cap, limits.otpm),
        ("tpm", tokens + cap, limits.tpm),
    ):
        if limit is not None and amount > limit:
            why = f"one request takes about {amount:,.0f} of {name} = {limit:,}: it goes out alone"
            why += " on a full bucket and leaves a debt, if the provider takes it"
            yield _note(group, spec, "larger than the tier", why)
