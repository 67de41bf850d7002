from runner.terminal.grid import Grid
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
