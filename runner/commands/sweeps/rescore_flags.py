"""The flags of `runner rescore`: by exact scorers, or by a model that judges."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from runner.commands.modes import only, refuse_foreign


class RescoreMode(StrEnum):
    """How `runner rescore` comes to scores, as its refusals name it."""

    EXACT = "a rescore without --judge"
    JUDGE = "--judge MODEL"


_OF_CALLS = only(RescoreMode.JUDGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreFlags:
    """What stands on the command line; flags of calls need a judge. Raises UsageError."""

    profile: str = "default"
    switches: tuple[str, ...] = ()
    judge: str | None = None
    budget: str | None = field(default=None, metadata=_OF_CALLS)
    config: Path | None = field(default=None, metadata=_OF_CALLS)
    retry_outcomes: str | None = field(default=None, metadata=_OF_CALLS)
    plain: bool = field(default=False, metadata=_OF_CALLS)

    def __post_init__(self) -> None:
        """Refuse what no call would be made for."""
        refuse_foreign(self, self.mode)

    @property
    def mode(self) -> RescoreMode:
        """Naming a model asks for its judgement."""
        return RescoreMode.EXACT if self.judge is None else RescoreMode.JUDGE
