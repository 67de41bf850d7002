"""The commands and their flags; each command's code is imported when it runs.

Imports stay inside commands on purpose: DuckDB, plotting and HTTP take seconds that `--help` and a
mistyped flag must not wait for.
"""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from runner.commands import overview

app = typer.Typer(
    name="runner",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=overview.PURPOSE,
)

Config = Annotated[Path, typer.Argument(help="The sweep's config.")]
Views = Annotated[
    Path | None,
    typer.Option("--views", help="A folder of .sql files: own views, or ours replaced."),
]
Database = Annotated[Path | None, typer.Argument(help="The sweep's file; found when left out.")]


def _leave(code: int) -> NoReturn:
    """End with a command's exit code."""
    raise typer.Exit(code)


def _database(given: Path | None) -> Path:
    from runner.commands.results import databases

    return databases.find(given)


@app.command(epilog="Example: runner init my-sweep")
def init(
    directory: Annotated[Path, typer.Argument(help="Where to write sweep.toml.")] = Path(),
) -> None:
    """Write a commented sweep.toml that passes --dry-run."""
    from runner.commands.setup import init as command

    _leave(command.run(directory=directory))


@app.command(epilog="Example: runner demo")
def demo(
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, no live display.")] = False,
) -> None:
    """A small real sweep of a real local model: no key, no config."""
    from runner.commands.setup import demo as command

    _leave(command.run(plain=plain))


@app.command(epilog="Example: runner sweep sweep.toml --budget 500usd --resume")
def sweep(  # noqa: PLR0913, PLR0917  one parameter a flag is what a command line is
    config: Config = Path("sweep.toml"),
    budget: Annotated[str | None, typer.Option(help="Hard cap, like 500usd.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on with an existing file.")
    ] = True,
    db: Annotated[Path | None, typer.Option(help="The result file.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Send nothing; say what would.")] = (
        False
    ),
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="The same sweep against the simulator.")
    ] = False,
    calibrate: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="First send N of each model's shortest trials, print the forecast they teach, "
            "then go on with the rest. They are stored and paid once, under the budget; Ctrl-C "
            "after the forecast stops, and the same command goes on.",
        ),
    ] = 0,
    models: Annotated[str | None, typer.Option(help="Only models matching this glob.")] = None,
    tasks: Annotated[str | None, typer.Option(help="Only tasks matching this glob.")] = None,
    where: Annotated[str | None, typer.Option(help="Only cells for which this SQL holds.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls in flight per model.")] = None,
    retry_outcomes: Annotated[
        str | None, typer.Option(help="Ask again trials that ended so, like timeout,transient.")
    ] = None,
    save_prompts: Annotated[
        bool, typer.Option("--save-prompts", help="Store every prompt in the file.")
    ] = False,
    profile: Annotated[str | None, typer.Option(help="default, paper or official.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, no live display.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Machine-readable lines.")] = False,
    live_sql: Annotated[
        bool, typer.Option("--live-sql", help="Print how to attach to the running sweep.")
    ] = False,
) -> None:
    """Run a sweep, or go on with it."""
    flags = {
        "budget": budget,
        "resume": resume,
        "db": db,
        "dry_run": dry_run,
        "rehearse": rehearse,
        "calibrate": calibrate,
        "models": models,
        "tasks": tasks,
        "where": where,
        "concurrency": concurrency,
        "retry_outcomes": retry_outcomes,
        "save_prompts": save_prompts,
        "profile": profile,
        "plain": plain,
        "json": json,
        "live_sql": live_sql,
    }
    if dry_run:
        from runner.commands.sweeps import dry_run as command
    elif rehearse:
        from runner.commands.sweeps import rehearse as command
    else:
        from runner.commands.sweeps import sweep as command
    _leave(command.run(config=config, flags=flags))


@app.command(epilog="Example: runner status sweep.duckdb")
def status(db: Database = None) -> None:
    """Progress, spend, and what a sweep waits for; works on a live run."""
    from runner.commands.results import status as command

    _leave(command.run(db=_database(db)))


@app.command(epilog="Example: runner report sweep.duckdb --html report.html --png pictures")
def report(  # noqa: PLR0913, PLR0917  one parameter a flag
    db: Database = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write pictures into this folder.")] = None,
    model: Annotated[str | None, typer.Option(help="Only models matching this glob.")] = None,
    task: Annotated[str | None, typer.Option(help="Only tasks matching this glob.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Accuracy that effective context must hold, like 0.75.")
    ] = None,
    views: Views = None,
) -> None:
    """Tables in the terminal; pictures and a page on request."""
    from runner.commands.results import report as command

    _leave(
        command.run(
            db=_database(db),
            html=html,
            png=png,
            model=model,
            task=task,
            threshold=threshold,
            folder=views,
        )
    )


