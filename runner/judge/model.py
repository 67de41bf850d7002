"""Finds out how to reach the model that `--judge` names: its address, price and limits."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runner.config.complaints import did_you_mean, first_line
from runner.config.models import MODEL_TABLES, ModelConfig
from runner.config.no_keys import refuse_keys
from runner.errors import UsageError
from tasks.plain_files import read_plain_text


class _Models(BaseModel):
    """The `[[models]]` of a file; what else stands in it is a sweep's business."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    models: Annotated[tuple[ModelConfig, ...], Field(strict=False, min_length=1)]


_TABLES: Mapping[str, type[BaseModel]] = {"": _Models, **MODEL_TABLES}


def judge_model(
    model_id: str, config: Path | None, swept: Iterable[Mapping[str, Any]]
) -> ModelConfig:
    """The judge's table: from `--config`, else as the file's sweep had the model, else its id.

    Decoding parameters are taken from `--config` only: a sweep's are for the model under test.
    Raises UsageError in one line.
    """
    if config is not None:
        return _from_file(model_id, config)
    table: Mapping[str, Any] = next((t for t in swept if t.get("id") == model_id), {"id": model_id})
    try:
        return ModelConfig.model_validate({**table, "params": {}})
    except ValidationError as error:
        # What is wrong with the table as a whole comes without a key.
        line = first_line(error, f"--judge {model_id!r}", _TABLES).replace(": : ", ": ", 1)
        raise UsageError(f"{line}; --config FILE can hold its [[models]] table") from None


def _from_file(model_id: str, path: Path) -> ModelConfig:
    try:
        raw = tomllib.loads(read_plain_text(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not TOML, or not UTF-8
        raise UsageError(f"{path}: is not valid TOML in UTF-8: {error}") from error
    refuse_keys(raw, str(path))
    try:
        models = _Models.model_validate(raw).models
    except ValidationError as error:
        raise UsageError(first_line(error, str(path), _TABLES)) from None
    for model in models:
        if model.id == model_id:
            return model
    hint = did_you_mean(model_id, [model.id for model in models])
    raise UsageError(f"{path}: models: --judge {model_id!r} is not among them{hint}")
