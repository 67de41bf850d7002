"""The file between an import and a sweep: SQLite, since samples are asked for in any order.

Long texts are kept once however many rows share them (a haystack is asked at eleven depths), and
compressed. A file is written under a temporary name and takes its own when it is whole.
"""

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tasks.identity import canonical_json
from tasks.official.entry import Entry
from tasks.plain_files import refuse_special
from tasks.sample import Scalar, TaskError

FORMAT = "runner-data-1"
_NOT_OURS = "not a data file; make one with `runner import KIND FILE`"
_SCHEMA = """
create table meta (key text primary key, value text not null);
create table texts (id integer primary key, digest blob not null unique, body blob not null);
create table entries (task text, axes text, rank integer, inputs text, text_id integer);
"""
# Repeats count from 0 without a gap: a rejected row must not leave a trial without a prompt.
_NUMBER = """
create table samples as
select task, axes, inputs, text_id,
       row_number() over (partition by task, axes order by rank, rowid) - 1 as repeat
from entries;
create unique index one_sample on samples (task, axes, repeat);
drop table entries;
"""


class DataWriter:
    """Writes entries one after another; `finish` makes them a file, leaving without it nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f".{path.name}.part")
        self._part.unlink(missing_ok=True)
        # Nobody sees the file before it is whole, so it needs no journal.
        self._db = sqlite3.connect(self._part, isolation_level=None)
        self._db.executescript(f"pragma journal_mode=off; pragma synchronous=off; {_SCHEMA} begin;")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._db.close()
        self._part.unlink(missing_ok=True)

    def add(self, entry: Entry) -> None:
        """Keep one entry."""
        axes, inputs = canonical_json(dict(entry.axes)), canonical_json(dict(entry.inputs))
        self._db.execute(
            "insert into entries values (?, ?, ?, ?, ?)",
            (entry.task, axes.decode(), entry.rank, inputs.decode(), self._text(entry.text)),
        )

    def _text(self, text: str) -> int | None:
        if not text:
            return None
        raw = text.encode()
        digest = hashlib.blake2b(raw, digest_size=16).digest()
        known = self._db.execute("select id from texts where digest = ?", (digest,)).fetchone()
        if known is not None:
            return known[0]
        body = zlib.compress(raw, 1)
        return self._db.execute(
            "insert into texts (digest, body) values (?, ?)", (digest, body)
        ).lastrowid

    def finish(self) -> None:
        """Number the repeats, hash the content, and give the file its name."""
        self._db.execute("commit")
        self._db.executescript(_NUMBER)
        meta = [("format", FORMAT), ("hash", self._hash())]
        self._db.executemany("insert into meta values (?, ?)", meta)
        self._db.close()
        self._part.replace(self._path)

    def _hash(self) -> str:
        """Of all samples, in an order that does not depend on the order of the rows read."""
        digest = hashlib.blake2b(digest_size=16)
        rows = self._db.execute(
            "select task, axes, repeat, inputs, digest from samples"
            " left join texts on texts.id = text_id order by task, axes, repeat"
        )
        for row in rows:
            digest.update(repr(row).encode())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """One sample of a data file."""

    inputs: Mapping[str, Any]
    text_id: int
    """Equal for samples that share their long text; 0 where there is none."""


class DataFile:
    """Reads samples in any order and from any thread. Raises TaskError when it cannot."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            raise TaskError(f"data: no file {path}")
        meta = dict(self._select("select key, value from meta"))
        if meta.get("format") != FORMAT:
            raise TaskError(f"data: {path}: {_NOT_OURS}")
        self.hash: str = meta["hash"]
        """Of the content, the same however the rows were ordered or packed."""

    def tasks(self) -> list[str]:
        """The tasks that have samples."""
        return [task for (task,) in self._select("select distinct task from samples order by 1")]

    def axes(self, task: str) -> list[tuple[dict[str, Scalar], int]]:
        """The axis values that have samples, with how many, sorted by value."""
        rows = self._select("select axes, count(*) from samples where task = ? group by axes", task)
        found: list[tuple[dict[str, Scalar], int]] = [
            (json.loads(axes), count) for axes, count in rows
        ]
        return sorted(found, key=lambda item: [_order(value) for value in item[0].values()])

    def sample(self, task: str, axes: Mapping[str, Scalar], repeat: int) -> Sampled | None:
        """The sample of one repeat, or None where the file has fewer."""
        key = canonical_json(dict(axes)).decode()
        rows = self._select(
            "select inputs, text_id from samples where task = ? and axes = ? and repeat = ?",
            task,
            key,
            repeat,
        )
        for inputs, text_id in rows:
            return Sampled(inputs=json.loads(inputs), text_id=text_id or 0)
        return None

    def text(self, text_id: int) -> str:
        """The long text of a sample."""
        ((body,),) = self._select("select body from texts where id = ?", text_id)
        return zlib.decompress(body).decode()

    def _select(self, query: str, *values: object) -> list[Any]:
        try:
            with self._open() as db:
                return db.execute(query, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            raise TaskError(f"data: {self._path}: {_NOT_OURS} ({error})") from error

    @contextlib.contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        # Opened for each read: a tenth of a millisecond, and nothing to share between threads.
        refuse_special(self._path)
        uri = f"{self._path.resolve().as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as db:
            yield db


def _order(value: Scalar) -> tuple[int, float, str]:
    if isinstance(value, int | float):
        return (0, value, "")
    return (1, 0, str(value))
