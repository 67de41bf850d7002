"""What happens behind the journal: long texts, failures, and a file that goes away."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from queries.catalog import install
from runner.judge.again import score_unscored
from state.database import writer
from state.database.memory import LIGHT, limit
from state.records import PromptRow, Row, ScoreRow
from state.sharing.reading import open_for_reading
from state.store import StoreError
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.fakes.no_views import no_views

LONG = 1_000_000


def open_store(path: Path) -> DuckStore:
    return DuckStore.open(path, install_views=no_views, create=True)


def trial(name: str, text: str = "x") -> Sequence[Row]:
    attempt = f"{name}.1"
    return (
        rows.trial(name),
        rows.start(attempt, trial_id=name),
        rows.attempt(attempt, trial_id=name),
        rows.completion(trial_id=name, attempt_id=attempt, text=text),
    )


def count(path: Path, table: str) -> int:
    with open_for_reading(path) as reader:
        return len(reader.connection.table(table).fetchall())


async def test_memory_follows_the_texts_and_every_command_can_open_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(rows.cell())
    for number in range(60):
        text = f"{number}" + "long " * (LONG // 5)
        await store.append(
            *trial(f"t{number}", text), PromptRow(trial_id=f"t{number}", messages=f'"{text}"')
        )
    await store.append(*trial("largest", "x" * 20 * LONG))
    store.flush()
    assert store.failure is None
    assert store._texts.heaviest > 60 * LONG
    assert [len(reply.text) for reply in store.replies()][-1] == 20 * LONG
    await store.aclose()
    with open_for_reading(path) as reader:
        assert (reader.heaviest or 0) > LIGHT
        longest = reader.connection.execute("SELECT max(length(text)) FROM completions").fetchall()
        assert longest == [(20 * LONG,)]
    assert names(tmp_path) == [path.name]


def test_short_replies_leave_memory_as_it_was() -> None:
    assert limit(LIGHT) == limit(0) == 112 << 20
    assert limit(100 * LIGHT) > 200 * LIGHT


async def test_the_journal_takes_what_comes_back_when_duckdb_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(*trial("before"))
    store.flush()

    def broken(*_: object) -> int:
        raise duckdb.FatalException("the disk is on fire")

    monkeypatch.setattr(writer.Loader, "load", broken)
    await store.append(*trial("lost to duckdb"))
    with pytest.raises(StoreError, match="on fire"):
        store.flush()
    assert "on fire" in str(store.failure)
    store.enqueue(*trial("came back later"))
    with pytest.raises(StoreError, match="on fire"):
        await store.append(*trial("is not begun"))
    await store.aclose()
    monkeypatch.undo()
    assert count(path, "completions") == 3
    await open_store(path).aclose()
    assert count(path, "completions") == 3


async def test_a_scorer_that_raises_stops_the_sending_and_its_reply_is_scored_at_the_next_start(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)

    def broken() -> Sequence[ScoreRow]:
        raise ZeroDivisionError

    await store.append(rows.cell())
    store.enqueue(*trial("t1"), late=broken)
    with suppress(StoreError):
        await store.append()  # in the same commit, or after it
    assert "ZeroDivisionError" in str(store.failure)
    with pytest.raises(StoreError, match="ZeroDivisionError"):
        await store.append()
    store.enqueue(*trial("t2"), rows.score(trial_id="t2"))
    await store.aclose()

    store = open_store(path)
    assert [reply.trial_id for reply in store.replies(unscored=True)] == ["t1"]

    def judge(trial_id: str, *_: object) -> ScoreRow:
        return rows.score(trial_id=trial_id)

    said: list[str] = []
    await score_unscored(store, judge, said.append)
    assert list(store.replies(unscored=True)) == []
    assert said == []
    await store.aclose()


async def test_a_rescore_that_is_cut_off_leaves_no_score_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = open_store(path)
    await store.append(*trial("t1"), rows.score(trial_id="t1"))

    def half() -> "list[Sequence[ScoreRow]]":
        raise KeyboardInterrupt

    def batches() -> "list[Sequence[ScoreRow]]":
        return [[rows.score(trial_id="t1", again=True, value=0.0)]]

    with pytest.raises(KeyboardInterrupt):
        await store.append_scores(batch for source in (batches, half) for batch in source())
    assert await store.append_scores(batches()) == 1
    await store.aclose()
    assert count(path, "scores") == 2


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def kept_replies(folder: Path) -> list[tuple[str]]:
    (kept,) = folder.glob("a.duckdb.kept-*")
    with duckdb.connect(str(kept), read_only=True) as connection:
        return connection.execute("SELECT trial_id FROM completions ORDER BY ALL").fetchall()


@pytest.mark.parametrize("how", ["deleted", "replaced"])
async def test_a_file_that_goes_away_under_its_writer_is_noticed_and_saved_beside(
    tmp_path: Path, how: str
) -> None:
    path = tmp_path / "a.duckdb"
    store = DuckStore.open(path, install_views=install, create=True)
    await store.append(*trial("t1"))
    assert store.failure is None
    path.unlink()
    if how == "replaced":
        path.write_bytes(b"something else")
    assert f"was {how} while a sweep was writing to it" in str(store.failure)
    store.enqueue(*trial("t2"))
    with pytest.raises(StoreError, match=how):
        await store.append(*trial("t3"))
    await store.aclose()
    assert kept_replies(tmp_path) == [("t1",), ("t2",)]
    assert path.exists() == (how == "replaced")
