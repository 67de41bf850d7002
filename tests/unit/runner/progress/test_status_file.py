from pathlib import Path

import orjson
import pytest

from runner.progress.status_file import StatusFile
from tests.fakes.virtual_loop import VirtualClock, run_virtual
from tests.unit.runner.progress.views import view


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_the_file_is_written_whole_at_most_once_a_second_and_removed(tmp_path: Path):
    async def shown() -> None:
        status = StatusFile(tmp_path / "a.duckdb", VirtualClock())
        status.show(view())
        first = status.path.read_bytes()
        assert {**view().to_json(), "updated_at": 0}.keys() == orjson.loads(first).keys()
        status.show(view())
        assert names(tmp_path) == ["a.duckdb.status"]
        assert status.path.read_bytes() == first
        status.remove()
        assert names(tmp_path) == []

    run_virtual(shown())


def test_a_folder_that_takes_no_file_ends_nothing(tmp_path: Path):
    async def shown() -> None:
        status = StatusFile(tmp_path / "gone" / "a.duckdb", VirtualClock())
        status.show(view())
        with pytest.raises(FileNotFoundError):
            status.path.read_bytes()

    run_virtual(shown())
