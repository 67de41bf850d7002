"""What a sweep would do, worked out from a plan, a file and a sample of prompts; no I/O."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runner.forecast.amounts import Amount
from runner.forecast.walltime import WallTime
from runner.plan.plan import Done, Repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskForecast:
    """One task under one model."""

    task: str
    planned: int
    done: int
    over_window: int
    """Pending trials that are never sent, since their prompt exceeds the window."""
    to_send: int
    input_tokens: Amount
    output_tokens: Amount
    usd: Amount | None
    """None where the model has no price."""

    @property
    def left(self) -> int:
        """Trials that will get a row: those to send, and those that are too long for it."""
        return self.to_send + self.over_window


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Cells that will not go as planned, and why."""

    model: str
    task: str
    size: float
    trials: int
    kind: str
    """over the window, larger than the tier, below the output floor, or no prompt."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelForecast:
    """One model."""

    model: str
    simulated: bool
    tasks: Sequence[TaskForecast]
    notes: Sequence[Note]
    wall: WallTime
    price_source: str
    tokens_source: str
    missing: str | None
    """What the config lacks about this model."""
    cached_share: float = 0.0
    """Of its input, what is expected from the provider's cache, as earlier usage tells."""

    @property
    def total(self) -> TaskForecast:
        """All tasks together."""
        return total("all tasks", self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the budget goes."""

    budget_usd: float
    spent_usd: float
    share: float
    """Of the trials that are to be sent, at expected costs."""
    shares: Mapping[str, float]
    """The same for each model."""
    seconds: float
    """When the money is gone, or the sweep is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What the token counts rest on."""

    prompts: int
    error: float
    """Standard error of all expected input tokens, relative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A whole sweep."""

    name: str
    models: Sequence[ModelForecast]
    skipped: Mapping[str, int]
    remarks: Sequence[str]
    """What the plan's numbers will not be able to show."""
    sampling: Sampling
    disk_bytes: float
    reach: Reach | None
    file: str | None
    """The result file that was read, if there is one."""

    @property
    def total(self) -> TaskForecast:
        """All models together."""
        return total("all models", [model.total for model in self.models])

    @property
    def seconds(self) -> float:
        """Wall time: models run side by side."""
        return max((model.wall.seconds for model in self.models), default=0.0)


def total(name: str, parts: Sequence[TaskForecast]) -> TaskForecast:
    """The sum; dollars are unknown as soon as those of one part with trials to send are."""
    priced = [part.usd for part in parts if part.usd is not None]
    unknown = any(part.usd is None and part.to_send for part in parts)
    return TaskForecast(
        task=name,
        planned=sum(part.planned for part in parts),
        done=sum(part.done for part in parts),
        over_window=sum(part.over_window for part in parts),
        to_send=sum(part.to_send for part in parts),
        input_tokens=Amount.total(part.input_tokens for part in parts),
        output_tokens=Amount.total(part.output_tokens for part in parts),
        usd=None if unknown else Amount.total(priced),
    )


def reach(budget_usd: float, spent_usd: float, models: Sequence[ModelForecast]) -> Reach:
    """Lanes spend side by side, each evenly over its own wall time, until the money is gone."""
    left = max(0.0, budget_usd - spent_usd)
    costs = {model.model: _expected_usd(model) for model in models}
    ends = {model.model: max(model.wall.seconds, 1e-9) for model in models}
    until = _when_gone(left, costs, ends)
    shares = {name: min(1.0, until / ends[name]) for name in costs}
    to_send = {model.model: model.total.to_send for model in models}
    sent = sum(shares[name] * count for name, count in to_send.items())
    return Reach(
        budget_usd=budget_usd,
        spent_usd=spent_usd,
        share=sent / sum(to_send.values()) if any(to_send.values()) else 1.0,
        shares=shares,
        seconds=until,
    )


def _expected_usd(model: ModelForecast) -> float:
    usd = model.total.usd
    return 0.0 if usd is None else usd.expected


def _when_gone(left: float, costs: Mapping[str, float], ends: Mapping[str, float]) -> float:
    """When spending at these even rates reaches `left`; the last end if it never does."""
    now, spent = 0.0, 0.0
    for end in sorted(set(ends.values())):
        rate = sum(costs[name] / ends[name] for name in costs if ends[name] >= end)
        if rate > 0 and spent + rate * (end - now) > left:
            return now + (left - spent) / rate
        spent += rate * (end - now)
        now = end
    return now


def by_reason(notes: Sequence[Note]) -> Counter[tuple[str, str]]:
    """Trials by kind and task."""
    counts: Counter[tuple[str, str]] = Counter()
    for note in notes:
        counts[note.kind, note.task] += note.trials
    return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Trials that are done, and money that is gone."""

    exists: bool = False
    done: Done = field(default_factory=dict[str, Repeats])
    committed_pusd: int = 0
    unpriced: int = 0
    """Calls that cost nobody knows what, and nothing was held for."""
