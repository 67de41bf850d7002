"""Replies that a judge is to look at, with their texts on disk: a file may hold gigabytes of them.

The texts are in a file without a name, which nobody else can open and which goes with the process.
"""

import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from state.store import StoreError
from tasks.judge import Judged


class SpooledReplies(Mapping[str, Judged]):
    """By trial; a text is read when its reply is asked for, in any thread."""

    def __init__(self, folder: Path) -> None:
        self._texts = _nameless(folder)
        weakref.finalize(self, os.close, self._texts)
        self._end = 0
        self._kept: dict[str, tuple[str, str, int, int]] = {}

    def add(self, trial_id: str, task: str, target: str, text: str) -> None:
        """Keep one more reply. Raises OSError when there is no room for it."""
        data = text.encode()
        view = memoryview(data)
        while view:
            view = view[os.write(self._texts, view) :]
        self._kept[trial_id] = (task, target, self._end, len(data))
        self._end += len(data)

    def __getitem__(self, trial_id: str) -> Judged:
        task, target, start, length = self._kept[trial_id]
        text = os.pread(self._texts, length, start).decode()
        known: Mapping[str, Any] = orjson.loads(target)
        return Judged(trial_id=trial_id, task=task, target=known, text=text)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


def _nameless(folder: Path) -> int:
    """A descriptor of a file that has no name, in the folder or where the system has room."""
    for place in (folder, None):
        with suppress(OSError), tempfile.TemporaryFile(dir=place) as file:
            return os.dup(file.fileno())
    raise StoreError(f"{folder}: replies cannot be laid aside there for the judge")
