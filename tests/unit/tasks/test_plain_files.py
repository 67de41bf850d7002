"""Whatever a user names is read once it is a plain file of a size that such files have."""

import os
from pathlib import Path

import pytest

from queries.catalog import QueryError, from_folder
from runner.config.sweep import load as load_config
from runner.errors import UsageError
from runner.judge.model import judge_model
from runner.simulator.spec.settings import load_settings
from tasks.official.reading import read_rows
from tasks.plain_files import TEXT_BYTES, read_plain, read_plain_text
from tasks.sample import TaskError
from tasks.wording import load as load_wording

READERS = {
    "config": load_config,
    "judge": lambda path: judge_model("openai/gpt-4o", path, ()),
    "simulator": load_settings,
    "prompts": lambda path: load_wording("niah", path),
    "rows": lambda path: list(read_rows(path)),
    "queries": lambda path: from_folder(path.parent),
}
NAMES = {"rows": "a.jsonl", "queries": "a.sql"}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_pipes_and_devices_are_refused_by_name_in_one_line(tmp_path: Path, reader: str, kind: str):
    path = tmp_path / NAMES.get(reader, "a.toml")
    if kind == "pipe":
        os.mkfifo(path)  # nobody will ever write to it
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises((UsageError, TaskError, QueryError), match="is no plain file") as refused:
        READERS[reader](path)
    assert "\n" not in str(refused.value)
    assert str(tmp_path) in str(refused.value)


@pytest.mark.parametrize("reader", ["config", "judge", "simulator", "prompts"])
@pytest.mark.parametrize(
    "content",
    ["a = " + "[" * 100_000, "a = " + "9" * 100_000, "#" * (TEXT_BYTES + 1)],
    ids=["nested", "digits", "long"],
)
def test_nests_numbers_and_texts_without_an_end_are_one_line(
    tmp_path: Path, reader: str, content: str
):
    path = tmp_path / "a.toml"
    path.write_text(content)
    with pytest.raises((UsageError, TaskError)) as refused:
        READERS[reader](path)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_a_plain_file_is_read_whole(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"one\r\ntwo\n")
    assert read_plain_text(path) == "one\ntwo\n"
    assert read_plain(path, 9) == b"one\r\ntwo\n"
    with pytest.raises(OSError, match="is longer than"):
        read_plain(path, 8)
    with pytest.raises(IsADirectoryError):
        read_plain(tmp_path)
