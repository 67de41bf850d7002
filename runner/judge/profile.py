"""The profile and switches under which stored replies are scored again."""

from collections.abc import Sequence
from typing import Any

from runner.errors import UsageError
from tasks.profiles import PROFILES, Profile, effective
from tasks.sample import Scalar, TaskError


def chosen_profile(profile: str, switches: Sequence[str]) -> tuple[Profile, dict[str, Scalar]]:
    """What `--profile` and `--switch` mean. Raises UsageError naming the flag."""
    if profile not in PROFILES:
        raise UsageError(f"--profile {profile!r}: there are {', '.join(PROFILES)}")
    try:
        return profile, effective(profile, dict(map(parse_switch, switches)))
    except TaskError as error:
        raise UsageError(f"--switch {error}") from error


def parse_switch(text: str) -> tuple[str, Any]:
    """`name=value`, the value as TOML would read it, else as text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--switch {text!r}: must be name=value, like flenqa.answer=paper")
    literals: dict[str, Any] = {"true": True, "false": False}
    return name.strip(), literals.get(value.strip(), value.strip())
