from runner.terminal.grid import Bold, Grid
from runner.terminal.markup import latex_lines, markdown_lines

GRID = Grid(title="a_b", header=["model", "n"], rows=[["a|b_c", "5 %"]])


def test_markdown_escapes_its_own_marks():
    assert list(markdown_lines(GRID)) == [
        r"**a\_b**",
        "",
        "| model | n |",
        "| :-- | --: |",
        r"| a\|b\_c | 5 % |",
    ]


def test_latex_escapes_its_own_marks():
    lines = "\n".join(latex_lines(GRID)).splitlines()
    assert lines == [
        "% a_b",
        r"\begin{tabular}{lr}",
        r"\hline",
        r"model & n \\",
        r"\hline",
        r"a\textbar{}b\_c & 5 \% \\",
        r"\hline",
        r"\end{tabular}",
    ]


def test_a_bold_word_is_bold_in_both_and_still_escaped() -> None:
    grid = Grid(title="", header=["model", "a"], rows=[["x", Bold("98.5 %")]])
    assert "| x | **98.5 %** |" in list(markdown_lines(grid))
    assert r"x & \textbf{98.5 \%} \\" in list(latex_lines(grid))
