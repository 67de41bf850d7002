"""API keys: read from the environment by name, masked wherever they might be printed."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from runner.errors import UsageError
from runner.models import ModelSpec

_ALSO: Mapping[str, tuple[str, ...]] = MappingProxyType({"GEMINI_API_KEY": ("GOOGLE_API_KEY",)})
"""Other variables that the vendor's SDK accepts."""


class Secret:
    """A value that shows itself only when asked to."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value; for the header of a request, and for redaction."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a secret is never pickled")


def read_key(model: ModelSpec, environ: Mapping[str, str], where: str) -> Secret | None:
    """The key, or None if the model wants none. Raises UsageError naming file, key, variable."""
    name = model.api_key_env
    if name is None:
        return None
    names = (name, *_ALSO.get(name, ()))
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


def _checked(value: str, where: str) -> Secret:
    # A header cannot carry these; the error of the HTTP library would repeat the value.
    if not value.isascii() or not value.isprintable() or " " in value:
        raise UsageError(f"{where} holds characters that no key has (a line break? quotes?)")
    return Secret(value)
