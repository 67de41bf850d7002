"""The flags of `runner report`, and which of them a comparison of files knows nothing of."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from runner.commands.modes import only, refuse_foreign
from runner.errors import UsageError
from tasks.profiles import SWITCHES


class ReportMode(StrEnum):
    """What `runner report` does, as its refusals name it."""

    ONE_FILE = "the report of one file"
    COMPARE = "a comparison of files"


_OF_ONE = only(ReportMode.ONE_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFlags:
    """What stands on the command line. Raises UsageError."""

    files: tuple[Path, ...] = ()
    html: Path | None = field(default=None, metadata=_OF_ONE)
    png: Path | None = field(default=None, metadata=_OF_ONE)
    model: str | None = None
    task: str | None = None
    threshold: float | None = field(default=None, metadata=_OF_ONE)
    interval: str | None = None
    views: Path | None = field(default=None, metadata=_OF_ONE)
    by: str | None = field(default=None, metadata=_OF_ONE)
    where: str | None = field(default=None, metadata=_OF_ONE)
    paper: Path | None = field(default=None, metadata=_OF_ONE)

    def __post_init__(self) -> None:
        """Refuse what would do nothing, then what cannot be."""
        refuse_foreign(self, self.mode)
        allowed = SWITCHES["report.interval"].allowed
        if self.interval is not None and self.interval not in allowed:
            words = " or ".join(map(str, allowed))
            raise UsageError(f"--interval {self.interval!r}: must be {words}")

    @property
    def mode(self) -> ReportMode:
        """Several files are compared."""
        return ReportMode.COMPARE if len(self.files) > 1 else ReportMode.ONE_FILE
