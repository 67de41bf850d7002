"""What a user may set about a task besides its axes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tasks.sample import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """The settings a task is built with; all of them are part of a point's identity."""

    switches: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    """Full switch names to effective values (see `tasks.profiles`)."""
    haystack: Path | None = None
    """A folder of the user's own text files, instead of the seeded prose."""
    prompts: Path | None = None
    """A TOML file with the user's wording, instead of ours."""
    data: Path | None = None
    """Imported official rows, instead of generated samples."""
    needle: str | None = None
    """niah.custom: the sentence to hide."""
    question: str | None = None
    """niah.custom: what is asked about it."""
    answer: tuple[str, ...] = ()
    """niah.custom: keywords that a right reply contains."""
