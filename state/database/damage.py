"""What is wrong with a database that does not open, told from DuckDB's own words."""

from pathlib import Path

import duckdb

from state.journal.journal import segments
from state.store import StoreError

_DAMAGE = (
    "corrupt",
    "could not read enough bytes",
    "wal file",
    "checksum",
    "serializ",
    "invalidated",
)


def is_damage(error: duckdb.Error) -> bool:
    """Whether the file is broken, rather than foreign, newer, locked or out of reach."""
    text = str(error).lower()
    return any(word in text for word in (*_DAMAGE, "not a valid duckdb"))


def is_foreign(path: Path, error: duckdb.Error) -> bool:
    """Whether it is no database, and never was one: then there would be a journal beside it."""
    if "not a valid DuckDB" not in str(error):
        return False
    return all(segment.store_id is None for segment in segments(path))


def not_opened(path: Path, error: duckdb.Error) -> StoreError:
    """What to say of a file that is not for us to repair."""
    if is_foreign(path, error):
        return StoreError(f"{path.name}: not a runner file")
    reason = str(error).partition("\n")[0]
    return StoreError(f"{path.name}: cannot be opened: {reason}")
