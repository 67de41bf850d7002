import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.official.datafile import DataFile
from tasks.official.importing import import_rows
from tasks.sample import TaskError
from tests.fakes.official_rows import (
    multi_row,
    needle_row,
)
from tests.unit.tasks.official.files import Rows, write_json, write_jsonl


def write_parquet(path: Path, rows: Rows) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def write_zip(path: Path, rows: Rows) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("json_data/Single_Needle.json", json.dumps(rows[:1]))
        archive.writestr("__MACOSX/json_data/._Single_Needle.json", "junk")
        archive.writestr("README.md", "words")
        inner = write_parquet(path.with_suffix(".parquet"), rows[1:])
        archive.write(inner, "more.parquet")
    return path


WRITERS = [
    ("rows.json", write_json),
    ("rows.jsonl", write_jsonl),
    ("rows.parquet", write_parquet),
    ("rows.zip", write_zip),
]


@pytest.mark.parametrize(("name", "write"), WRITERS)
def test_every_packing_gives_the_same_content(
    tmp_path: Path, name: str, write: Callable[[Path, Rows], Path]
):
    rows = [needle_row(), needle_row(repeat_number=1), needle_row(needle_depth="0")]
    target = tmp_path / "out.data"
    done = import_rows("needle-threading", write(tmp_path / name, rows), target)
    assert (done.read, done.rejected.count, done.samples) == (3, 0, 3)
    reference = tmp_path / "reference.data"
    import_rows("needle-threading", write_json(tmp_path / "again.json", rows[::-1]), reference)
    assert DataFile(target).hash == DataFile(reference).hash
    assert not list(tmp_path.glob(".*"))


def laid_out(rows: Rows) -> dict[str, Any]:
    """The rows in every layout of pandas' `to_json`, in splits, and as a viewer's page."""
    names, numbers = list(rows[0]), [str(index) for index in range(len(rows))]
    columns = {name: dict(zip(numbers, (row[name] for row in rows), strict=True)) for name in names}
    return {
        "columns": columns,
        "index": dict(zip(numbers, rows, strict=True)),
        "split": {"columns": names, "index": [], "data": [list(row.values()) for row in rows]},
        "table": {"schema": {"fields": [{"name": "id"}]}, "data": rows},
        "list": {name: [row[name] for row in rows] for name in names},
        "splits of columns": {"Single_Needle": columns},
        "nested splits": {"data": {"Single_Needle": rows}},
        "page": {"features": [{"name": "id"}], "rows": [{"row_idx": 0, "row": r} for r in rows]},
    }


@pytest.mark.parametrize("layout", list(laid_out([needle_row()])))
def test_every_layout_gives_the_same_content(tmp_path: Path, layout: str):
    rows = [needle_row(), needle_row(repeat_number=1), needle_row(needle_depth="0")]
    source, target = tmp_path / "rows.json", tmp_path / "out.data"
    source.write_text(json.dumps(laid_out(rows)[layout]), encoding="utf-8")
    done = import_rows("needle-threading", source, target)
    assert (done.read, done.rejected.count, done.samples) == (3, 0, 3)
    reference = tmp_path / "reference.data"
    import_rows("needle-threading", write_json(tmp_path / "again.json", rows), reference)
    assert DataFile(target).hash == DataFile(reference).hash


def test_a_folder_is_all_its_files(tmp_path: Path):
    folder = tmp_path / "sets"
    folder.mkdir()
    write_json(folder / "Single_Needle.json", [needle_row()])
    write_jsonl(folder / "Multi_Needle.jsonl", [multi_row()])
    (folder / "README.md").write_text("words", encoding="utf-8")
    done = import_rows("needle-threading", folder, tmp_path / "out.data")
    assert done.samples == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.csv", b"a,b", "not one of .json"),
        ("rows.zip", b"PK junk", "cannot be read"),
        ("rows.json", b'{"a": {"b": 1}}', 'rows.json: no rows in what begins \'{"a": {"b'),
        ("rows.parquet", b"PAR1 junk", "cannot be read"),
    ],
)
def test_unreadable_sources(tmp_path: Path, name: str, content: bytes, message: str):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TaskError, match=message):
        import_rows("flenqa", tmp_path / name, tmp_path / "out.data")
    assert not (tmp_path / "out.data").exists()


def test_empty_archives_and_folders(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("README.md", "words")
    with pytest.raises(TaskError, match="no json, jsonl or parquet"):
        import_rows("flenqa", tmp_path / "empty.zip", tmp_path / "out.data")
    (tmp_path / "folder").mkdir()
    with pytest.raises(TaskError, match="no file in it"):
        import_rows("flenqa", tmp_path / "folder", tmp_path / "out.data")
