"""The commands and their flags; each command's code is imported when it runs.

Imports stay inside commands on purpose: DuckDB, plotting and HTTP take seconds that `--help` and a
mistyped flag must not wait for. Annotations stay text until typer reads them, since the overview
lists these commands without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from runner.commands.entry import Commands

if TYPE_CHECKING:
    import typer
else:
    from runner.commands.entry import typer

COMMANDS = Commands()


def _config() -> Any:
    return typer.Argument(help="The sweep's config.")


def _db() -> Any:
    return typer.Argument(help="The sweep's file; found when left out.")


def _views() -> Any:
    return typer.Option("--views", help="A folder of .sql files: own views, or ours replaced.")


def _database(given: Path | None) -> Path:
    from runner.commands.results import databases

    return databases.find(given)


@COMMANDS.entry(
    "init [DIR]", "a commented sweep.toml that passes --dry-run", "runner init my-sweep"
)
def init(
    directory: Annotated[Path, typer.Argument(help="Where to write sweep.toml.")] = Path(),
) -> int:
    """Write a commented sweep.toml that passes --dry-run."""
    from runner.commands.setup import init as command

    return command.run(directory=directory)


@COMMANDS.entry(
    "demo", "a small real sweep of a real local model: no key, no config", "runner demo"
)
def demo(
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, no live display.")] = False,
) -> int:
    """A small real sweep of a real local model: no key, no config."""
    from runner.commands.setup import demo as command

    return command.run(plain=plain)


@COMMANDS.entry(
    "sweep [CONFIG]",
    "run it, or go on with it (default ./sweep.toml)",
    "runner sweep sweep.toml --budget 500usd --resume",
)
def sweep(  # noqa: PLR0913, PLR0917  one parameter a flag is what a command line is
    config: Annotated[Path, _config()] = Path("sweep.toml"),
    budget: Annotated[str | None, typer.Option(help="Hard cap, like 500usd.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an existing file, as is usual.")
    ] = False,
    no_resume: Annotated[
        bool, typer.Option("--no-resume", help="Go on with no file: one that exists is refused.")
    ] = False,
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
) -> int:
    """Run a sweep, or go on with it."""
    from runner.commands.sweeps.sweep_flags import SweepFlags, SweepMode

    flags = SweepFlags(
        dry_run=dry_run,
        rehearse=rehearse,
        budget=budget,
        resume=resume,
        no_resume=no_resume,
        db=db,
        calibrate=calibrate,
        models=models,
        tasks=tasks,
        where=where,
        concurrency=concurrency,
        retry_outcomes=retry_outcomes,
        save_prompts=save_prompts,
        profile=profile,
        plain=plain,
        json=json,
        live_sql=live_sql,
    )
    match flags.mode:
        case SweepMode.DRY_RUN:
            from runner.commands.sweeps import dry_run as command
        case SweepMode.REHEARSE:
            from runner.commands.sweeps import rehearse as command
        case SweepMode.SWEEP:
            from runner.commands.sweeps import sweep as command
    return command.run(config=config, flags=flags)


@COMMANDS.entry(
    "status [DB]",
    "progress, spend, what it waits for; works on a live run",
    "runner status sweep.duckdb",
)
def status(db: Annotated[Path | None, _db()] = None) -> int:
    """Progress, spend, and what a sweep waits for; works on a live run."""
    from runner.commands.results import status as command

    return command.run(db=_database(db))


@COMMANDS.entry(
    "report [DB...]",
    "tables; --html FILE, --png DIR, --paper DIR; --by AXES; of two files: changes",
    "runner report sweep.duckdb --html report.html --png pictures",
)
def report(  # noqa: PLR0913, PLR0917  one parameter a flag
    db: Annotated[
        list[Path] | None,
        typer.Argument(help="The sweep's file, found when left out; or files to compare."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write pictures into this folder.")] = None,
    model: Annotated[str | None, typer.Option(help="Only models matching this glob.")] = None,
    task: Annotated[str | None, typer.Option(help="Only tasks matching this glob.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Accuracy that effective context must hold, like 0.75.")
    ] = None,
    interval: Annotated[
        str | None, typer.Option(help="cluster, or wilson as in Needle Threading's figures.")
    ] = None,
    views: Annotated[Path | None, _views()] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="AXES", help="Split by these axes, like cot,padding; '' pools everything."
        ),
    ] = None,
    where: Annotated[str | None, typer.Option(help="Only cells for which this SQL holds.")] = None,
    paper: Annotated[
        Path | None,
        typer.Option(help="Write SVG, PDF and PNG of a paper column's width into this folder."),
    ] = None,
) -> int:
    """Tables in the terminal; pictures and a page on request; of several files, what changed."""
    from runner.commands.results.report_flags import ReportFlags

    files = tuple(db or ())
    flags = ReportFlags(
        files=files,
        html=html,
        png=png,
        model=model,
        task=task,
        threshold=threshold,
        interval=interval,
        views=views,
        by=by,
        where=where,
        paper=paper,
    )
    if len(flags.files) > 1:
        from runner.commands.results import compare

        return compare.run(flags.files, model=model, task=task, interval=interval)
    from queries.split import Split
    from runner.commands.results import report as command

    return command.run(
        db=_database(files[0] if files else None),
        html=html,
        png=png,
        model=model,
        task=task,
        threshold=threshold,
        interval=interval,
        folder=views,
        split=Split.told(by, where),
        paper=paper,
    )


@COMMANDS.entry(
    "sql [DB] [QUERY]",
    "SQL; works on a live run; --format table|csv|json|jsonl|markdown|latex|parquet",
    'runner sql sweep.duckdb "from cell_accuracy"',
)
def sql(
    db: Annotated[str | None, typer.Argument(help="The sweep's file (or the query).")] = None,
    query: Annotated[str | None, typer.Argument(help="SQL; standard input if left out.")] = None,
    fmt: Annotated[
        str, typer.Option("--format", help="table, csv, json, jsonl, markdown, latex or parquet.")
    ] = "table",
    views: Annotated[Path | None, _views()] = None,
) -> int:
    """SQL over the sweep's file; works on a live run."""
    from runner.commands.results import databases

    path, text = databases.split_query(db, query)
    from runner.commands.results import sql as command

    return command.run(db=path, query=text, fmt=fmt, folder=views)


