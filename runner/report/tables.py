"""The report in the terminal: compact tables on a screen, the same words and no boxes in a pipe."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import duckdb
from rich.console import Console

from queries.checks import checks
from runner.report import sections
from runner.report.answers import Answers, simulated
from runner.terminal.grid import Grid, Printer

SIMULATED = "SIMULATED DATA: these are answers of a simulator, not of a model."

Section = Callable[[Answers], Iterator[Grid]]
SUMMARY: Sequence[Section] = (
    sections.accuracy,
    sections.effective_context,
    sections.spend,
)
REPORT: Sequence[Section] = (
    sections.accuracy,
    sections.overall,
    sections.effective_context,
    sections.refusals,
    sections.false_bias,
    sections.reasoning,
    sections.odds_ratios,
    sections.next_word,
    sections.chain_errors,
    sections.compare,
    sections.latency,
    sections.tokenization,
    sections.spend,
    sections.setups,
)
BEHIND_SUMMARY = (
    "sweeps",
    "outcomes",
    "accuracy",
    "effective",
    "effective_seeds",
    "settings",
    "spend",
)
"""The queries that it asks; in one go they cost a fraction of what they cost one by one."""
BEHIND_REPORT = (
    *BEHIND_SUMMARY,
    "overall",
    "refusals",
    "false_bias",
    "reasoning",
    "odds_ratios",
    "next_word",
    "chain_errors",
    "compare",
    "latency",
    "tokenization",
    "setups",
)


def print_summary(connection: duckdb.DuckDBPyConnection, console: Console) -> None:
    """What a sweep ends with: accuracy, effective context, what was not evaluated, money."""
    answers = Answers(connection)
    answers.read(BEHIND_SUMMARY)
    _print(answers, Printer(console), SUMMARY)


def print_report(answers: Answers, console: Console) -> None:
    """Every table that the file has rows for, and the checks that fail."""
    printer = Printer(console)
    answers.read(BEHIND_REPORT)
    _print(answers, printer, REPORT)
    for line in sections.to_ask_again(answers):
        printer.say(line)
    for failure in checks(answers.connection):
        printer.say(f"check failed: {failure.about}: {failure.rows:,} (check {failure.name})")


def grids(answers: Answers, wanted: Sequence[Section]) -> Iterator[Grid]:
    """The tables of some sections; a title says the condition, but money is always all of it."""
    for section in wanted:
        condition = "" if section is sections.spend else answers.condition
        for grid in section(answers):
            yield replace(grid, title=f"{grid.title}{condition}")


def _print(answers: Answers, printer: Printer, wanted: Sequence[Section]) -> None:
    for line in sections.headline(answers):
        printer.say(line)
    if simulated(answers.rows("outcomes")):
        printer.say(SIMULATED)
    printer.say("")
    for grid in grids(answers, wanted):
        printer.grid(grid)
    for line in sections.not_evaluated(answers):
        printer.say(line)
