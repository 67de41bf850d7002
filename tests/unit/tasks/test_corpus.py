import os
from pathlib import Path

import pytest

from tasks.corpus import corpus_hash, load_corpus
from tasks.sample import TaskError

TEXT = "Ein größerer Käse, naïve café. Zürich liegt am See; größer wird es nicht.\n"


def test_files_come_sorted_by_name_with_nothing_between(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("second")
    (tmp_path / "a.TXT").write_text("first\r\nline\r")
    (tmp_path / "README.md").write_text("no part of it")
    (tmp_path / ".hidden").write_bytes(b"\x00\x01")
    (tmp_path / "folder").mkdir()
    assert load_corpus(tmp_path) == "first\nline\nsecond"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"]
)
def test_any_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "text.txt").write_bytes((TEXT * 20).encode(encoding))
    assert load_corpus(tmp_path) == TEXT * 20


def test_other_scripts_are_recognised(tmp_path: Path) -> None:
    text = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 20
    (tmp_path / "text.txt").write_bytes(text.encode("cp1251"))
    assert load_corpus(tmp_path) == text


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", bytes(range(256)) * 4, b"\xff\xfe\x00"]
)
def test_binary_files_are_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_text("fine")
    (tmp_path / "picture.txt").write_bytes(data)
    with pytest.raises(TaskError, match=r"haystack: .*picture\.txt is not a text file"):
        load_corpus(tmp_path)


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"haystack: .*nowhere cannot be read: No such file"):
        load_corpus(tmp_path / "nowhere")


def test_other_files_are_taken_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "b.md").write_text("two")
    (tmp_path / "c[1].rst").write_text("three")
    assert load_corpus(tmp_path / "*.md") == "onetwo"
    assert load_corpus(tmp_path / "b.md") == "two"
    assert load_corpus(tmp_path / "c[1].rst") == "three"
    with pytest.raises(TaskError, match=r'has no \*\.txt; name what to take, like ".*/\*\.md"'):
        load_corpus(tmp_path)


def test_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked.txt").write_text("text")

    def refuse(path: Path, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(TaskError, match=r"locked\.txt cannot be read: Permission denied"):
        load_corpus(tmp_path)


def test_folder_without_text(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="holds no text"):
        load_corpus(tmp_path)
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(TaskError, match="holds no text"):
        load_corpus(tmp_path)


def test_hash_is_of_the_text() -> None:
    assert corpus_hash("a") == corpus_hash("a") != corpus_hash("b")


def test_text_in_no_encoding_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.txt").write_bytes(b"caf\xe9 \x81\x8d" * 10)

    class NoGuess:
        def best(self) -> None:
            return None

    monkeypatch.setattr("charset_normalizer.from_bytes", lambda _data: NoGuess())
    with pytest.raises(TaskError, match=r"odd\.txt is not a text file"):
        load_corpus(tmp_path)
