"""The text log beside a database."""

import errno
import io
from typing import Any

from runner.engine.observers.attempt_log import AttemptLog
from runner.engine.observers.events import Ended, Sent, Skipped
from state.records import Outcome
from tests.fakes.rows import attempt


class Full(io.StringIO):
    """A file on a full disk."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        super().close()
        raise OSError(errno.ENOSPC, "No space left on device")


def ended(stored: str, outcome: Outcome) -> Ended:
    row = attempt(outcome=stored)
    return Ended("compat/a", row, outcome, refused=False, input_tokens=0, output_tokens=0)


def test_what_gave_no_answer_has_a_line():
    out: Any = io.StringIO()
    log = AttemptLog(out, 0)
    log.take(ended("answered", Outcome.ANSWERED))
    log.take(ended("transient:reset", Outcome.TRANSIENT))
    log.take(Skipped("compat/a", attempt(outcome="over_context"), Outcome.OVER_CONTEXT))
    log.take(Sent("compat/a", "x.1", 0.0))
    told = [line.split(" ")[1:4:2] for line in out.getvalue().splitlines()]
    assert told == [["compat/a", "transient:reset"], ["compat/a", "over_context"]]


def test_a_line_that_cannot_be_written_ends_no_sweep():
    full: Any = Full()
    with AttemptLog(full, 0) as log:
        log.take(ended("transient:reset", Outcome.TRANSIENT))
        log.take(ended("transient:reset", Outcome.TRANSIENT))
    assert full.closed
