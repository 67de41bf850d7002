"""The words of scoring: a reply, and what it is worth."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from msgspec import Struct, field


class Reply(Struct, frozen=True, kw_only=True, gc=False):
    """What a model answered: only replies that are answers reach a scorer."""

    text: str
    reasoning_text: str | None = None
    truncated: bool = False


class Score(Struct, frozen=True, kw_only=True, gc=False):
    """What one scorer says of one reply."""

    value: float
    """0 to 1."""
    label: str
    """What kind of answer it was, in the benchmark's own words."""
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON; what the views need beyond value and label."""


class Scorer(Protocol):
    """Judges replies of one benchmark family: pure, total, never raising on any text."""

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever the same reply could get another score."""

    def score(self, reply: Reply, target: Mapping[str, Any], switches: Mapping[str, Any]) -> Score:
        """The score of a reply to the sample with this target under these switches."""
        ...
