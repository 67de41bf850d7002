"""Opens a sweep's file with the views that its reader should see, without writing to it.

A file keeps views for other programs. They are not read here, since anybody may have written the
file: a reader gets temporary ones in front of them, with a threshold or intervals of its own where
it asks for them.
"""

from collections.abc import Set
from dataclasses import replace
from pathlib import Path

from queries.catalog import install, install_temporary, up_to_date, views
from state.sharing.reading import Reader, open_for_reading
from state.sharing.remote import LiveConnection

# DuckDB writes some words as a file's storage version has them, and unordered lists in any order.
_DIFFERING = """
with views as (
    select
        view_name,
        temporary,
        list_sort(list_filter(
            string_split_regex(sql[position(' AS ' in sql):], '[^A-Za-z0-9_.]+'),
            lambda word: word not in ('CROSS', 'JOIN', 'NOT', 'MATERIALIZED', 'lambda', '')
        )) as words
    from duckdb_views()
    where not internal
)

select stored.view_name
from views as stored
inner join views as ran using (view_name)
where not stored.temporary and ran.temporary and stored.words <> ran.words
order by 1
"""
_NAMED = 5


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
            reader = _naming_what_differs(reader, {"settings"} if own else set())
    except BaseException:
        reader.close()
        raise
    return reader


def _naming_what_differs(reader: Reader, asked_for: Set[str]) -> Reader:
    """Say which views of the file are not what ran in their place, where nobody asked for that."""
    found = [row[0] for row in reader.connection.execute(_DIFFERING).fetchall()]
    names = [name for name in found if name not in asked_for and name in _shipped()]
    if not names:
        return reader
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    said = (
        "views of the file that are not this runner's were not run, but its own in their place: "
        f"{', '.join(names[:_NAMED])}{more}"
    )
    return replace(reader, notice="; ".join(filter(None, (reader.notice, said))))


def _shipped() -> Set[str]:
    return {view.name for view in views()}


def _with_own_tables(reader: Reader) -> Reader:
    """A writer answers with its own views, so its tables are fetched where others are wanted."""
    connection: object = reader.connection
    if not isinstance(connection, LiveConnection):
        return reader
    return replace(reader, connection=connection.fetched())
