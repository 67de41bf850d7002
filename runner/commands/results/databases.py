"""Finds the file that a command means when the user did not name one."""

from pathlib import Path

from runner.errors import UsageError

SUFFIX = ".duckdb"


def find(given: Path | None) -> Path:
    """The named file, or the only .duckdb file of the current folder."""
    if given is not None:
        return given
    found = sorted(Path().glob(f"*{SUFFIX}"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"no {SUFFIX} file in this folder; name one, or start with `runner demo`")
    names = ", ".join(str(path) for path in found)
    raise UsageError(f"several {SUFFIX} files in this folder ({names}); name one")


def split_query(first: str | None, second: str | None) -> tuple[Path, str | None]:
    """`sql [DB] [QUERY]`: with one argument, a file is the file and anything else is the query."""
    if first is None or second is not None:
        return find(None if first is None else Path(first)), second
    if first.endswith(SUFFIX) or Path(first).is_file():
        return Path(first), None
    return find(None), first


def split_folder(first: str | None, second: str | None) -> tuple[Path, Path]:
    """`export [DB] DIR`: with one argument, it is the folder."""
    if second is not None:
        return find(None if first is None else Path(first)), Path(second)
    if first is None:
        raise UsageError("export: name the folder to write to, like `runner export parquet`")
    return find(None), Path(first)
