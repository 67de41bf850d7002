"""The folder beside a database that DuckDB puts there what does not fit into memory.

Nobody else can look into it, and it goes with whoever made it; one that a kill left behind goes
with the next writer.
"""

import glob
import os
import shutil
import stat
import tempfile
from pathlib import Path

from state.store import StoreError


def writers_folder(database: Path) -> Path:
    """The one of the database's writer, made empty."""
    remove(place(database))
    for left in database.parent.glob(f".{glob.escape(database.name)}.reading-*"):
        if not _is_running(left.name.rpartition("-")[2].partition("_")[0]):
            remove(left)
    folder = place(database)
    folder.mkdir(mode=0o700)
    return folder


def remove_writers(database: Path) -> None:
    """The same, when the writer goes."""
    remove(place(database))


def readers_folder(database: Path) -> Path:
    """One of its own for each reader; in the system's place where it cannot be beside the file."""
    name = f".{database.name}.reading-{os.getpid()}_"
    try:
        return Path(tempfile.mkdtemp(prefix=name, dir=database.parent))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="runner-reading-"))


def remove(folder: Path) -> None:
    """Remove such a folder, if it is there. Raises StoreError where a link or a file is."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise StoreError(f"{folder}: is in the way of what does not fit into memory; remove it")
    shutil.rmtree(folder, ignore_errors=True)


def place(database: Path) -> Path:
    """Where the writer's folder is."""
    return database.with_name(f".{database.name}.spill")


def _is_running(pid: str) -> bool:
    if not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
