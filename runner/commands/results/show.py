"""`runner show`: one trial whole: the exact prompt, the reply, every attempt, score and cost."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import orjson
from rich.console import Console
from rich.text import Text

from runner.errors import UsageError
from runner.judge.replies import judge_prompts
from runner.terminal.console import console, put
from runner.terminal.grid import Grid, Printer
from runner.terminal.words import stored
from state.sharing.reading import open_for_reading
from tasks.catalog import build
from tasks.judge import is_judge
from tasks.options import TaskOptions
from tasks.sample import Prompt, TaskError

FEWEST_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTrial:
    """What the file says about one trial, apart from its attempts."""

    trial_id: str
    task: str
    model: str
    repeat: int
    seed: int
    prompt_hash: str
    point: dict[str, Any]
    switches: dict[str, Any]
    inputs: dict[str, str]
    target: dict[str, Any]
    config: dict[str, Any]


def run(trial: str, db: Path) -> int:
    """Print a trial; a start of its id is enough where it is the only one."""
    with open_for_reading(db) as reader:
        found = find(reader.connection, trial)
        out = console()
        name = Text.assemble((f"trial {found.trial_id}", "bold"), f"  {found.model}  {found.task}")
        out.print(name, soft_wrap=True)
        axes = "  ".join(f"{name}={value}" for name, value in found.point.items())
        out.print(f"{axes}  repeat={found.repeat}  seed={found.seed}\n", soft_wrap=True)
        _print_prompt(out, reader.connection, found)
        _print_reply(out, reader.connection, found)
        _print_attempts(out, reader.connection, found)
    return 0


def find(connection: duckdb.DuckDBPyConnection, start: str) -> StoredTrial:
    """The one trial whose id begins so. Raises UsageError for none or several."""
    wanted = start.partition(".")[0].strip().lower()
    if len(wanted) < FEWEST_DIGITS:
        raise UsageError(f"show {start!r}: give at least {FEWEST_DIGITS} characters of the id")
    rows = connection.execute(
        "SELECT t.trial_id, c.task, c.model, t.repeat, t.seed, t.prompt_hash, c.point, "
        "c.switches, c.inputs, t.target, (SELECT s.config FROM sweeps s JOIN sweep_cells sc "
        "USING (sweep_id) WHERE sc.cell_id = t.cell_id ORDER BY s.rowid DESC LIMIT 1) "
        "FROM trials t JOIN cells c USING (cell_id) WHERE starts_with(t.trial_id, $start) LIMIT 2",
        {"start": wanted},
    ).fetchall()
    if not rows:
        raise UsageError(f"show {start!r}: no trial has an id that begins so")
    if len(rows) > 1:
        raise UsageError(f"show {start!r}: several trials begin so; give more characters")
    return _stored(rows[0])


def _stored(row: tuple[Any, ...]) -> StoredTrial:
    return StoredTrial(
        trial_id=row[0],
        task=row[1],
        model=row[2],
        repeat=row[3],
        seed=row[4],
        prompt_hash=row[5],
        point=orjson.loads(row[6]),
        switches=orjson.loads(row[7]),
        inputs=orjson.loads(row[8]),
        target=orjson.loads(row[9]),
        config=orjson.loads(row[10]) if row[10] else {},
    )


def regenerate(found: StoredTrial) -> Prompt:
    """The prompt from (task, version, point, seed), checked against the stored hash."""
    entries = [e for e in found.config.get("tasks", []) if e.get("name") == found.task] or [{}]
    problem = "its prompt cannot be made again"
    for entry in entries:
        try:
            task = build(found.task, _options(entry, found.switches))
            prompt = task.generate(found.point, found.seed).prompt
        except (TaskError, OSError) as error:
            problem = str(error)
            continue
        if prompt.hash() == found.prompt_hash:
            return prompt
        problem = "the prompt made now has another hash: its template, corpus or data has changed"
    raise UsageError(f"show {found.trial_id}: {problem}")


def judge_prompt(connection: duckdb.DuckDBPyConnection, found: StoredTrial) -> Prompt:
    """The prompt of a judge from the reply that it was shown, checked against the stored hash."""
    for prompt in judge_prompts(connection, found.task, found.point):
        if prompt.hash() == found.prompt_hash:
            return prompt
    raise UsageError(f"show {found.trial_id}: the reply that was judged is not in the file now")


def _options(entry: dict[str, Any], switches: dict[str, Any]) -> TaskOptions:
    paths = {name: Path(entry[name]) for name in ("haystack", "prompts", "data") if entry.get(name)}
    return TaskOptions(
        switches=switches,
        needle=entry.get("needle"),
        question=entry.get("question"),
        answer=tuple(entry.get("answer", ())),
        **paths,
    )


def _print_prompt(out: Console, connection: duckdb.DuckDBPyConnection, found: StoredTrial) -> None:
    saved = connection.execute(
        "SELECT messages FROM prompts WHERE trial_id = $id", {"id": found.trial_id}
    ).fetchall()
    if saved:
        turns = [(turn["role"], turn["text"]) for turn in orjson.loads(saved[0][0])]
    elif found.prompt_hash:
        again = judge_prompt(connection, found) if is_judge(found.task) else regenerate(found)
        turns = [(message.role, message.text) for message in again.messages]
    else:
        turns = []
    for role, text in turns:
        out.rule(f"prompt: {role}", align="left")
        put(text)
    out.print(f"prompt hash {found.prompt_hash}\n")


def _print_reply(out: Console, connection: duckdb.DuckDBPyConnection, found: StoredTrial) -> None:
    for text, reasoning, finish in connection.execute(
        "SELECT text, reasoning_text, finish_reason FROM completions WHERE trial_id = $id",
        {"id": found.trial_id},
    ).fetchall():
        if reasoning:
            out.rule("reasoning", align="left")
            put(reasoning)
        out.rule(f"reply (finish: {finish})", align="left")
        put(text)
    out.rule("target", align="left")
    put(orjson.dumps(found.target).decode())
    scores = connection.execute(
        "SELECT scorer, scorer_version, profile, value, label, detail FROM scores "
        "WHERE trial_id = $id ORDER BY rowid",
        {"id": found.trial_id},
    ).fetchall()
    for age, row in enumerate(reversed(scores)):
        line = f"score {row[3]:g} ({row[4]})  {row[0]} v{row[1]}, profile {row[2]}  {row[5]}"
        out.print(line if age == 0 else f"earlier {line}", soft_wrap=True)


def _print_attempts(
    out: Console, connection: duckdb.DuckDBPyConnection, found: StoredTrial
) -> None:
    rows = connection.execute(
        "SELECT n, started_at, outcome, http_status, latency_s, input_tokens, cache_read_tokens, "
        "output_tokens, reasoning_tokens, cost_pusd / 1e12, maybe_billed, error FROM attempts "
        "WHERE trial_id = $id ORDER BY rowid",
        {"id": found.trial_id},
    ).fetchall()
    names = "n started outcome http seconds input cached output reasoning usd maybe_billed error"
    words = [list(map(stored, row)) for row in rows]
    out.print()
    Printer(out).grid(Grid(title="attempts", header=names.split(), rows=words, names=2))
