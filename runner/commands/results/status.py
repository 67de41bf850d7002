"""`runner status`: how far each model is, what it cost, and what a live sweep waits for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from queries.catalog import QueryError
from queries.reading import open_with_views
from runner.errors import UsageError
from runner.progress.words import left_usd, ranked
from runner.report.answers import Row, fetch
from runner.terminal import words
from runner.terminal.console import console
from runner.terminal.grid import Grid, Printer
from runner.terminal.words import amount, duration
from state.side_files import read_own
from state.store import StoreError

_MOST_BYTES = 16 << 20
STALE_S = 15.0
"""The file is written each second; older, its sweep hangs or was killed."""
WAITS = {
    "waiting_limiter": "rate limit",
    "waiting_retry_after": "the provider's retry-after",
    "waiting_backoff": "retries",
    "waiting_outage": "the endpoint, which is gone",
    "waiting_budget": "budget held by running calls",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What a running sweep said of itself."""

    content: Mapping[str, Any]
    age_s: float

    def of(self, provider: str, model: str) -> Mapping[str, Any]:
        """What it said of one model."""
        models: Mapping[str, Mapping[str, Any]] = self.content.get("models", {})
        return models.get(f"{provider}/{model}", models.get(model, {}))


def run(db: Path) -> int:
    """Print where the sweeps of a file stand; 0."""
    printer = Printer(console())
    try:
        with open_with_views(db) as reader:
            progress = fetch(reader.connection, "select * from progress order by provider, model")
            spend = fetch(reader.connection, "select * from spend")
            errors = fetch(reader.connection, "select * from standing_errors")
            moment = read_moment(db, datetime.now(UTC)) if reader.live else None
            notice = reader.notice
    except (StoreError, QueryError) as error:
        raise UsageError(str(error)) from error
    if not progress and moment is None:
        raise UsageError(f"{db}: the file holds no sweep yet")
    progress = [_with_errors(row, errors) for row in progress]
    for line in (*headline(progress, moment), *([notice] if notice else ())):
        printer.say(line)
    printer.say("")
    printer.grid(table(progress, spend, moment))
    for line in remarks(progress, moment):
        printer.say(line)
    return 0


def _with_errors(row: Row, errors: Sequence[Row]) -> Row:
    """A model's progress, in which trials that stand in an error are not done."""
    who = ("provider", "model", "simulated")
    own = {
        each["outcome"]: each["n"]
        for each in errors
        if all(each[name] == row[name] for name in who)
    }
    n_done = row["n_done"] - sum(own.values())
    return {**row, "n_done": n_done, "share_done": n_done / row["n_planned"], "errors": own}


def _errors_of(row: Row) -> Mapping[str, int]:
    return row.get("errors", {})


def read_moment(db: Path, now: datetime) -> Moment | None:
    """The status file beside a database; None where there is none, or it cannot be read."""
    try:
        content = orjson.loads(read_own(db.with_name(db.name + ".status"), _MOST_BYTES))
    except (OSError, StoreError, orjson.JSONDecodeError):
        return None
    written = datetime.fromtimestamp(content.get("updated_at", 0) / 1e6, UTC)
    return Moment(content=content, age_s=(now - written).total_seconds())


def headline(progress: Sequence[Row], moment: Moment | None) -> Iterator[str]:
    """Whether it runs, and the sums."""
    planned = sum(row["n_planned"] for row in progress)
    done = sum(row["n_done"] for row in progress)
    share = f" ({words.percent(done / planned)} %)" if planned else ""
    failed = sum(sum(_errors_of(row).values()) for row in progress)
    in_error = f", {failed:,} ended in an error" if failed else ""
    simulated = " [SIMULATED]" if any(row["simulated"] for row in progress) else ""
    yield f"{done:,} of {planned:,} trials done{share}{in_error}{simulated}"
    if moment is None:
        return
    content = moment.content
    state = content.get("state", "running")
    if moment.age_s > STALE_S:
        state = f"no sign of life for {duration(moment.age_s)}"
    yield f"{content.get('name', 'sweep')}: {state}, for {duration(content.get('elapsed_s'))}"
    budget = content.get("budget_usd")
    spent, held = content.get("spent_usd", 0.0), content.get("held_usd", 0.0)
    of_budget = "" if budget is None else f" of {words.money(budget)}"
    left = "" if budget is None else f", left {words.money(left_usd(budget, spent, held))}"
    yield (
        f"spent {words.money(spent)}{of_budget}, held for running calls {words.money(held)}{left}"
    )


def table(progress: Sequence[Row], spend: Sequence[Row], moment: Moment | None) -> Grid:
    """One line per model."""
    header = ["model", "done", "planned", "%", "answered", "not evaluated", "settled",
              "maybe billed"]  # fmt: skip
    if moment is not None:
        header += ["in flight", "oldest", "429s", "tokens/s", "ETA", "waits for"]
    money = {(row["provider"], row["model"], row["simulated"]): row for row in spend}
    return Grid(
        title="progress",
        header=header,
        rows=[
            _line(row, money[row["provider"], row["model"], row["simulated"]], moment)
            for row in progress
        ],
    )


def _line(row: Row, money: Row, moment: Moment | None) -> list[str]:
    line = [
        row["model"],
        words.count(row["n_done"]),
        words.count(row["n_planned"]),
        words.percent(row["share_done"]),
        words.count(row["n_answered"]),
        words.count(row["n_not_evaluated"]),
        words.money(money["settled"]),
        words.money(money["maybe_billed"]),
    ]
    if moment is not None:
        line += _live(moment.of(row["provider"], row["model"]))
    return line


def _live(lane: Mapping[str, Any]) -> list[str]:
    if not lane:
        return [words.UNKNOWN] * 5 + [""]
    waits = [text for key, text in WAITS.items() if lane.get(key)]
    ended = [str(lane["ended"])] if lane.get("ended") else []
    return [
        words.count(lane.get("in_flight")),
        duration(lane.get("oldest_s")),
        words.count(lane.get("rate_limited")),
        amount(lane.get("tokens_per_s", 0)),
        duration(lane.get("eta_s")),
        ", ".join(ended or waits),
    ]


def remarks(progress: Sequence[Row], moment: Moment | None) -> Iterator[str]:
    """Errors of a live sweep, and why trials of an ended one were not sent."""
    for row in progress:
        lane: Mapping[str, Any] = {}
        if moment is not None:
            lane = moment.of(row["provider"], row["model"])
        errors: Mapping[str, int] = lane.get("errors", {})
        if errors:
            yield f"{row['model']}: calls without an answer: {', '.join(ranked(errors))}"
        if lane.get("message"):
            yield f"{row['model']}: {lane['message']}"
        yield from (f"{row['model']}: {line}" for line in words.asking_again(_errors_of(row)))
        if moment is None and row["n_pending"]:
            why = row["pending_reason"] or "pending"
            yield f"{row['model']}: {row['n_pending']:,} trials not done ({why})"
