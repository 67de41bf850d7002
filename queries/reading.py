"""Opens a sweep's file with the views that its reader should see, without writing to it.

A file keeps views for other programs. They are not read here, since anybody may have written the
file: a reader gets temporary ones in front of them, with a threshold or intervals of its own where
it asks for them.
"""

from dataclasses import replace
from pathlib import Path

from queries.catalog import install, install_temporary, up_to_date
from state.sharing.reading import Reader, open_for_reading
from state.sharing.remote import LiveConnection


def open_with_views(
    path: Path,
    folder: Path | None = None,
    threshold: float | None = None,
    interval: str | None = None,
) -> Reader:
    """Open for reading. Raises StoreError, or QueryError for a file of the folder, in one line."""
    reader = open_for_reading(path, install_views=install)
    try:
        own = any(told is not None for told in (folder, threshold, interval))
        if own or not reader.live or not up_to_date(reader.connection):
            reader = _with_own_tables(reader)
            install_temporary(reader.connection, folder, threshold, interval)
    except BaseException:
        reader.close()
        raise
    return reader


def _with_own_tables(reader: Reader) -> Reader:
    """A writer answers with its own views, so its tables are fetched where others are wanted."""
    connection: object = reader.connection
    if not isinstance(connection, LiveConnection):
        return reader
    return replace(reader, connection=connection.fetched())
