"""Reads sweep.toml into a frozen, checked record; whatever is wrong is one line and nothing more.

Only text from outside is parsed here. Nothing is looked up: prices, windows and keys are resolved
by `runner.models.spec` and `runner.models.keys`.
"""

import fnmatch
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticKnownError

from runner.config.complaints import did_you_mean, first_line
from runner.config.models import MAX_REPEATS, MODEL_TABLES, ModelConfig, Strict, check_distinct
from runner.config.no_keys import refuse_keys
from runner.config.tasks import Defaults, TaskConfig, existing, read_tasks
from runner.errors import UsageError
from runner.money.price import parse_usd
from tasks.plain_files import read_plain_text
from tasks.profiles import PROFILES, SWITCHES, Profile, effective
from tasks.sample import Scalar, TaskError

MAX_SEED = 2**31 - 1
"""A trial's seed is the sweep's seed and the repeat in one BIGINT."""
MAX_CONCURRENCY = 100_000
_UNITS_S = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?(s|min|h|d)")


def _beside(value: Any, info: ValidationInfo) -> Any:
    """A text as the path that it means in the config's folder; the context is that folder."""
    return info.context / value if isinstance(value, str) and info.context else _no_text(value)


def _existing(value: Any, info: ValidationInfo) -> Any:
    """The same, where something has to be."""
    return (
        existing(info.context, value)
        if isinstance(value, str) and info.context
        else _no_text(value)
    )


def _no_text(value: Any) -> Any:
    if isinstance(value, Path):
        return value
    raise PydanticKnownError("string_type")


BesideConfig = Annotated[Path, BeforeValidator(_beside)]
Existing = Annotated[Path, BeforeValidator(_existing)]


class SweepSection(Strict):
    """The `[sweep]` table."""

    name: Annotated[str, Field(min_length=1, max_length=200)] = "sweep"
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 0
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 1
    budget_pusd: Annotated[int | None, Field(alias="budget")] = None
    profile: Profile = "default"
    overrides: dict[str, Any] = Field(alias="switches", default_factory=dict[str, Any])
    """Single switches that differ from the profile."""
    interval: Literal["cluster", "wilson"] | None = None
    """The switch `report.interval`, as it is mostly set."""
    prompts: Existing | None = None
    haystack: Existing | None = None
    concurrency: Annotated[int | None, Field(ge=1, le=MAX_CONCURRENCY)] = None
    patience_s: Annotated[float, Field(alias="patience")] = 1800.0
    """How long an endpoint may be gone before its models end, to be resumed."""
    db: BesideConfig | None = None
    calibrate_from: Annotated[tuple[Existing, ...], Field(strict=False)] = ()
    """Earlier result files, whose usage tells how this sweep's prompts will be billed."""

    @field_validator("budget_pusd", mode="before")
    @classmethod
    def _budget(cls, value: Any) -> int | None:
        if not isinstance(value, str):
            raise ValueError(f'must be text with its unit, like "{value}usd"')  # noqa: TRY004
        try:
            return parse_usd(value)
        except UsageError as error:
            raise ValueError(str(error)) from error

    @field_validator("patience_s", mode="before")
    @classmethod
    def _patience(cls, value: Any) -> float:
        found = _DURATION.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise ValueError('must be text with its unit, like "30min", "45s", "2h" or "3d"')
        return float(found[1]) * _UNITS_S[found[2]]

    @field_validator("overrides")
    @classmethod
    def _switches(cls, value: dict[str, Any]) -> dict[str, Any]:
        """`flenqa.answer = ...` unquoted is a table in a table; both spellings mean the same."""
        flat: dict[str, Any] = {}
        for key, item in value.items():
            if isinstance(item, dict):
                inner = cast("dict[str, Any]", item)
                flat.update({f"{key}.{name}": leaf for name, leaf in inner.items()})
            else:
                flat[key] = item
        unknown = [name for name in flat if name not in SWITCHES]
        if unknown:
            raise ValueError(f"no switch {unknown[0]!r}{did_you_mean(unknown[0], SWITCHES)}")
        try:
            effective("default", flat)
        except TaskError as error:
            raise ValueError(str(error).removeprefix("switches: ")) from error
        return flat


class _SweepFile(Strict):
    """The whole file, its paths and tasks still unread."""

    sweep: SweepSection = Field(default_factory=SweepSection)
    models: Annotated[tuple[ModelConfig, ...], Field(strict=False, min_length=1)]
    tasks: Annotated[tuple[dict[str, Any], ...], Field(strict=False, min_length=1)]

    @field_validator("models")
    @classmethod
    def _distinct(cls, models: tuple[ModelConfig, ...]) -> tuple[ModelConfig, ...]:
        check_distinct(models)
        return models


_TABLES: Mapping[str, type[BaseModel]] = {
    "": _SweepFile,
    "sweep": SweepSection,
    **MODEL_TABLES,
}
"""Which record reads which table, so that an unknown key can be told its neighbours."""


