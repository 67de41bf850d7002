"""Reads files that a user names: plain ones, of a size that such files have.

A device never ends, a pipe may never begin, and what is named may be neither a prompt nor a config.
"""

import errno
import os
import stat
from pathlib import Path

TEXT_BYTES = 16 << 20
"""Configs, prompts and queries are a thousand times smaller."""


def read_plain(path: Path, at_most: int = TEXT_BYTES) -> bytes:
    """What is in a file. Raises OSError, also for one that is not plain or too long."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        _refuse_special(os.fstat(handle))
        content = file.read(at_most + 1)
    if len(content) > at_most:
        raise OSError(errno.EINVAL, f"is longer than {at_most >> 20} MB")
    return content


def read_plain_text(path: Path, at_most: int = TEXT_BYTES) -> str:
    """The text in a file, its lines ended as here. Raises OSError and UnicodeDecodeError."""
    return read_plain(path, at_most).decode("utf-8").replace("\r\n", "\n")


def refuse_special(path: Path) -> None:
    """Raises OSError for a device, a pipe or a socket, before another opens it."""
    _refuse_special(path.stat())


def _refuse_special(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "is no plain file")
