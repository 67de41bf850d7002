"""Where a run may be killed: a process that is armed kills itself at the named step, whole or half.

Each point names a function that the step goes through; the process dies before it, after it, or,
for a write, in the middle. What is rare in a short sweep is made frequent in armed processes.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from runner.commands.results import parquet
from state.database import gather, load, migrate, opening, recovery, repair, writer
from state.database.writer import DuckWriter
from state.journal.journal import Journal
from state.sharing import live, quack, snapshot
from state.sharing.lock import WriterLock
from state.stores import duck
from state.stores.duck import DuckStore


class When(StrEnum):
    """On which side of a step."""

    BEFORE = "before"
    AFTER = "after"
    HALF = "half"
    """In the middle of what is written."""


class Kind(StrEnum):
    """What a run must be made to do, so that it comes to the step."""

    SWEEP = "sweep"
    CREATE = "create"
    RECOVER = "recover"
    SALVAGE = "salvage"
    MIGRATE = "migrate"
    RESCORE = "rescore"
    EXPORT = "export"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One step."""

    owner: Any
    attribute: str
    when: When
    kind: Kind = Kind.SWEEP
    most: int = 1
    """The process dies at one of so many times that it comes by."""


BOTH = (When.BEFORE, When.AFTER)
_STEPS: Sequence[tuple[Kind, Any, str, int]] = (
    (Kind.SWEEP, Journal, "write", 100),
    (Kind.SWEEP, Journal, "_rotate", 5),
    (Kind.SWEEP, Journal, "_begin", 5),
    (Kind.SWEEP, Journal, "trim", 5),
    (Kind.SWEEP, load.Loader, "load", 8),
    (Kind.SWEEP, load.Loader, "_insert", 30),
    (Kind.SWEEP, DuckWriter, "_checkpoint", 5),
    (Kind.SWEEP, gather, "gather", 6),
    (Kind.SWEEP, gather, "files", 6),
    (Kind.SWEEP, duck, "gather_at_rest", 1),
    (Kind.SWEEP, DuckWriter, "stop", 1),
    (Kind.SWEEP, DuckStore, "close", 1),
    (Kind.SWEEP, DuckStore, "progress", 1),
    (Kind.SWEEP, live.LiveChannel, "close", 1),
    (Kind.SWEEP, quack, "write_own", 1),
    (Kind.SWEEP, snapshot, "write_snapshot", 1),
    (Kind.SWEEP, snapshot, "literal", 1),
    (Kind.SWEEP, WriterLock, "release", 1),
    (Kind.CREATE, opening, "fresh_file", 1),
    (Kind.CREATE, opening, "initialise", 1),
    (Kind.CREATE, opening, "sync_folder", 1),
    (Kind.RECOVER, duck, "open_or_repair", 1),
    (Kind.RECOVER, opening, "check_version", 1),
    (Kind.RECOVER, repair, "prepare", 1),
    (Kind.RECOVER, repair, "recover", 1),
    (Kind.RECOVER, recovery, "set_foreign_aside", 1),
    (Kind.RECOVER, recovery, "load_journal", 1),
    (Kind.RECOVER, recovery, "_load", 1),
    (Kind.RECOVER, recovery, "fill_facts", 1),
    (Kind.RECOVER, recovery, "_close_killed", 1),
    (Kind.SALVAGE, repair, "_rebuild", 1),
    (Kind.SALVAGE, repair, "_salvage", 1),
    (Kind.SALVAGE, repair, "_salvage_table", 8),
    (Kind.SALVAGE, repair, "load_journal", 1),
    (Kind.SALVAGE, repair, "_counts", 2),
    (Kind.SALVAGE, repair, "_give_second_name", 2),
    (Kind.SALVAGE, repair, "sync_folder", 1),
    (Kind.MIGRATE, migrate, "_apply", 2),
    (Kind.MIGRATE, opening, "migrate", 1),
    (Kind.RESCORE, duck, "columns", 1),
    (Kind.RESCORE, DuckStore, "flush", 2),
    (Kind.EXPORT, parquet, "write_relation", 30),
    (Kind.EXPORT, parquet, "_write", 30),
)


def _points() -> Iterator[tuple[str, Point]]:
    for kind, owner, step, most in _STEPS:
        place = str(owner.__name__).rpartition(".")[2]
        for when in BOTH:
            point = Point(owner=owner, attribute=step, when=when, kind=kind, most=most)
            yield f"{kind} {place}.{step} {when}", point
    half = Point(owner=Journal, attribute="_append", when=When.HALF, most=100)
    yield "sweep Journal._append half", half


POINTS: Mapping[str, Point] = dict(_points())
AT_ANY_MOMENT = "at any moment"
"""A kill after some milliseconds, wherever the process is then."""


def die() -> NoReturn:
    """End at once, as a machine without power would have it."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody survives that")


def arm(name: str, times: int, *, lies: bool) -> None:
    """From now on this process is one that dies so; it may also take a sound file for damaged."""
    writer.CHECKPOINT_BYTES, writer.MAX_AGE_S = 60_000, 0.1
    assert Journal.__init__.__kwdefaults__ is not None
    Journal.__init__.__kwdefaults__["segment_bytes"] = 20_000
    gather.is_due = lambda *_: True
    if lies:
        _lie()
    if name == AT_ANY_MOMENT:
        threading.Timer(times / 1000, die).start()
    elif name:
        point = POINTS[name]
        original = getattr(point.owner, point.attribute)
        setattr(point.owner, point.attribute, _killing(original, point.when, times))


def _killing(original: Callable[..., Any], when: When, times: int) -> Callable[..., Any]:
    left = times

    def step(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0 and when is When.BEFORE:
            die()
        if left == 0 and when is When.HALF:
            journal, data = arguments
            os.write(journal._handle, data[: len(data) // 2])
            die()
        result = original(*arguments, **named)
        if left == 0:
            die()
        return result

    return step


def _lie() -> None:
    """Say once that the file cannot be read: all of it is then salvaged, and none of it lost."""
    honest, said = repair._read_everything, list[bool]()

    def lying(connection: Any) -> None:
        if not said:
            said.append(True)
            raise repair._UnreadableError
        honest(connection)

    repair._read_everything = lying
