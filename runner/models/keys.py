"""API keys: read from the environment by name, masked wherever they might be printed."""

from collections.abc import Iterable, Mapping

from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.secret import Secret
from runner.vendors import accepted_variables


def read_key(model: ModelSpec, environ: Mapping[str, str], where: str) -> Secret | None:
    """The key, or None if the model wants none. Raises UsageError naming file, key, variable."""
    name = model.api_key_env
    if name is None:
        return None
    names = accepted_variables(name)
    for candidate in names:
        value = environ.get(candidate, "").strip()
        if value:
            return _checked(value, f"{where}: models[{model.id}].api_key_env: {candidate}")
    said = " or ".join(names)
    raise UsageError(
        f"{where}: models[{model.id}].api_key_env: the environment variable {said} is not set; "
        f"export it, or name another one"
    )


def read_keys(
    models: Iterable[ModelSpec], environ: Mapping[str, str], where: str
) -> dict[str, Secret | None]:
    """The key of every account. Raises UsageError for the first that is missing."""
    return {model.account: read_key(model, environ, where) for model in models}


_NEVER = frozenset(" \"'`")
"""A file of variables that was read without a shell leaves its quotes in the value."""


def _checked(value: str, where: str) -> Secret:
    # A header cannot carry these; the error of the HTTP library would repeat the value.
    if not value.isascii() or not value.isprintable() or _NEVER & set(value):
        raise UsageError(f"{where} holds characters that no key has (a line break? quotes?)")
    return Secret(value)
