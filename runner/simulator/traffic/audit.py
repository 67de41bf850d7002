"""The provider's memory: each request with its arrival, its tokens and what was billed."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from runner.simulator.account.bill import Tally


@dataclass(slots=True, kw_only=True)
class LogEntry:
    """One request as the server saw it; it is filled in while the request is served."""

    n: int
    """1-based, in order of arrival."""
    arrived_s: float
    """Simulated seconds since the server's start."""
    finished_s: float | None = None
    dialect: str = ""
    path: str = ""
    model: str = ""
    account: str = ""
    """A fingerprint of the key; the key itself is kept nowhere."""
    key_accepted: bool = False
    prompt_hash: str = ""
    prompt_chars: int = 0
    max_tokens: int | None = None
    stream: bool = False
    in_flight: int = 0
    """Requests in flight at arrival, this one included."""
    fault: str = "ok"
    outcome: str = ""
    """replied, refused (by the server), rate_limited, lost (on its way), page (no call at all)."""
    status: int = 0
    tally: Tally = field(default_factory=Tally)
    billed: bool = False
    cost_pusd: int = 0

    def to_json(self) -> dict[str, Any]:
        """The entry as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Totals over a log."""

    requests: int
    billed: int
    cost_pusd: int
    input_tokens: int
    output_tokens: int
    max_in_flight: int
    outcomes: dict[str, int]
    statuses: dict[str, int]


class AuditLog:
    """All requests since the server's start, and how many were ever in flight at once."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []
        self.in_flight = 0
        self.max_in_flight = 0
        self._charged: Counter[str] = Counter()

    def open(self, now_s: float) -> LogEntry:
        """Begin an entry, in flight."""
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        entry = LogEntry(n=len(self.entries) + 1, arrived_s=now_s, in_flight=self.in_flight)
        self.entries.append(entry)
        return entry

    def close(self, entry: LogEntry, now_s: float) -> None:
        """The request is no longer in flight, however it ended."""
        if entry.finished_s is None:
            entry.finished_s = now_s
            self.in_flight -= 1

    def charge(self, entry: LogEntry, cost_pusd: int) -> None:
        """Bill an entry."""
        entry.billed = True
        entry.cost_pusd = cost_pusd
        self._charged[entry.account] += cost_pusd

    def charged_pusd(self, account: str) -> int:
        """Add up what an account owes so far."""
        return self._charged[account]

    def bill(self) -> Bill:
        """Add up the totals so far."""
        calls = [entry for entry in self.entries if entry.outcome != "page"]
        billed = [entry for entry in calls if entry.billed]
        return Bill(
            requests=len(calls),
            billed=len(billed),
            cost_pusd=sum(entry.cost_pusd for entry in billed),
            input_tokens=sum(entry.tally.total_input for entry in billed),
            output_tokens=sum(entry.tally.total_output for entry in billed),
            max_in_flight=self.max_in_flight,
            outcomes=dict(Counter(entry.outcome for entry in calls)),
            statuses=dict(Counter(str(entry.status) for entry in calls)),
        )
