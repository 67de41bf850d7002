from pathlib import Path

import pytest

from tasks.official.datafile import DataFile
from tasks.official.importing import import_rows
from tasks.sample import TaskError
from tests.fakes.official_rows import (
    chain_row,
)
from tests.unit.tasks.official.files import write_jsonl


def test_importing_again_replaces_the_file_and_changes_the_identity(tmp_path: Path):
    target = tmp_path / "nc.data"
    source = tmp_path / "k2.jsonl"
    hashes: list[str] = []
    for idx in (0, 1):
        rows = [chain_row(), *([chain_row(idx=1)] * idx)]
        import_rows("needlechain", write_jsonl(source, rows), target)
        hashes.append(DataFile(target).hash)
    assert hashes[0] != hashes[1]


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path):
    source = write_jsonl(tmp_path / "k2.jsonl", [chain_row()])
    before = source.read_bytes()
    with pytest.raises(TaskError, match="exists and is no data file"):
        import_rows("needlechain", source, source)
    assert source.read_bytes() == before
    with pytest.raises(TaskError, match="no folder"):
        import_rows("needlechain", source, tmp_path / "none" / "out.data")
