"""`runner sweep`: flags over the config, then the real thing."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from runner.commands.sweeps.sweep_flags import (
    SweepFlags,
    apply_flags,
    parse_outcomes,
    planned,
    result_file,
)
from runner.config import sweep as configs
from runner.config.sweep import SweepConfig
from runner.engine.engine import SweepEnd
from runner.models.spec import require_prices
from runner.plan.fit import refuse_hopeless
from runner.plan.plan import Plan
from runner.progress.display import Display, choose
from runner.session.run import RunOptions, run_sweep
from runner.session.summary import end_lines
from runner.terminal.console import console
from state.sharing.reading import open_for_reading


def run(config: Path, flags: SweepFlags) -> int:
    """The command, from its flags to its exit code."""
    swept = apply_flags(configs.load(config), flags)
    db = result_file(config, swept, flags)
    plan = planned(swept, flags.where)
    display = choose(plain=flags.plain, json=flags.json)
    options = RunOptions(
        retry=parse_outcomes(flags.retry_outcomes),
        live_sql=flags.live_sql,
        save_prompts=flags.save_prompts,
        calibrate=flags.calibrate,
    )
    return run_plan(swept, plan, db, display, options)


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
        # Statistics take seconds and 60 MB to load: not before the sweep is over.
        from runner.report.tables import print_summary  # noqa: PLC0415

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
