"""Templates are ours or the user's, and a wrong one is named with its file and key."""

from pathlib import Path

import pytest

from tasks import wording
from tasks.sample import TaskError, Text

FIELDS = {"names": "Ann, Bob", "context": "{facts}", "question": "Who?", "count": 2}


@pytest.fixture
def user_file(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("family", wording.FAMILIES)
def test_our_templates_load_and_have_no_hash(family: str):
    assert wording.load(family).hash == ""


def test_values_are_placed_and_never_parsed():
    text = wording.load("needlechain").render("user", **FIELDS)
    assert "Ann, Bob" in text
    assert "{facts}" in text


def test_a_shared_text_is_placed_without_a_copy():
    context = Text("long")
    ours = wording.load("needlechain")
    pieces = ours.pieces("user", **(FIELDS | {"context": context}))
    assert [piece for piece in pieces if isinstance(piece, Text)] == [context]
    before, after = ours.split(
        "user", "context", **{k: v for k, v in FIELDS.items() if k != "context"}
    )
    joined = "".join(piece if isinstance(piece, str) else piece.text for piece in pieces)
    assert before + "long" + after == joined


def test_override_replaces_a_subset_and_is_hashed(user_file):
    path = user_file('[needlechain]\nsystem = "Sum {{up}}."\n[niah]\n')
    mine = wording.load("needlechain", path)
    assert mine.render("system") == "Sum {up}."
    assert mine.render("user", **FIELDS) == wording.load("needlechain").render("user", **FIELDS)
    assert len(mine.hash) == 32
    other = user_file('[needlechain]\nsystem = "Add {{up}}."\n')
    assert wording.load("needlechain", other).hash != mine.hash


def test_our_own_words_in_a_user_file_change_nothing(user_file):
    question = (
        wording.load("needlechain").render("question_single", name="X").replace("X", "{name}")
    )
    path = user_file(f"[needlechain]\nquestion_single = {question!r}\n")
    assert wording.load("needlechain", path).hash == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[needlechain]\nuser = '{names} {context}'", "user: must mention {question}"),
        ("[needlechain]\nsystem = '{names}'", "unknown field {names}; it may use no fields"),
        ("[needlechain]\nquestion_single = '{name} {x}'", "unknown field {x}; it may use {name}"),
        ("[needlechain]\nsystem = '{'", "write {{ or }} for a literal brace"),
        ("[needlechain]\nquestion_single = '{name:>9}'", "{name} is no field"),
        ("[needlechain]\nsystem = 3", "needlechain.system: must be a string"),
        ("[needlechain]\nsistem = ''", "no such template; there are system, user"),
        ("[needlechains]\nsystem = ''", "needlechains: must be a table, one of"),
        ("system = ''", "system: must be a table, one of"),
        ("system", "not a TOML file"),
    ],
)
def test_wrong_files_are_refused_with_file_and_key(user_file, text: str, message: str):
    path = user_file(text)
    with pytest.raises(TaskError) as caught:
        wording.load("needlechain", path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_and_binary_files_are_named(tmp_path: Path):
    with pytest.raises(TaskError, match=r"none\.toml: cannot be read"):
        wording.load("needlechain", tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TaskError, match=r"binary\.toml: not a TOML file"):
        wording.load("needlechain", binary)


def test_wrong_use_is_named():
    ours = wording.load("needlechain")
    with pytest.raises(TaskError, match="no template 'nothing'"):
        ours.render("nothing")
    with pytest.raises(TaskError, match="it takes"):
        ours.render("question_single")


def test_split_needs_one_place(user_file):
    path = user_file("[needlechain]\nquestion_single = '{name} {name}'")
    with pytest.raises(TaskError, match="exactly once"):
        wording.load("needlechain", path).split("question_single", "name")
