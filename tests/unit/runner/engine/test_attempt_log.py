"""The text log beside a database."""

import errno
import io
from types import SimpleNamespace
from typing import Any

from runner.engine.attempt_log import AttemptLog
from tests.fakes.rows import attempt


class Full(io.StringIO):
    """A file on a full disk."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        super().close()
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_line_that_cannot_be_written_ends_no_sweep():
    lane: Any = SimpleNamespace(model=SimpleNamespace(id="compat/a"))
    full: Any = Full()
    with AttemptLog(full, 0) as log:
        log.attempt(lane, attempt(outcome="transient:reset"))
        log.attempt(lane, attempt(outcome="transient:reset"))
    assert full.closed
