"""Files beside a database: opened without following links, private, and ours.

In a folder that others may write to, a link that somebody planted under such a name would make us
write over a file of the user's, and a file of somebody else's would tell us what he likes.
"""

import errno
import os
import stat
from itertools import chain, count
from pathlib import Path

from state.stamps import utc_name
from state.store import StoreError

PRIVATE = 0o600


def open_own(path: Path, flags: int) -> int:
    """A descriptor of a plain file that this user owns; made private where it is made.

    Raises StoreError for a link, another kind of file or another owner, and OSError.
    """
    try:
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, PRIVATE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            refuse_link(path)
        raise
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_uid in (os.geteuid(), 0):
        return handle
    os.close(handle)
    if stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path}: belongs to another user; remove it")
    raise StoreError(f"{path}: is no plain file; remove it")


def refuse_link(path: Path) -> None:
    """Raises StoreError where a link stands in the place of a file that another opens for us."""
    if path.is_symlink():
        raise StoreError(f"{path}: is a link, which runner never makes; remove it")


def read_own(path: Path, at_most: int) -> bytes:
    """What is in such a file. Raises StoreError and OSError."""
    handle = open_own(path, os.O_RDONLY)
    with os.fdopen(handle, "rb") as file:
        return file.read(at_most)


def write_own(path: Path, content: bytes) -> None:
    """Put content in place whole: written under another name, then renamed.

    Raises StoreError and OSError.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    handle = open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    fresh.replace(path)


def free_name(path: Path, word: str) -> Path:
    """A name beside the file that nothing has yet, for what is to be kept: `PATH.WORD-TIME`."""
    name = path.with_name(f"{path.name}.{word}-{utc_name()}")
    names = chain((name,), (name.with_name(f"{name.name}-{n}") for n in count(2)))
    return next(name for name in names if not os.path.lexists(name))
