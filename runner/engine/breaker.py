"""Stops a model that refuses one request after another for the same reason."""

from runner.wire import Result
from state.records import Outcome

BREAKER_AFTER = 8
"""Identical invalid requests in a row, with nothing else between, that stop a model."""


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
