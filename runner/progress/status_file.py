"""The running sweep's own words for other processes: a small file beside the database.

What a sweep waits for is in no table, since nothing has happened yet. The file is replaced whole,
so a reader never sees half of it, and it is removed when the sweep ends.
"""

from pathlib import Path

import orjson

from runner.clock import Clock
from runner.progress.view import SweepView
from state.side_files import write_own
from state.store import StoreError

EVERY_S = 1.0


class StatusFile:
    """A view hook that keeps `<db>.status` up to date."""

    def __init__(self, db: Path, clock: Clock) -> None:
        self.path = db.with_name(db.name + ".status")
        self._clock = clock
        self._next = 0.0

    def show(self, view: SweepView) -> None:
        """Write at most once a second; a full disk must not end a sweep that can still store."""
        now = self._clock.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY_S
        content = {**view.to_json(), "updated_at": self._clock.now_us()}
        try:
            write_own(self.path, orjson.dumps(content))
        except (OSError, StoreError):
            return

    def remove(self) -> None:
        """The sweep is over."""
        self.path.unlink(missing_ok=True)
