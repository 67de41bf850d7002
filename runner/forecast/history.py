"""What was done and paid before, as a forecast takes it into account."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Trials that are done, and money that is gone."""

    exists: bool = False
    done: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    committed_pusd: int = 0