@app.command(epilog='Example: runner sql sweep.duckdb "from cell_accuracy"')
def sql(
    db: Annotated[str | None, typer.Argument(help="The sweep's file (or the query).")] = None,
    query: Annotated[str | None, typer.Argument(help="SQL; standard input if left out.")] = None,
    fmt: Annotated[str, typer.Option("--format", help="table, csv, json or parquet.")] = "table",
    views: Views = None,
) -> None:
    """SQL over the sweep's file; works on a live run."""
    from runner.commands.results import databases

    path, text = databases.split_query(db, query)
    from runner.commands.results import sql as command

    _leave(command.run(db=path, query=text, fmt=fmt, folder=views))


@app.command(epilog="Example: runner show 3f2a sweep.duckdb")
def show(
    trial: Annotated[str, typer.Argument(metavar="ID", help="A trial's id or its start.")],
    db: Database = None,
) -> None:
    """One trial: exact prompt, reply, attempts, score, cost."""
    from runner.commands.results import show as command

    _leave(command.run(trial=trial, db=_database(db)))


@app.command(epilog="Example: runner rescore sweep.duckdb --profile official")
def rescore(  # noqa: PLR0913, PLR0917  one parameter a flag is what a command line is
    db: Database = None,
    profile: Annotated[str, typer.Option(help="default, paper or official.")] = "default",
    switch: Annotated[
        list[str] | None, typer.Option(help="One switch, like flenqa.answer=paper.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A model that judges free text, by calls.")
    ] = None,
    budget: Annotated[str | None, typer.Option(help="--judge: hard cap, like 1usd.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="--judge: a file with the model's [[models]] table.")
    ] = None,
    retry_outcomes: Annotated[
        str | None, typer.Option(help="--judge: ask again calls that ended so, like timeout.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="--judge: plain lines.")] = False,
) -> None:
    """Judge stored replies again, earlier scores stay; without --judge no call is made."""
    flags = {
        "profile": profile,
        "switches": switch or [],
        "judge": judge,
        "budget": budget,
        "config": config,
        "retry_outcomes": retry_outcomes,
        "plain": plain,
    }
    if judge is None:
        from runner.commands.sweeps import rescore as command
    else:
        from runner.commands.sweeps import judge as command
    _leave(command.run(db=_database(db), flags=flags))


@app.command("import", epilog="Example: runner import needlechain k10.jsonl")
def import_(
    kind: Annotated[str, typer.Argument(help="needle-threading, flenqa or needlechain.")],
    file: Annotated[Path, typer.Argument(help="json, jsonl, zip or parquet.")],
    out: Annotated[Path | None, typer.Option(help="Where to write the data file.")] = None,
) -> None:
    """Official data sets as tasks that sweep like generated ones."""
    from runner.commands.setup import import_data as command

    _leave(command.run(kind=kind, file=file, out=out))


@app.command(epilog="Example: runner export sweep.duckdb parquet")
def export(
    db: Annotated[str | None, typer.Argument(help="The sweep's file (or the folder).")] = None,
    directory: Annotated[str | None, typer.Argument(metavar="DIR")] = None,
    views: Views = None,
) -> None:
    """Parquet, one file per table and view."""
    from runner.commands.results import databases

    path, folder = databases.split_folder(db, directory)
    from runner.commands.results import export as command

    _leave(command.run(db=path, directory=folder, folder=views))


@app.command(epilog="Example: runner tasks niah.magic_number --sample")
def tasks(
    name: Annotated[str | None, typer.Argument(help="One task.")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Print one prompt.")] = False,
) -> None:
    """What can be swept: axes, published values, units, paper section."""
    from runner.commands.setup import tasks as command

    _leave(command.run(name=name, sample=sample))


@app.command(epilog="Example: runner models 'openai/gpt-4o*'")
def models(
    pattern: Annotated[str | None, typer.Argument(help="Only models matching this glob.")] = None,
) -> None:
    """Prices, context windows and parameters that are known."""
    from runner.commands.setup import models as command

    _leave(command.run(pattern=pattern))


@app.command(epilog="Example: runner check sweep.toml")
def check(config: Config = Path("sweep.toml")) -> None:
    """Keys present, endpoints answer, prices known, tokenizer ready, disk ok."""
    from runner.commands.setup import check as command

    _leave(command.run(config=config))


@app.command(epilog="Example: runner simulate --port 8000")
def simulate(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8000,
    config: Annotated[Path | None, typer.Option(help="The simulator's settings, TOML.")] = None,
) -> None:
    """A local server that speaks the three wire formats, with limits and faults."""
    from runner.commands.setup import simulate as command

    _leave(command.run(host=host, port=port, config=config))
