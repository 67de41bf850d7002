from pathlib import Path

import pytest

from state.journal.journal import Journal, JournalEntry, decode, encode, grouped, segments, storable
from state.store import StoreError
from tests.fakes import rows


def read(database: Path) -> list[JournalEntry | None]:
    return [decode(line) for segment in segments(database) for line in segment.lines()]


def write(journal: Journal, first: int, count: int) -> None:
    for seq in range(first, first + count):
        journal.write(seq, encode(seq, grouped([rows.trial(f"t{seq}")])))


def test_a_row_written_before_a_field_existed_ends_in_none() -> None:
    line = b'[7,{"sweep_cells":[["s","c"]]}]\n'
    wanted = rows.sweep_cell(sweep_id="s", cell_id="c", repeats=None)
    assert decode(line) == JournalEntry(7, grouped([wanted]))


@pytest.mark.parametrize(
    "line",
    [b"", b"\n", b"[1", b"[1,{}", b'{"a":1}\n', b'[1,{"nothing":[[1]]}]\n', b"\x00" * 40 + b"\n"],
)
def test_a_damaged_line_is_no_entry(line: bytes) -> None:
    assert decode(line) is None


def test_half_a_surrogate_is_replaced_and_nothing_else() -> None:
    row = rows.completion(text="a\ud800b", reasoning_text="\U0001f600")
    assert storable(row) == rows.completion(text="a?b", reasoning_text="\U0001f600")
    assert storable(rows.attempt()) == rows.attempt()


def test_a_value_no_column_can_hold_is_refused() -> None:
    with pytest.raises(StoreError, match="cannot be stored"):
        encode(1, grouped([rows.start(reserved_pusd=1 << 70)]))


def test_lines_come_back_in_order_over_segments(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    journal = Journal(database, "id-1", segment_bytes=500)
    for first in range(1, 31, 3):
        write(journal, first, 3)
    found = read(database)
    assert [entry.seq for entry in found if entry] == list(range(1, 31))
    assert len(segments(database)) > 1
    assert {segment.store_id for segment in segments(database)} == {"id-1"}
    on_disk = sum(segment.path.stat().st_size for segment in segments(database))
    assert journal.retained_bytes == on_disk


def test_trim_removes_only_segments_that_are_safe_whole(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    journal = Journal(database, "id-1", segment_bytes=1)
    write(journal, 1, 3)
    journal.trim(1)
    assert [segment.first_seq for segment in segments(database)] == [2, 3]
    journal.trim(3)
    assert [segment.first_seq for segment in segments(database)] == [3], "it is still written to"
    journal.close()
    journal.trim(3)
    assert segments(database) == []


def test_a_failed_write_leaves_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "a.duckdb"
    journal = Journal(database, "id-1")
    write(journal, 1, 1)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fdatasync", full)
        with pytest.raises(OSError, match="No space left"):
            write(journal, 2, 5)
    write(journal, 2, 1)
    assert read(database) == [JournalEntry(n, grouped([rows.trial(f"t{n}")])) for n in (1, 2)]


def test_other_files_are_no_segments(tmp_path: Path) -> None:
    for name in ("a.duckdb.journal-x", "a.duckdb.journal-1.kept", "b.duckdb.journal-000000000001"):
        (tmp_path / name).touch()
    (tmp_path / "a.duckdb.journal-000000000009").write_bytes(b'{"other":1}\n')
    found = segments(tmp_path / "a.duckdb")
    assert [segment.first_seq for segment in found] == [9]
    assert found[0].store_id is None
