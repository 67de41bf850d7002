"""`runner report A B`: what changed between files of the same models, on the same prompts."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path

from rich.console import Console

from queries.between import Between, Found
from queries.catalog import QueryError
from queries.reading import open_with_views
from runner.errors import UsageError
from runner.terminal import words
from runner.terminal.console import console
from runner.terminal.grid import Grid, Printer
from state.store import StoreError

SHOWN = 20
"""So many answers are listed on a screen; a pipe gets all."""
_ID = 12
"""Digits of a trial's id, which `runner show` takes."""


def run(
    dbs: Sequence[Path],
    model: str | None = None,
    task: str | None = None,
    interval: str | None = None,
) -> int:
    """Print what changed from the first file to each of the others; 0."""
    _refuse_twice(dbs)
    out = console()
    with closing(_read(dbs, interval)) as between:
        changes = [row for row in between.changes() if _asked(row, model, task)]
        if not changes:
            raise UsageError(_nothing(dbs, between, model, task))
        flips = [row for row in between.flips() if _asked(row, model, task)]
        warnings = list(_unlike(dbs, between))
    for line in warnings:
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    _print(dbs, changes, flips, out)
    return 0


def _refuse_twice(dbs: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for db in dbs:
        if db.resolve() in seen:
            raise UsageError(f"{db}: named twice; a file is compared with another one")
        seen.add(db.resolve())


def _read(dbs: Sequence[Path], interval: str | None) -> Between:
    between = Between(interval)
    try:
        for db in dbs:
            with open_with_views(db) as reader:
                between.add(reader.connection)
    except (StoreError, QueryError) as error:
        between.close()
        raise UsageError(str(error)) from error
    return between


def _asked(row: Found, model: str | None, task: str | None) -> bool:
    names = (row["model"], f"{row['provider']}/{row['model']}")
    is_model = model is None or any(fnmatchcase(name, model) for name in names)
    return is_model and (task is None or fnmatchcase(row["task"], task))


def _nothing(dbs: Sequence[Path], between: Between, model: str | None, task: str | None) -> str:
    """Why there is nothing to compare, in one line."""
    held = "; ".join(
        f"{db} holds {', '.join(between.models(number)) or 'no answers'}"
        for number, db in enumerate(dbs)
    )
    narrowed = "" if model is None and task is None else " that --model and --task keep"
    return (
        f"{dbs[0]} and {dbs[1]}: no prompt{narrowed} was answered by one model in both ({held});"
        " the same config and seed give the same prompts"
    )


def _unlike(dbs: Sequence[Path], between: Between) -> Iterator[str]:
    """What else is different than the answers, so that a change may not be the model's."""
    for number, db in enumerate(dbs[1:], start=1):
        ours, theirs = between.profiles[0], between.profiles[number]
        if ours != theirs:
            yield (
                f"scored otherwise: {dbs[0]} under {', '.join(ours)}, {db} under"
                f" {', '.join(theirs)}; `runner rescore --profile` makes them alike, without a call"
            )
        for one, other in ((0, number), (number, 0)):
            alone = sorted({*between.models(one)} - {*between.models(other)})
            if alone:
                yield f"only in {dbs[one]}: {', '.join(alone)}"


def _print(
    dbs: Sequence[Path], changes: Sequence[Found], flips: Sequence[Found], out: Console
) -> None:
    printer = Printer(out)
    for number, db in enumerate(dbs[1:], start=1):
        own = [row for row in changes if row["second"] == number]
        if not own:
            printer.say(f"{dbs[0]} and {db}: no prompt was answered by one model in both\n")
            continue
        printer.grid(_changes(f"from {dbs[0]} to {db}", own))
        flipped = [row for row in flips if row["second"] == number]
        listed = flipped[:SHOWN] if out.is_terminal else flipped
        if listed:
            printer.grid(_flips(f"{len(flipped):,} prompts judged otherwise", listed))
        for line in _how_to_see(dbs[0], db, flipped, len(listed)):
            printer.say(line)
        printer.say("")


def _changes(title: str, rows: Sequence[Found]) -> Grid:
    return Grid(
        title=f"accuracy in % on the same prompts, {title}",
        header=[
            "model",
            "task",
            "pairs",
            "haystacks",
            "first",
            "second",
            "change",
            "95 % interval",
            "better",
            "worse",
            "McNemar p",
        ],
        rows=[
            [
                _who(row),
                row["task"],
                words.count(row["n_pairs"]),
                words.count(row["clusters"]),
                words.percent(row["first_accuracy"]),
                words.percent(row["second_accuracy"]),
                _points(row["change"]),
                f"{_points(row['ci_low'])}..{_points(row['ci_high'])}",
                words.count(row["better"]),
                words.count(row["worse"]),
                words.probability(row["p_mcnemar"]),
            ]
            for row in rows
        ],
        names=2,
        note="change: second minus first, in percentage points; better and worse count prompts",
    )


def _flips(title: str, rows: Sequence[Found]) -> Grid:
    return Grid(
        title=title,
        header=["model", "task", "trial in the first", "in the second", "score", "now"],
        rows=[
            [
                _who(row),
                row["task"],
                row["first_trial"][:_ID],
                row["second_trial"][:_ID],
                _score(row["first_value"]),
                _score(row["second_value"]),
            ]
            for row in rows
        ],
        names=4,
        note="a score that is - : no answer that counts",
    )


def _how_to_see(first: Path, second: Path, flips: Sequence[Found], listed: int) -> Iterator[str]:
    if not flips:
        yield "every prompt was judged as before"
        return
    if listed < len(flips):
        yield f"{len(flips) - listed:,} more are listed in a pipe, like `... | less`"
    one = flips[0]
    yield (
        f"see one: runner show {one['first_trial'][:_ID]} {first};"
        f" runner show {one['second_trial'][:_ID]} {second}"
    )


def _who(row: Found) -> str:
    made_up = " (simulated)" if row["simulated"] else ""
    setup = f" [{row['setup']}]" if row["setup"] else ""
    return f"{row['model']}{made_up}{setup}"


def _score(value: float | None) -> str:
    return words.UNKNOWN if value is None else f"{value:.3g}"


def _points(value: float) -> str:
    return f"{round(100 * value, 1) + 0.0:+.1f}"  # and no -0.0
