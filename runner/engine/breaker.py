"""Stops a model whose replies say nothing, one after another, and for the same reason.

It refuses each request, or its thinking uses up the output cap before an answer begins. Such
replies are paid for; a second thousand of them says no more than the first.
"""

from collections import Counter

from runner.wire import Result
from state.records import SCORED, Outcome

BREAKER_AFTER = 8
"""Identical invalid requests in a row, with nothing else between, that stop a model."""
STARVED_AFTER = 8
"""Replies of one kind in a row without visible text that stop a model."""

_NO_ANSWER = frozenset(
    {
        *(Outcome.RATE_LIMITED, Outcome.OVERLOADED, Outcome.TRANSIENT),
        *(Outcome.TIMEOUT, Outcome.CANCELLED),
    }
)
"""What says nothing of how requests are taken, so it neither counts nor starts a count anew."""


class Breaker:
    """Counts identical refusals; another answer between them starts the count anew."""

    __slots__ = ("_count", "_reason")

    def __init__(self) -> None:
        self._count = 0
        self._reason = ""

    def trips(self, result: Result) -> bool:
        """Take the lane's next result; whether it completes a row of identical refusals."""
        if result.outcome is not Outcome.INVALID_REQUEST:
            self._count = self._count if result.outcome in _NO_ANSWER else 0
            return False
        reason = result.fingerprint
        self._count = self._count + 1 if reason == self._reason else 1
        self._reason = reason
        return self._count >= BREAKER_AFTER


class Starvation:
    """Counts replies that ended at their cap without visible text, by kind of cell."""

    __slots__ = ("_in_a_row",)

    def __init__(self) -> None:
        self._in_a_row: Counter[str] = Counter()

    def minds(self, outcome: Outcome) -> bool:
        """Whether such a reply could change anything; nearly none can."""
        return outcome is Outcome.TRUNCATED_REASONING or bool(self._in_a_row)

    def trips(self, outcome: Outcome, *kinds: str) -> bool:
        """Take a reply and the kinds its cell is of; whether one of them has starved so often."""
        if outcome in SCORED:
            for kind in kinds:
                self._in_a_row.pop(kind, None)
        elif outcome is Outcome.TRUNCATED_REASONING:
            self._in_a_row.update(kinds)
            return any(self._in_a_row[kind] >= STARVED_AFTER for kind in kinds)
        return False
