"""Hostile words in every field, through every command that shows them, at a terminal and not."""

import io
import os
import pty
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
import vl_convert
from msgspec.structs import replace

from runner import cli
from runner.progress.display import JsonDisplay, LiveDisplay, PlainDisplay
from runner.progress.states import RunState
from runner.progress.view import LaneView, SweepView
from runner.report.answers import Answers
from runner.report.figures import pictures
from runner.terminal.console import LiteralConsole
from runner.terminal.literal import take_any_text
from state.records import AttemptRow, CompletionRow, PromptRow, TrialRow
from state.sharing.reading import open_for_reading
from tests.fakes.hostile import HOSTILE, driving
from tests.sql.sweeps import Maker

WORDS = "\n".join(word for word in HOSTILE if "\x00" not in word)
ASKED = (
    "select model, task from cells union all select text, reasoning_text from completions"
    " union all select error, trial_id from attempts where error is not null"
)
FORMS = ("table", "csv", "json", "jsonl", "markdown", "latex")
SHOWING = ("status", "report", "show", *FORMS)
FOR_PROGRAMS = ("csv", "json", "jsonl")


class Terminal(io.StringIO):
    """A stream that somebody sees."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file whose models, prompts, errors and replies are hostile; and a trial of it."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.duckdb"
    names = tuple(word for word in HOSTILE if "\x00" not in word)
    facts = Maker(names).needles(1, (2000,)).facts
    trial: TrialRow = facts.rows[TrialRow][0]
    first: AttemptRow = facts.rows[AttemptRow][0]
    facts.rows[AttemptRow][0] = replace(first, error=WORDS)
    messages = orjson.dumps([{"role": "user", "text": WORDS}]).decode()
    facts.add(PromptRow(trial_id=trial.trial_id, messages=messages))
    facts.add(
        CompletionRow(
            trial_id=trial.trial_id,
            attempt_id=first.attempt_id,
            text=WORDS,
            reasoning_text=WORDS,
            finish_reason=HOSTILE[0],
            model_reported=HOSTILE[1],
        )
    )
    facts.connect(str(path)).close()
    return path, trial.trial_id


def command(what: str, hostile: tuple[Path, str]) -> list[str]:
    path, trial = hostile
    words = {"status": ["status", path], "report": ["report", path], "show": ["show", trial, path]}
    return list(map(str, words.get(what, ["sql", path, ASKED, "--format", what])))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs a command line in this process, with that stream for its output."""

    def run(words: list[str], stream: io.StringIO | io.TextIOWrapper) -> None:
        monkeypatch.setattr(sys, "argv", ["runner", *words])
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as left:
            cli.run()
        assert not left.value.code
        stream.flush()

    return run


@pytest.mark.parametrize("what", SHOWING)
def test_nothing_drives_a_terminal(what: str, hostile: tuple[Path, str], said: Callable[..., None]):
    out = Terminal()
    said(command(what, hostile), out)
    assert driving(out.getvalue()) <= {"\x1b"}
    assert "\x1b[2J" not in out.getvalue()
    assert "\x1b]" not in out.getvalue()
    assert "u001b" in out.getvalue()


@pytest.mark.parametrize("what", SHOWING)
def test_a_pipe_gets_rows_for_programs_as_they_are_and_text_for_people_literally(
    what: str, hostile: tuple[Path, str], said: Callable[..., None]
):
    out = io.StringIO()
    said(command(what, hostile), out)
    if what == "json":
        assert any(WORDS in row.values() for row in orjson.loads(out.getvalue()))
    elif what == "csv":
        assert WORDS.replace('"', '""') in out.getvalue()
    if what not in FOR_PROGRAMS:
        assert driving(out.getvalue()) == set()
        assert "x[awq]" in out.getvalue() or what in {"markdown", "report", "status"}


@pytest.mark.parametrize("what", SHOWING)
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_any_encoding_takes_it(
    what: str, encoding: str, hostile: tuple[Path, str], said: Callable[..., None]
):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    take_any_text(stream)
    said(command(what, hostile), stream)
    text = raw.getvalue().decode(encoding)
    if what == "json":
        assert any(WORDS in row.values() for row in orjson.loads(text))
    assert "\\u6f22\\u5b57" in text or "textbackslash\\{\\}u6f22" in text or what == "latex"


def test_a_process_in_the_plainest_locale_ends_well(hostile: tuple[Path, str]):
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ran = subprocess.run(
        [sys.executable, "-m", "runner", *command("show", hostile)],
        capture_output=True,
        check=False,
        env={**os.environ, **plain},
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.isascii()


def test_a_real_terminal_is_not_driven(hostile: tuple[Path, str]):
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "runner", *command("show", hostile)], stdout=theirs, stderr=theirs
    ) as child:
        os.close(theirs)
        seen = b""
        while chunk := _read(ours):
            seen += chunk
    os.close(ours)
    assert child.returncode == 0
    assert b"\\u001b[2J" in seen
    assert b"\x1b[2J" not in seen
    assert b"\x1b]" not in seen


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65_536)
    except OSError:  # how a terminal says that nobody is there any more
        return b""


def test_the_page_and_its_pictures_hold_words_and_no_markup(
    hostile: tuple[Path, str], said: Callable[..., None]
):
    path, _ = hostile
    page = path.with_name("page.html")
    said(["report", str(path), "--html", str(page)], io.StringIO())
    before_the_code = page.read_text("utf-8").partition('<script type="application')[0]
    assert driving(before_the_code) == set()
    assert "<script>alert" not in before_the_code
    assert "<img src=x" not in before_the_code
    assert "&amp;lt;b&amp;gt;" in before_the_code
    with open_for_reading(path) as reader:
        picture = next(it for it in pictures(Answers(reader.connection)) if it.name == "accuracy")
    svg = vl_convert.vegalite_to_svg(picture.spec())
    ET.fromstring(svg)  # noqa: S314  drawn here
    assert driving(svg) == set()
    assert vl_convert.vegalite_to_png(picture.spec())


@pytest.mark.parametrize("name", HOSTILE)
def test_a_running_sweep_shows_names_and_messages_literally(name: str):
    lane = LaneView(
        model=name, planned=2, done=1, in_flight=1, oldest_s=1.0, waiting=None, waiting_s=0.0,
        backing_off=0, rate_limited=0, errors={name: 1}, tokens_per_s=1.0, per_s=1.0,
        spent_usd=0.1, eta_s=1.0, ended=None, message=name,
    )  # fmt: skip
    view = SweepView(
        name=name, elapsed_s=9.0, lanes=(lane,), budget_usd=1.0, spent_usd=0.1, held_usd=0.1,
        state=RunState.ENDED,
    )  # fmt: skip
    plain, json, live = io.StringIO(), io.StringIO(), Terminal()
    for display in (
        PlainDisplay(plain),
        JsonDisplay(json),
        LiveDisplay(LiteralConsole(live, width=200)),
    ):
        with display:
            display.show(view)
            display.say(name)
    assert driving(plain.getvalue()) == set()
    assert driving(json.getvalue()) == set()
    assert orjson.loads(json.getvalue().splitlines()[1])["text"] == name
    assert driving(live.getvalue()) <= {"\x1b", "\r"}  # its own, to draw in place
    if driving(name):
        assert name not in live.getvalue()
