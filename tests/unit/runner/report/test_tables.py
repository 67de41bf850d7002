import re

from runner.report.answers import Answers
from runner.report.tables import SIMULATED, print_report, print_summary
from tests.fakes.report_text import text_of


def test_the_report_has_every_section(maker):
    with maker.facts.connect() as connection:
        text = text_of(lambda console: print_report(Answers(connection), console))
    for words in (
        "sweep 'first': profile default",
        "accuracy in % (95 % interval): needle_threading.single_needle, by characters",
        "(chance)",
        "overall accuracy",
        "effective context",
        "refusals",
        "False-bias",
        "odds ratio",
        "Pearson r",
        "how chains fail",
        "differences on the same prompts",
        "seconds per answer",
        "tokens, from returned usage",
        "money",
        "not evaluated:",
    ):
        assert words in text
    assert SIMULATED not in text


def test_the_summary_is_shorter_and_says_what_was_not_evaluated(maker):
    with maker.facts.connect() as connection:
        text = text_of(lambda console: print_summary(connection, console))
    assert "accuracy in %" in text
    assert "differences on the same prompts" not in text
    assert re.search(r"not evaluated: \d+ of \d[\d,]* planned trials", text)
