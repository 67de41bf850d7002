"""Prints a forecast: tables for people, one JSON document for programs."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

from runner.forecast.amounts import Amount
from runner.forecast.forecast import Forecast, ModelForecast, Note, Reach, TaskForecast, by_reason
from runner.terminal.console import PIPED_COLUMNS, LiteralConsole, console, put
from runner.terminal.words import amount, duration, money

NOTES_SHOWN = 12


def print_json(forecast: Forecast) -> None:
    """The whole forecast as one JSON document on standard output."""
    put(orjson.dumps(to_json(forecast), option=orjson.OPT_INDENT_2).decode())


def json_of(forecast: Forecast) -> str:
    """The same in one line."""
    return orjson.dumps(to_json(forecast)).decode()


def text_of(forecast: Forecast) -> str:
    """What `print_tables` prints, as text without any styling."""
    text = StringIO()
    print_tables(forecast, LiteralConsole(text, width=PIPED_COLUMNS))
    return text.getvalue().rstrip()


def print_tables(forecast: Forecast, out: Console | None = None) -> None:
    """The same for people."""
    to = out or console()
    to.print(_table(forecast))
    for line in lines(forecast):
        to.print(line, soft_wrap=True)


def _table(forecast: Forecast) -> Table:
    table = Table(title=f"{forecast.name}: forecast, nothing is sent", title_justify="left")
    table.add_column("model / task", overflow="fold")
    for name in ("trials", "done", "to send", "input tokens", "output tokens", "usd expected"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("usd low .. worst", justify="right", no_wrap=True)
    for model in forecast.models:
        label = f"{model.model} (simulated)" if model.simulated else model.model
        table.add_row(*_row(label, model.total), style="bold")
        for task in model.tasks:
            table.add_row(*_row(f"  {task.task}", task))
    if len(forecast.models) > 1:
        table.add_section()
        table.add_row(*_row("all models", forecast.total), style="bold")
    return table


def _row(label: str, line: TaskForecast) -> list[str]:
    usd = line.usd
    return [
        label,
        f"{line.planned:,}",
        f"{line.done:,}" if line.done else "-",
        f"{line.to_send:,}",
        amount(line.input_tokens.expected),
        amount(line.output_tokens.expected),
        "no price" if usd is None else money(usd.expected),
        "" if usd is None else f"{money(usd.low)} .. {money(usd.worst)}",
    ]


def lines(forecast: Forecast) -> Iterator[str]:
    """Everything that is not in the table."""
    for model in forecast.models:
        yield _pace(model)
    if len(forecast.models) > 1:
        yield f"wall time: {duration(forecast.seconds)}; models run side by side"
    for model in forecast.models:
        yield f"tokens: {model.model}: {model.tokens_source}; price: {model.price_source}"
    yield (
        f"sampling: {forecast.sampling.prompts} prompts were made and counted; all expected input "
        f"tokens are within {200 * forecast.sampling.error:.2g} % of a full count (2 standard "
        "errors)"
    )
    yield _meaning(forecast)
    yield f"disk: about {forecast.disk_bytes / 1e6:,.0f} MB"
    if forecast.file is not None:
        yield _resume(forecast)
    yield from _warnings(forecast)
    if forecast.reach is not None:
        yield from _reach(forecast.reach, forecast)


def _meaning(forecast: Forecast) -> str:
    """What the three columns of dollars count."""
    cached = [
        f"{100 * model.cached_share:.0f} % of {model.model}'s input"
        for model in forecast.models
        if model.cached_share
    ]
    usual = f"with {', '.join(cached)} from its cache as before" if cached else "without any"
    return (
        f"usd: of provider caching, expected is {usual} and low is with all that can be; low has "
        "one-token replies, worst is what is reserved"
    )


def _pace(model: ModelForecast) -> str:
    wall = model.wall
    slots = f"{wall.slots} slots" + (" assumed" if wall.slots_assumed else "")
    rest = ", ".join(
        f"{name} {duration(seconds)}"
        for name, seconds in sorted(wall.by_limit.items(), key=lambda item: -item[1])
        if name != wall.binding
    )
    return (
        f"time: {model.model}: {duration(wall.seconds)}, bound by {wall.binding}"
        f"{f' (else {rest})' if rest else ''}; {slots}, latency {wall.pace}"
    )


def _resume(forecast: Forecast) -> str:
    done = forecast.total.done
    return (
        f"resume: {forecast.file} holds {done:,} of {forecast.total.planned:,} trials; they are "
        "skipped"
    )


def _warnings(forecast: Forecast) -> Iterator[str]:
    for reason, count in sorted(forecast.skipped.items()):
        yield f"skipped: {count:,} infeasible points: {reason}"
    yield from forecast.remarks
    for model in forecast.models:
        for (kind, task), trials in by_reason(model.notes).items():
            these = [note for note in model.notes if (note.kind, note.task) == (kind, task)]
            yield f"{kind}: {model.model}: {trials:,} trials of {task}: {_sizes(these)}"
        if model.missing is not None:
            yield f"no price: {model.missing}; a budget cannot be kept without"


def _sizes(notes: Sequence[Note]) -> str:
    ordered = sorted(notes, key=lambda note: note.size)
    sizes = ", ".join(f"{note.size:,.0f}" for note in ordered[:NOTES_SHOWN])
    more = f", and {len(ordered) - NOTES_SHOWN} more" if len(ordered) > NOTES_SHOWN else ""
    return f"size {sizes}{more}; {ordered[0].why}"


def _reach(reach: Reach, forecast: Forecast) -> Iterator[str]:
    spent = f", {money(reach.spent_usd)} of it spent or held before" if reach.spent_usd else ""
    said = f"budget: {money(reach.budget_usd)}{spent}"
    if forecast.total.usd is None:
        yield f"{said}; how far it goes is unknown without prices"
    elif reach.share >= 1:
        yield f"{said}: enough for all at expected cost"
    else:
        yield (
            f"{said}: reaches about {100 * reach.share:.0f} % of the trials after "
            f"{duration(reach.seconds)}, spread over all cells in a seeded, interleaved order"
        )
        for name, share in reach.shares.items():
            yield f"  {name}: about {100 * share:.0f} %"


def to_json(forecast: Forecast) -> dict[str, Any]:
    """All numbers under their names; dollars where a price is known."""
    reached = forecast.reach
    return {
        "event": "forecast",
        "name": forecast.name,
        "models": [_model_json(model) for model in forecast.models],
        "total": _task_json(forecast.total),
        "wall_s": forecast.seconds,
        "disk_bytes": round(forecast.disk_bytes),
        "skipped": dict(forecast.skipped),
        "remarks": list(forecast.remarks),
        "sampling": {
            "prompts": forecast.sampling.prompts,
            "relative_error": forecast.sampling.error,
        },
        "file": forecast.file,
        "budget": None
        if reached is None
        else {
            "budget_usd": reached.budget_usd,
            "spent_usd": reached.spent_usd,
            "share_reached": None if forecast.total.usd is None else reached.share,
            "share_by_model": dict(reached.shares),
            "order": "seeded, interleaved over all cells",
            "reached_s": reached.seconds,
        },
    }


def _model_json(model: ModelForecast) -> dict[str, Any]:
    wall = model.wall
    return {
        "model": model.model,
        "simulated": model.simulated,
        **_task_json(model.total),
        "tasks": [{"name": task.task, **_task_json(task)} for task in model.tasks],
        "wall_s": wall.seconds,
        "binding_limit": wall.binding,
        "by_limit_s": dict(wall.by_limit),
        "slots": wall.slots,
        "slots_assumed": wall.slots_assumed,
        "latency": str(wall.pace),
        "price_source": model.price_source,
        "tokens_source": model.tokens_source,
        "cached_share": model.cached_share,
        "missing": model.missing,
        "notes": [_note_json(note) for note in model.notes],
    }


def _note_json(note: Note) -> dict[str, Any]:
    return {
        "kind": note.kind,
        "task": note.task,
        "size": note.size,
        "trials": note.trials,
        "why": note.why,
    }


def _task_json(line: TaskForecast) -> dict[str, Any]:
    return {
        "trials": line.planned,
        "done": line.done,
        "to_send": line.to_send,
        "over_window": line.over_window,
        "input_tokens": _whole(line.input_tokens),
        "output_tokens": _whole(line.output_tokens),
        "usd": None if line.usd is None else line.usd.to_json(),
    }


def _whole(tokens: Amount) -> dict[str, int]:
    return {name: round(value) for name, value in tokens.to_json().items()}
