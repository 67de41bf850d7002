"""`runner sweep`: flags over the config, then a dry run, a rehearsal or the real thing."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from runner import config as configs
from runner.clock import SystemClock
from runner.commands.sweep_filter import where
from runner.config import SweepConfig
from runner.display import Display, choose
from runner.engine import SweepEnd
from runner.errors import UsageError
from runner.feasible import refuse_hopeless
from runner.forecast.dry_run import dry_run
from runner.models import ModelSpec, require_prices, resolve_all
from runner.plan import Plan
from runner.report.tables import print_summary
from runner.session import RunOptions, run_sweep
from runner.summary import end_lines
from runner.terminal import console
from runner.wiring import plan_sweep
from state.reading import open_for_reading
from state.records import Outcome

Flags = Mapping[str, Any]


def run(config: Path, flags: Flags) -> int:
    """The command, from its flags to its exit code."""
    swept = apply_flags(configs.load(config), flags)
    db = flags["db"] or swept.db or Path(f"{config.stem}.duckdb")
    plan = planned(swept, flags["where"])
    if flags["dry_run"]:
        return dry_run(
            swept,
            plan,
            db,
            retry=parse_outcomes(flags["retry_outcomes"]),
            save_prompts=flags["save_prompts"],
            json=flags["json"],
        )
    display = choose(plain=flags["plain"], json=flags["json"])
    if not flags["resume"] and db.exists():
        raise UsageError(f"--no-resume: {db} exists; name another file with --db")
    options = RunOptions(
        retry=parse_outcomes(flags["retry_outcomes"]),
        live_sql=flags["live_sql"],
        save_prompts=flags["save_prompts"],
        calibrate=flags["calibrate"],
    )
    return run_plan(swept, plan, db, display, options)


def planned(config: SweepConfig, condition: str | None = None) -> Plan:
    """The plan of a config, at today's prices."""
    models: tuple[ModelSpec, ...] = resolve_all(config, SystemClock().now_us())
    plan = plan_sweep(config, models)
    return plan if condition is None else where(plan, condition)


def run_config(config: SweepConfig, db: Path, *, plain: bool = False) -> int:
    """Sweep a config that was built in code."""
    display = choose(plain=plain, json=False)
    return run_plan(config, planned(config), db, display, RunOptions())


def run_plan(
    config: SweepConfig, plan: Plan, db: Path, display: Display, options: RunOptions
) -> int:
    """Check what can be known beforehand, run, and show what came of it."""
    if config.budget_pusd is not None:
        require_prices([model.model for model in plan.models], config.where)
    refuse_hopeless(config, plan)
    with display:
        end = run_loop(lambda: run_sweep(config, plan, db, display, options))
        show_end(db, display, end)
    return end.exit_code


def show_end(db: Path, display: Display, end: SweepEnd) -> None:
    """The result tables, then how it ended and what comes next."""
    if display.for_people:
        with open_for_reading(db) as reader:
            print_summary(reader.connection, console())
    for line in end_lines(end):
        display.say(line)


def run_loop(main: Callable[[], Coroutine[Any, Any, SweepEnd]]) -> SweepEnd:
    """Run on uvloop where there is one; Ctrl-C is handled by the session, not by asyncio."""
    factory = None
    if sys.platform != "win32":
        import uvloop  # noqa: PLC0415  not installed on Windows

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as loop:
        return loop.run(main())


def apply_flags(config: SweepConfig, flags: Flags) -> SweepConfig:
    """The config as the flags change it. Raises UsageError naming the flag."""
    for flag, change in (
        ("budget", configs.with_budget),
        ("models", configs.with_models),
        ("tasks", configs.with_tasks),
        ("profile", configs.with_profile),
        ("concurrency", configs.with_concurrency),
    ):
        if flags[flag] is not None:
            config = change(config, flags[flag])
    return config


def parse_outcomes(text: str | None) -> frozenset[str]:
    """`timeout,transient` as a set. Raises UsageError for a word that is no outcome."""
    if text is None:
        return frozenset()
    words = frozenset(word.strip() for word in text.split(",") if word.strip())
    known = {str(outcome) for outcome in Outcome}
    for word in words:
        if word.partition(":")[0] not in known:
            raise UsageError(
                f"--retry-outcomes {word!r}: no such outcome; there are {', '.join(sorted(known))}"
            )
    return words
