"""What earlier calls taught: tokens of each kind of text, lengths of replies, time of a call.

It comes from usage in result files, this sweep's own and older ones, so that a sweep that goes on
does not guess again. Simulated calls teach nothing about real models, nor the other way round.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any, cast

import duckdb
import orjson

from queries.catalog import install, shipped
from runner.forecast.build import guessed
from runner.forecast.per_model import NOTHING_CACHED, Cached, Known, guessed_tokens
from runner.forecast.replies import reply_class
from runner.forecast.walltime import Pace
from runner.models.counting import estimator_for, sampling_estimator_for
from runner.models.spec import ModelSpec
from runner.plan.cell import Cell
from runner.plan.plan import Plan
from runner.tokens.estimate import Estimator
from runner.tokens.regression import TokenRegression
from state.sharing.reading import open_for_reading
from tasks.facts import TextKind
from tasks.sample import Scalar, Task

ENOUGH_OF_A_TASK = 4

_LINE = tuple(signature(TokenRegression).parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSource:
    """Whose usage it was."""

    model: str
    base_url: str
    simulated: bool

    def teaches(self, spec: ModelSpec) -> bool:
        """Whether it says anything about this model; a server of that address does in any case."""
        same_sort = self.simulated == spec.simulated or self.base_url == spec.base_url
        return self.model == spec.id and same_sort


@dataclass(frozen=True, slots=True, kw_only=True)
class InputUsage:
    """Input of one task's prompts."""

    source: UsageSource
    task: str
    kind: TextKind
    line: TokenRegression
    cacheable: float = 0.0
    """Tokens of prompts that are long enough to be cached."""
    cache_read: float = 0.0
    cache_write: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyUsage:
    """What replies at one point took: their output, and their time."""

    source: UsageSource
    task: str
    axes: Mapping[str, Scalar]
    n: int
    input_tokens: float
    output_tokens: float
    latency_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Everything that earlier calls say."""

    usage: tuple[InputUsage, ...] = ()
    replies: tuple[ReplyUsage, ...] = ()
    tasks: Mapping[str, Task]
    """The plan's tasks by name: they know how long a usual reply is."""

    def __add__(self, other: "Learned") -> "Learned":
        return replace(self, usage=self.usage + other.usage, replies=self.replies + other.replies)

    def estimator(self, spec: ModelSpec) -> Estimator:
        """An estimator that begins with what was learned of this model."""
        return self._taught(estimator_for(spec), spec)

    def _taught(self, estimator: Estimator, spec: ModelSpec, task: str | None = None) -> Estimator:
        """Of one task, where its own prompts teach enough: its instructions are its own too."""
        mine = [usage for usage in self.usage if usage.source.teaches(spec)]
        lines = _lines(mine)
        if task is not None:
            own = _lines(usage for usage in mine if usage.task == task)
            lines |= {kind: line for kind, line in own.items() if _tells(line)}
        estimator.learn_earlier(lines)
        return estimator

    def cached(self, spec: ModelSpec, task: str, kind: TextKind | None) -> Cached:
        """What this model's cache gave to prompts of a task, or of its kind where it was not asked.

        The first calls of a sweep share little: they tell of less than the rest will get.
        """
        mine = [usage for usage in self.usage if usage.source.teaches(spec) and usage.cacheable]
        own = [usage for usage in mine if usage.task == task]
        told = own or [usage for usage in mine if usage.kind == kind]
        tokens = sum(usage.cacheable for usage in told)
        if not tokens:
            return NOTHING_CACHED
        return Cached(
            read=sum(usage.cache_read for usage in told) / tokens,
            write=sum(usage.cache_write for usage in told) / tokens,
        )

    def known(self, spec: ModelSpec) -> Known:
        """What a forecast goes by for this model."""
        guess = guessed(spec)
        mine = [replies for replies in self.replies if replies.source.teaches(spec)]
        calls = sum(replies.n for replies in mine)
        if not calls:
            return guess
        factors = _factors(mine, self.tasks)

        def reply_tokens(cell: Cell) -> float:
            factor = factors.get(reply_class(cell.task.name, cell.point.axes))
            if factor is None:
                return guessed_tokens(cell)
            return factor * cell.task.reply_tokens(cell.point.axes)

        return Known(
            estimator_of=lambda task: self._taught(sampling_estimator_for(spec), spec, task),
            reply_tokens=reply_tokens,
            pace=_paced(guess, mine),
            cached_of=lambda task, kind: self.cached(spec, task, kind),
            tokens_source=f"learned from {calls:,} calls, else {guess.tokens_source}",
        )


