"""Tells an endpoint that is gone from a trial that fails, and says when to try whether it is back.

An endpoint is gone when one call after another fails before an answer: the connection is refused,
the name is not found, the proxy is dead, a gateway says 502. Then nothing is sent but one probe at
a time, after waits that grow, until one is answered or the patience is at its end. Refusals for a
rate are neither: a gateway refuses as well while nobody is behind it.

A trial that breaks the server by itself is told apart by the answers that others get between two of
its own failures: then it is a suspect, uses up its retries, and its failures speak for no outage.
"""

from enum import Enum, auto

from runner.wire import Result, RetryKind
from state.records import Outcome

OPENS_AFTER = 4
"""Failures in a row, with no answer between them, that make an outage."""
FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0


class Contact(Enum):
    """How far a call came, which is all that matters here."""

    ANSWERED = auto()
    """Somebody who is no gateway read the request and replied."""
    BROKEN = auto()
    """Perhaps the endpoint's doing, perhaps the request's own: a 5xx, a reset before any answer."""
    UNREACHED = auto()
    """Nothing of the request went out, so it is nobody's fault but the way's."""
    UNCLEAR = auto()
    """Refused for a rate, timed out, cut off, cancelled: it tells nothing."""


OF_AN_OUTAGE = frozenset({Outcome.TRANSIENT, Outcome.OVERLOADED, Outcome.TIMEOUT})
"""What calls end with while nobody answers."""
_UNCLEAR = frozenset({Outcome.RATE_LIMITED, Outcome.CANCELLED})
_AT_ONCE_OR_NEVER = frozenset({RetryKind.STALE_CONNECTION, RetryKind.NO})


def contact_of(result: Result) -> Contact:
    """How far the call came that ended so."""
    if result.outcome in OF_AN_OUTAGE:
        return _contact_of_failure(result)
    return Contact.UNCLEAR if result.outcome in _UNCLEAR else Contact.ANSWERED


def _contact_of_failure(result: Result) -> Contact:
    """A status below 500 was said by somebody who is there, about this call; but for a gateway
    that answers 200, with an error instead of a reply."""
    if result.retry.kind in _AT_ONCE_OR_NEVER:
        return Contact.UNCLEAR
    if result.outcome is Outcome.OVERLOADED:
        return Contact.BROKEN
    if result.http_status is None and not result.maybe_billed:
        return Contact.UNREACHED
    status = result.http_status
    gone = status is None or status >= 500 or (status < 300 and not result.maybe_billed)
    return Contact.BROKEN if gone and result.outcome is Outcome.TRANSIENT else Contact.UNCLEAR


class Outage:
    """The state of one lane's endpoint. It knows times, and neither waits nor sends."""

    __slots__ = (
        "_failures",
        "_opened",
        "_probing",
        "_since",
        "_wait_s",
        "answered_at",
        "patience_s",
        "probe_at",
    )

    def __init__(self, patience_s: float) -> None:
        self.patience_s = patience_s
        self._failures = 0
        self._since = self._opened = 0.0
        self._wait_s = 0.0
        self._probing = False
        self.probe_at: float | None = None
        """When the next probe may go out; None while there is no outage."""
        self.answered_at = float("-inf")
        """When the last call that was answered had been sent."""

    @property
    def open(self) -> bool:
        """Whether the endpoint is taken to be gone."""
        return self.probe_at is not None

    def wait_s(self, now: float) -> float | None:
        """Seconds until a call may go out; None while another is the probe."""
        if self.probe_at is None:
            return 0.0
        return None if self._probing else max(0.0, self.probe_at - now)

    def probe(self) -> None:
        """The call that goes out now is the probe."""
        self._probing = True

    def lasted_s(self, now: float) -> float:
        """Seconds since the first failure of the row."""
        return now - self._since if self._failures else 0.0

    def is_over_patience(self, now: float) -> bool:
        """Whether a probe has failed after all the time that there is for it."""
        return self.open and not self._probing and self.lasted_s(now) >= self.patience_s

    def take(self, contact: Contact, sent_at: float, now: float, *, suspect: bool = False) -> None:
        """Take the result of a call. An answer to one that was sent before the first failure of the
        row tells nothing of now: the endpoint may have gone while it answered."""
        is_probe = self.open and self._probing and sent_at > self._opened
        if contact is Contact.ANSWERED:
            self._answered(sent_at)
        elif contact is not Contact.UNCLEAR and not suspect:
            self._failed(now)
        if is_probe and self.open:
            self._failed_probe(now, grows=contact is not Contact.UNCLEAR)

    def _answered(self, sent_at: float) -> None:
        self.answered_at = max(self.answered_at, sent_at)
        if self._failures and sent_at >= self._since:
            self._failures = 0
            self.probe_at, self._probing = None, False

    def _failed(self, now: float) -> None:
        self._failures += 1
        if self._failures == 1:
            self._since = now
        if self._failures >= OPENS_AFTER and not self.open:
            self._opened, self._wait_s = now, FIRST_WAIT_S
            self.probe_at = now + FIRST_WAIT_S

    def _failed_probe(self, now: float, *, grows: bool) -> None:
        self._probing = False
        if grows:
            self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)
        left_s = self._since + self.patience_s - now
        # The last probe goes out when the patience ends, not before it, and not long after.
        self.probe_at = now + max(FIRST_WAIT_S, min(self._wait_s, left_s))
