import re
from pathlib import Path

import pytest

from runner.errors import UsageError
from runner.judge.model import judge_model

URL = "http://127.0.0.1:8/v1"
SWEPT = [{"id": "compat/a", "base_url": URL, "price": {"input": 1.0, "output": 2.0, "tiers": []},
          "params": {"temperature": 1.0, "max_tokens": 9}}]  # fmt: skip
FILE = f"""
[[models]]
id = "compat/b"
base_url = "{URL}"
params = {{ max_tokens = 64 }}
limits = {{ rpm = 5 }}
[[models]]
id = "openai/gpt-4o-mini"
[[tasks]]
name = "not looked at"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "judge.toml"
    path.write_text(FILE)
    return path


def test_the_file_is_believed_first(file: Path):
    found = judge_model("compat/b", file, SWEPT)
    assert (found.base_url, found.limits.rpm, found.params) == (URL, 5, {"max_tokens": 64})


def test_a_swept_model_is_known_but_not_decoded_as_then():
    found = judge_model("compat/a", None, SWEPT)
    assert found.base_url == URL
    assert found.price is not None
    assert found.params == {}


def test_a_published_model_needs_no_table():
    assert judge_model("openai/gpt-4o-mini", None, SWEPT).name == "gpt-4o-mini"


@pytest.mark.parametrize("judge", ["nobody/x", "x", "compat/unknown"])
def test_a_judge_that_cannot_be_reached_is_named(judge: str):
    with pytest.raises(UsageError, match=re.escape(f"--judge {judge!r}: ")) as raised:
        judge_model(judge, None, SWEPT)
    assert ": :" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILE, "not among them"),
        ("[[models]", "valid TOML"),
        ("", "models"),
        (FILE.replace("rpm", "rpn"), "rpm"),
        (FILE + '[[models]]\nid = "compat/k"\napi_key = "abcdefgh12345678"', "api_key"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(file: Path, text: str, said: str):
    file.write_text(text)
    with pytest.raises(UsageError, match=said) as raised:
        judge_model("compat/nobody", file, SWEPT)
    assert str(file) in str(raised.value)
    assert "abcdefgh" not in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be read"):
        judge_model("compat/b", tmp_path / "none.toml", SWEPT)
