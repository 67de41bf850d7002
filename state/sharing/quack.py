"""SQL on a database that another process is writing, through DuckDB's quack extension.

The writer serves queries on 127.0.0.1; address and token are in a file beside the database that
only its owner can read. The server takes nothing but queries, made of functions that do nothing but
answer; and the DuckDB that answers has no way to files, network, other extensions or servers, which
it cannot get back while it runs.
"""

import http.client
import importlib.util
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import duckdb
import orjson

from state.literals import literal
from state.sharing.guard import Guard
from state.side_files import read_own, write_own
from state.store import StoreError

_SUFFIX = ".token"
_MOST_BYTES = 4_096
_EXTENSIONS = ("httpfs", "quack")
_TRIES = 5
_GUARD = "runner_lets_in"
_RESPONDS_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a writer answers."""

    uri: str
    token: str

    def to_json(self) -> bytes:
        """What the token file holds."""
        return orjson.dumps({"uri": self.uri, "token": self.token})

    @property
    def attach_line(self) -> str:
        """What to paste into any DuckDB that has quack."""
        return f"ATTACH '{self.uri}' AS live (TOKEN '{self.token}');"

    def responds(self) -> bool:
        """Whether somebody is awake there. DuckDB's own client waits for minutes to find out."""
        there = http.client.HTTPConnection(self.uri.removeprefix("quack:"), timeout=_RESPONDS_S)
        try:
            there.request("GET", "/")
            there.getresponse()
        except (OSError, ValueError, http.client.HTTPException):
            return False
        finally:
            there.close()
        return True


def token_file(database: Path) -> Path:
    """The file that holds the address of a database's writer."""
    return database.with_name(database.name + _SUFFIX)


def read_address(database: Path) -> Address | None:
    """Where the writer of this database answers, if it does."""
    try:
        found: Any = orjson.loads(read_own(token_file(database), _MOST_BYTES))
        return Address(uri=str(found["uri"]), token=str(found["token"]))
    except (OSError, StoreError, ValueError, KeyError, TypeError):
        return None


def load_quack(connection: duckdb.DuckDBPyConnection) -> bool:
    """Load the extension from its wheel; False where there is none for this DuckDB."""
    paths = [_extension(name) for name in _EXTENSIONS]
    try:
        for path in paths:
            if path is None:
                return False
            connection.load_extension(str(path))
    except duckdb.Error:
        return False
    return True


def _extension(name: str) -> Path | None:
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}"
    path = folder / f"{name}.duckdb_extension"
    return path if path.exists() else None


def confine(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """From now on this DuckDB reaches its own file and one folder, and nothing else, for good."""
    for setting in ("allow_community_extensions", "allow_unsigned_extensions"):
        with suppress(duckdb.Error):  # it was decided when the database was opened
            connection.execute(f"SET {setting} = false")
    connection.execute(f"SET allowed_directories = [{literal(folder)}]")
    connection.execute("SET enable_external_access = false")


class QuackServer:
    """Answers queries of other processes while it is open."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, database: Path, address: Address
    ) -> None:
        self.address = address
        self._connection = connection
        self._database = database

    @classmethod
    def start(cls, connection: duckdb.DuckDBPyConnection, database: Path) -> Self | None:
        """Begin to answer; None where the extension is missing or no port can be had."""
        if not load_quack(connection):
            return None
        token = secrets.token_hex(24)
        _set_guard(connection)
        for _ in range(_TRIES):
            address = Address(uri=f"quack:127.0.0.1:{_free_port()}", token=token)
            if _serve(connection, address):
                write_own(token_file(database), address.to_json())
                return cls(connection, database, address)
        return None

    def stop(self) -> None:
        """Answer no more."""
        token_file(self._database).unlink(missing_ok=True)
        try:
            self._connection.execute(f"CALL quack_stop('{self.address.uri}')")
        finally:
            self._connection.close()


def _set_guard(connection: duckdb.DuckDBPyConnection) -> None:
    """Have each statement decided about; the first decision is made here, since it loads much."""
    guard = Guard(connection)
    extended: Any = connection
    extended.create_function(_GUARD, guard.allows, side_effects=True)
    connection.execute(f"SET GLOBAL quack_authorization_function = '{_GUARD}'")
    connection.execute(f"SELECT {_GUARD}('', 'SELECT 1')").fetchall()


def _serve(connection: duckdb.DuckDBPyConnection, address: Address) -> bool:
    try:
        connection.execute(
            f"CALL quack_serve('{address.uri}', token = '{address.token}')"
        ).fetchall()
    except duckdb.Error:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
