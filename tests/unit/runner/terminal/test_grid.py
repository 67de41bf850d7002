"""Tables fit a screen and stay whole in a pipe."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from runner.terminal import words
from runner.terminal.grid import SCREEN_GAP, Grid, Printer, parts, plain_lines, widths

GRID = Grid(
    title="accuracy",
    header=["model", "2k", "4k", "8k"],
    rows=[["alpha", "100 (94-100)", "98 (90-99)", "5"], ["beta", "-", "", "50"]],
    note="a note",
)


def printed(grid, *, width, terminal):
    out = io.StringIO()
    Printer(Console(file=out, width=width, force_terminal=terminal, color_system=None)).grid(grid)
    return out.getvalue()


def test_a_pipe_gets_whole_lines_without_ansi():
    text = printed(GRID, width=20, terminal=False)
    assert text.splitlines()[2] == "alpha  100 (94-100)  98 (90-99)   5"
    assert "\x1b" not in text
    assert "(a note)" in text


def test_a_screen_gets_every_word_within_its_width():
    text = printed(GRID, width=26, terminal=True)
    assert all(len(line) <= 26 for line in text.splitlines())
    for word in ("100 (94-100)", "98 (90-99)", "50", "a note"):
        assert word in text


@given(st.integers(10, 80), st.lists(st.text("x", max_size=12), min_size=1, max_size=8))
def test_parts_keep_every_column_once_in_order(width, header):
    grid = Grid(title="t", header=["name", *header], rows=[["n", *header]])
    pieces = list(parts(grid, width))
    assert [word for piece in pieces for word in piece.header[1:]] == header
    for piece in pieces:
        needed = widths(piece)
        assert sum(needed) + SCREEN_GAP * (len(needed) - 1) <= width or len(piece.header) == 2


@given(st.integers(30, 90))
def test_no_word_is_cut_on_a_screen_that_holds_its_widest_column(width):
    header = ["model", "maybe billed", "in flight", "oldest", "429s", "tokens/s"]
    grid = Grid(
        title="t", header=header, rows=[["anthropic/a", "$0.0576", "8", "4s", "12", "2.5k"]]
    )
    text = printed(grid, width=width, terminal=True)
    for word in (*header, *grid.rows[0]):
        assert word in text
    assert "\u2026" not in text


def test_columns_align():
    lines = list(plain_lines(GRID))
    assert len({len(line) for line in lines[1:-1]}) == 1


def test_unknown_is_a_dash_and_zero_is_zero():
    assert words.money(None) == words.percent(None) == words.length(None) == "-"
    assert (words.money(0.0), words.percent(0.0), words.length(0)) == ("$0.00", "0.0", "0")
    assert (words.length(2000), words.length(1_236_000)) == ("2k", "1.24M")
    assert words.percent_between(0.98, 0.9, 1.0) == "98 (90-100)"
    assert words.money(0.00123) == "$0.0012"


@given(st.integers(20, 80), st.lists(st.integers(0, 10**12).map(str), min_size=1, max_size=8))
def test_no_digit_is_cut_where_names_leave_no_room(width, numbers):
    header = ["model", "task", *(f"c{index}" for index in range(len(numbers)))]
    row = ["a-long-model-name-of-a-vendor-" * 2, "needle_threading.multi_threading", *numbers]
    text = printed(Grid(title="t", header=header, rows=[row], names=2), width=width, terminal=True)
    assert [line.split()[-1] for line in text.splitlines() if line.startswith("c")] == numbers
    assert row[0] in text
    assert "…" not in text


def test_a_word_in_brackets_stays_on_a_screen():
    """The hash that tells setups of one model apart was read as a tag, and vanished."""
    grid = Grid(title="", header=["model", "n"], rows=[["gpt [abc123]", "5"]])
    assert "gpt [abc123]" in printed(grid, width=80, terminal=True)