def _lines(usage: Iterable[InputUsage]) -> dict[TextKind, TokenRegression]:
    lines: dict[TextKind, TokenRegression] = {}
    for each in usage:
        lines[each.kind] = lines.get(each.kind, TokenRegression()) + each.line
    return lines


def _tells(line: TokenRegression) -> bool:
    """Whether a task's usage is enough to go by."""
    return line.sloped and line.n >= ENOUGH_OF_A_TASK


def _factors(replies: Iterable[ReplyUsage], tasks: Mapping[str, Task]) -> dict[str, float]:
    """How many times as long as usual the replies of each class were."""
    seen: dict[str, float] = {}
    usual: dict[str, float] = {}
    for each in replies:
        task = tasks.get(each.task)
        if task is None or any(axis.name not in each.axes for axis in task.axes):
            continue
        name = reply_class(each.task, each.axes)
        seen[name] = seen.get(name, 0.0) + each.output_tokens
        usual[name] = usual.get(name, 0.0) + each.n * task.reply_tokens(each.axes)
    return {name: seen[name] / usual[name] for name in seen if usual[name]}


def _paced(guess: Known, replies: Iterable[ReplyUsage]) -> Pace:
    """The assumed pace, stretched to the time that calls really took."""
    took = assumed = 0.0
    calls = 0
    for each in replies:
        if each.latency_s is not None:
            took += each.n * each.latency_s
            each_s = guess.pace.call_s(each.input_tokens / each.n, each.output_tokens / each.n)
            assumed += each.n * each_s
            calls += each.n
    return (
        guess.pace if not calls else guess.pace.stretched(took / assumed, f"from {calls:,} calls")
    )


def learn(
    connection: duckdb.DuckDBPyConnection, plan: Plan, *, with_replies: bool = True
) -> Learned:
    """What the usage in one open file teaches; a sweep under way needs to know no replies."""
    queries = {query.name: query.sql for query in shipped("learned")}
    replies = _rows(connection, queries["replies"]) if with_replies else ()
    return Learned(
        usage=tuple(map(_input_usage, _rows(connection, queries["input_tokens"]))),
        replies=tuple(map(_reply_usage, replies)),
        tasks={planned.task.name: planned.task for planned in plan.tasks},
    )


def learn_from_files(paths: Iterable[Path], plan: Plan, *, with_replies: bool = True) -> Learned:
    """What the usage in files teaches together. Raises StoreError for a file that is not ours."""
    learned = Learned(tasks={planned.task.name: planned.task for planned in plan.tasks})
    for path in paths:
        with open_for_reading(path, install_views=install) as reader:
            learned += learn(reader.connection, plan, with_replies=with_replies)
    return learned


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _source(row: Mapping[str, Any]) -> UsageSource:
    return UsageSource(model=row["model"], base_url=row["base_url"], simulated=row["simulated"])


def _input_usage(row: Mapping[str, Any]) -> InputUsage:
    line = TokenRegression(**{name: row[name] for name in _LINE})
    return InputUsage(
        source=_source(row),
        task=row["task"],
        kind=cast("TextKind", row["kind"]),
        line=line,
        cacheable=row["cacheable"],
        cache_read=row["cache_read"],
        cache_write=row["cache_write"],
    )


def _reply_usage(row: Mapping[str, Any]) -> ReplyUsage:
    return ReplyUsage(
        source=_source(row),
        task=row["task"],
        axes=orjson.loads(row["point"]),
        n=row["n"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        latency_s=row["latency_s"],
    )
