"""What the flags of `runner sweep` make of a config: the sweep, its file and its plan."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runner.clock import SystemClock
from runner.config import sweep as configs
from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.models.spec import ModelSpec, resolve_all
from runner.plan.build import plan_sweep
from runner.plan.plan import Plan
from state.records import Outcome

Flags = Mapping[str, Any]


def result_file(config: Path, swept: SweepConfig, flags: Flags) -> Path:
    """Where results go: the flag, the config's own word, or a file named like the config."""
    return flags["db"] or swept.db or Path(f"{config.stem}.duckdb")


def planned(config: SweepConfig, condition: str | None = None) -> Plan:
    """The plan of a config, at today's prices."""
    models: tuple[ModelSpec, ...] = resolve_all(config, SystemClock().now_us())
    plan = plan_sweep(config, models)
    if condition is None:
        return plan
    # DuckDB evaluates the condition; without one it need not be loaded.
    from runner.commands.sweeps.sweep_filter import where  # noqa: PLC0415

    return where(plan, condition)


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