@COMMANDS.entry(
    "show ID [DB]",
    "one trial: exact prompt, reply, attempts, score, cost",
    "runner show 3f2a sweep.duckdb",
)
def show(
    trial: Annotated[str, typer.Argument(metavar="ID", help="A trial's id or its start.")],
    db: Annotated[Path | None, _db()] = None,
) -> int:
    """One trial: exact prompt, reply, attempts, score, cost."""
    from runner.commands.results import show as command

    return command.run(trial=trial, db=_database(db))


@COMMANDS.entry(
    "rescore [DB]",
    "judge stored replies again, e.g. --profile official; no call is made",
    "runner rescore sweep.duckdb --profile official",
)
def rescore(  # noqa: PLR0913, PLR0917  one parameter a flag is what a command line is
    db: Annotated[Path | None, _db()] = None,
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
) -> int:
    """Judge stored replies again, earlier scores stay; without --judge no call is made."""
    from runner.commands.sweeps.rescore_flags import RescoreFlags

    flags = RescoreFlags(
        profile=profile,
        switches=tuple(switch or ()),
        judge=judge,
        budget=budget,
        config=config,
        retry_outcomes=retry_outcomes,
        plain=plain,
    )
    if judge is None:
        from runner.commands.sweeps import rescore as exact

        return exact.run(db=_database(db), flags=flags)
    from runner.commands.sweeps import judge as by_model

    return by_model.run(db=_database(db), model=judge, flags=flags)


