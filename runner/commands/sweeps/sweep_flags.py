"""The flags of `runner sweep`, and what they make of a config: the sweep, its file and its plan."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from runner.clock import SystemClock
from runner.commands.modes import only, refuse_foreign, refuse_together
from runner.config import sweep as configs
from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.models.spec import ModelSpec, resolve_all
from runner.plan.build import plan_sweep
from runner.plan.plan import Plan
from state.records import Outcome


class SweepMode(StrEnum):
    """What `runner sweep` does with a plan, as its refusals name it."""

    SWEEP = "a sweep"
    DRY_RUN = "--dry-run"
    REHEARSE = "--rehearse"


_OF_A_FILE = only(SweepMode.SWEEP, SweepMode.DRY_RUN)
"""A dry run reads the file that the sweep goes on with; a rehearsal always begins a new one."""
_OF_CALLS = only(SweepMode.SWEEP)
_EXCLUSIVE = (
    ("dry_run", "rehearse"),
    ("plain", "json"),
    ("resume", "no_resume"),
    ("no_resume", "retry_outcomes"),  # a new file holds no trial that has ended
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepFlags:
    """What stands on the command line; one that holds a flag of another mode cannot be made.

    Raises UsageError. `plain` is for every mode, since a dry run has no live display either.
    """

    dry_run: bool = False
    rehearse: bool = False
    budget: str | None = None
    resume: bool = field(default=False, metadata=_OF_A_FILE)
    no_resume: bool = field(default=False, metadata=_OF_A_FILE)
    db: Path | None = None
    calibrate: int = field(default=0, metadata=_OF_CALLS)
    models: str | None = None
    tasks: str | None = None
    where: str | None = None
    concurrency: int | None = None
    retry_outcomes: str | None = field(default=None, metadata=_OF_A_FILE)
    save_prompts: bool = field(default=False, metadata=_OF_A_FILE)
    profile: str | None = None
    plain: bool = False
    json: bool = False
    live_sql: bool = field(default=False, metadata=_OF_CALLS)

    def __post_init__(self) -> None:
        """Refuse flags that say different things, then those that would do nothing."""
        refuse_together(self, _EXCLUSIVE)
        refuse_foreign(self, self.mode)

    @property
    def mode(self) -> SweepMode:
        """What is done: a sweep, unless a flag says otherwise."""
        if self.dry_run:
            return SweepMode.DRY_RUN
        return SweepMode.REHEARSE if self.rehearse else SweepMode.SWEEP


def result_file(config: Path, swept: SweepConfig, flags: SweepFlags) -> Path:
    """Where results go: the flag, the config's own word, or a file named like the config.

    Raises UsageError where `--no-resume` was given and the file exists.
    """
    db = flags.db or swept.db or Path(f"{config.stem}.duckdb")
    if flags.no_resume and db.exists():
        raise UsageError(f"--no-resume: {db} exists; name another file with --db")
    return db


def planned(config: SweepConfig, condition: str | None = None) -> Plan:
    """The plan of a config, at today's prices."""
    models: tuple[ModelSpec, ...] = resolve_all(config, SystemClock().now_us())
    plan = plan_sweep(config, models)
    if condition is None:
        return plan
    # DuckDB evaluates the condition; without one it need not be loaded.
    from runner.commands.sweeps.sweep_filter import where  # noqa: PLC0415

    return where(plan, condition)


def apply_flags(config: SweepConfig, flags: SweepFlags) -> SweepConfig:
    """The config as the flags change it. Raises UsageError naming the flag."""
    if flags.budget is not None:
        config = configs.with_budget(config, flags.budget)
    if flags.models is not None:
        config = configs.with_models(config, flags.models)
    if flags.tasks is not None:
        config = configs.with_tasks(config, flags.tasks)
    if flags.profile is not None:
        config = configs.with_profile(config, flags.profile)
    if flags.concurrency is not None:
        config = configs.with_concurrency(config, flags.concurrency)
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