class SweepConfig(SweepSection):
    """What the user wrote, checked: the `[sweep]` table, with the models and tasks beside it."""

    models: tuple[ModelConfig, ...]
    tasks: tuple[TaskConfig, ...]
    path: Path | None = None
    """The file it came from; None when it was built in code."""

    @property
    def where(self) -> str:
        """What error lines call it."""
        return str(self.path) if self.path is not None else "the config"

    @property
    def switches(self) -> dict[str, Scalar]:
        """Every switch with its effective value."""
        return effective(self.profile, self.set_switches)

    @property
    def set_switches(self) -> dict[str, Scalar]:
        """The switches that the file sets."""
        own = {} if self.interval is None else {"report.interval": self.interval}
        return {**self.overrides, **own}

    def to_json(self) -> dict[str, Any]:
        """All settings as JSON values; holds names of key variables, never keys."""
        return {
            "sweep": {
                "name": self.name,
                "seed": self.seed,
                "repeats": self.repeats,
                "budget_pusd": self.budget_pusd,
                "profile": self.profile,
                "switches": self.set_switches,
                "concurrency": self.concurrency,
                "patience_s": self.patience_s,
                "calibrate_from": [str(path) for path in self.calibrate_from],
            },
            "models": [model.model_dump(mode="json", exclude_none=True) for model in self.models],
            "tasks": [task.to_json() for task in self.tasks],
        }


def load(path: Path) -> SweepConfig:
    """The config in a file. Raises UsageError with one line when anything in it is wrong."""
    return parse(_read_text(path), path)


def parse(text: str, path: Path) -> SweepConfig:
    """The config in a TOML text; `path` names it in errors, and relative paths start there."""
    where = str(path)
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for numbers and nests without an end
        raise UsageError(f"{where}: is not valid TOML: {error}") from error
    return from_document(raw, path)


def from_document(raw: Mapping[str, Any], path: Path) -> SweepConfig:
    """The config in tables and values, as TOML gives them."""
    where = str(path)
    refuse_keys(raw, where)
    try:
        document = _SweepFile.model_validate(raw, context=path.parent)
    except ValidationError as error:
        raise UsageError(first_line(error, where, _TABLES)) from None
    return _build(document, path)


def _read_text(path: Path) -> str:
    try:
        return read_plain_text(path)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file; `runner init` writes one to start from") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not a text file in UTF-8") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error


def _build(document: _SweepFile, path: Path) -> SweepConfig:
    section = document.sweep
    defaults = Defaults(folder=path.parent, haystack=section.haystack, prompts=section.prompts)
    tasks = read_tasks(document.tasks, defaults, str(path))
    return SweepConfig.model_construct(
        None, **dict(section), models=document.models, tasks=tasks, path=path
    )


def with_budget(config: SweepConfig, budget: str) -> SweepConfig:
    """The config under `--budget`."""
    try:
        return config.model_copy(update={"budget_pusd": parse_usd(budget)})
    except UsageError as error:
        raise UsageError(f"--budget {error}") from error


def fits(name: str, pattern: str) -> bool:
    """Whether a name is meant: by a glob, or by itself, since names hold brackets and stars too."""
    return name == pattern or fnmatch.fnmatchcase(name, pattern)


def with_models(config: SweepConfig, pattern: str) -> SweepConfig:
    """Only the models that `--models GLOB` names, by id or by the name without its provider."""
    kept = tuple(
        model for model in config.models if fits(model.id, pattern) or fits(model.name, pattern)
    )
    if not kept:
        hint = did_you_mean(pattern, [model.id for model in config.models])
        raise UsageError(f"--models {pattern!r}: no model of {config.where} fits{hint}")
    return config.model_copy(update={"models": kept})


def with_tasks(config: SweepConfig, pattern: str) -> SweepConfig:
    """Only the tasks that `--tasks GLOB` names."""
    kept = tuple(task for task in config.tasks if fits(task.name, pattern))
    if not kept:
        hint = did_you_mean(pattern, sorted({task.name for task in config.tasks}))
        raise UsageError(f"--tasks {pattern!r}: no task of {config.where} fits{hint}")
    return config.model_copy(update={"tasks": kept})


def with_profile(config: SweepConfig, profile: str) -> SweepConfig:
    """The config under `--profile`; single switches of the file still hold."""
    for known in PROFILES:
        if profile == known:
            return config.model_copy(update={"profile": known})
    raise UsageError(f"--profile {profile!r}: no such profile{did_you_mean(profile, PROFILES)}")


def with_concurrency(config: SweepConfig, concurrency: int) -> SweepConfig:
    """The config under `--concurrency`."""
    if not 1 <= concurrency <= MAX_CONCURRENCY:
        raise UsageError(f"--concurrency {concurrency}: must be from 1 to {MAX_CONCURRENCY}")
    return config.model_copy(update={"concurrency": concurrency})