@COMMANDS.entry(
    "import KIND FILE",
    "official data sets as tasks (needle-threading, flenqa, needlechain)",
    "runner import needlechain k10.jsonl",
)
def import_(
    kind: Annotated[str, typer.Argument(help="needle-threading, flenqa or needlechain.")],
    file: Annotated[Path, typer.Argument(help="json, jsonl, zip or parquet.")],
    out: Annotated[Path | None, typer.Option(help="Where to write the data file.")] = None,
) -> int:
    """Official data sets as tasks that sweep like generated ones."""
    from runner.commands.setup import import_data as command

    return command.run(kind=kind, file=file, out=out)


@COMMANDS.entry(
    "export [DB] DIR", "Parquet, one file per table and view", "runner export sweep.duckdb parquet"
)
def export(
    db: Annotated[str | None, typer.Argument(help="The sweep's file (or the folder).")] = None,
    directory: Annotated[str | None, typer.Argument(metavar="DIR")] = None,
    views: Annotated[Path | None, _views()] = None,
) -> int:
    """Parquet, one file per table and view."""
    from runner.commands.results import databases

    path, folder = databases.split_folder(db, directory)
    from runner.commands.results import export as command

    return command.run(db=path, directory=folder, folder=views)


@COMMANDS.entry(
    "reproduce PAPER",
    "its grid as a config, with its cost; given [DB], its tables beside ours",
    "runner reproduce flenqa --model openai/gpt-4o-mini-2024-07-18",
)
def reproduce(  # noqa: PLR0913, PLR0917  one parameter a flag
    paper: Annotated[str, typer.Argument(help="needle-threading, flenqa, niah or needlechain.")],
    db: Annotated[
        Path | None, typer.Argument(help="A file of results; left out, the grid is written.")
    ] = None,
    table: Annotated[
        int | None, typer.Option(metavar="N", help="This table only, or its part of the grid.")
    ] = None,
    figure: Annotated[
        int | None, typer.Option(metavar="N", help="Draw this figure, as PNG, SVG and PDF.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model to ask, provider/model; may be repeated.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Where the models are served, as base_url in a config.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The config to write (PAPER.toml).")] = None,
    fmt: Annotated[
        str, typer.Option("--format", help="table, markdown, latex, csv or json.")
    ] = "table",
) -> int:
    """A paper's grid as a config with its cost; its tables, published numbers beside ours."""
    from runner.commands.setup import reproduce as command

    flags = command.ReproduceFlags(
        db=db,
        table=table,
        figure=figure,
        model=tuple(model or ()),
        base_url=base_url,
        out=out,
        format=fmt,
    )
    return command.run(name=paper, flags=flags)


@COMMANDS.entry(
    "tasks [NAME]",
    "what can be swept: axes, published values, units, paper section",
    "runner tasks niah.magic_number --sample",
)
def tasks(
    name: Annotated[str | None, typer.Argument(help="One task.")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Print one prompt.")] = False,
) -> int:
    """What can be swept: axes, published values, units, paper section."""
    from runner.commands.setup import tasks as command

    return command.run(name=name, sample=sample)


@COMMANDS.entry(
    "models [GLOB]",
    "prices, context windows and parameters that are known",
    "runner models 'openai/gpt-4o*'",
)
def models(
    pattern: Annotated[str | None, typer.Argument(help="Only models matching this glob.")] = None,
) -> int:
    """Prices, context windows and parameters that are known."""
    from runner.commands.setup import models as command

    return command.run(pattern=pattern)


@COMMANDS.entry(
    "check [CONFIG]",
    "keys present, endpoints answer, prices known, tokenizer ready, disk ok",
    "runner check sweep.toml",
)
def check(config: Annotated[Path, _config()] = Path("sweep.toml")) -> int:
    """Keys present, endpoints answer, prices known, tokenizer ready, disk ok."""
    from runner.commands.setup import check as command

    return command.run(config=config)


@COMMANDS.entry(
    "simulate",
    "a local server that speaks the three wire formats, with limits and faults",
    "runner simulate --port 8000",
)
def simulate(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8000,
    config: Annotated[Path | None, typer.Option(help="The simulator's settings, TOML.")] = None,
) -> int:
    """A local server that speaks the three wire formats, with limits and faults."""
    from runner.commands.setup import simulate as command

    return command.run(host=host, port=port, config=config)
