"""Stops a model whose thinking uses up its output cap before an answer begins.

Such replies are paid for and say nothing; a second thousand of them says no more than the first.
"""

from collections import Counter

from state.records import SCORED, Outcome

STARVED_AFTER = 8
"""Replies of one kind in a row without visible text that stop a model."""


class Starvation:
    """Counts replies that ended at their cap without visible text, by kind of cell."""

    __slots__ = ("_in_a_row",)

    def __init__(self) -> None:
        self._in_a_row: Counter[str] = Counter()

    def trips(self, outcome: Outcome, *kinds: str) -> bool:
        """Take a reply and the kinds its cell is of; whether one of them has starved so often."""
        if outcome in SCORED:
            for kind in kinds:
                self._in_a_row.pop(kind, None)
        elif outcome is Outcome.TRUNCATED_REASONING:
            self._in_a_row.update(kinds)
            return any(self._in_a_row[kind] >= STARVED_AFTER for kind in kinds)
        return False
