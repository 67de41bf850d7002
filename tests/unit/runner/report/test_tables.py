import re

from runner.report.answers import Answers
from runner.report.tables import SIMULATED, print_report, print_summary
from tests.fakes.report_text import text_of
from tests.sql.facts import Facts


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


def compared(seeds: int, interval: str) -> str:
    """A report of two models on one prompt of each seed."""
    facts = Facts().sweep(repeats=seeds, switches={"report.interval": interval})
    for model in ("alpha", "beta"):
        cell = facts.cell("needle_threading.single_needle", 2000, model=model, depth=0)
        for repeat in range(seeds):
            facts.trial(cell, float(repeat % 3 > 0 or model == "beta"))
    with facts.connect() as connection:
        return text_of(lambda console: print_report(Answers(connection), console))


def test_an_interval_says_95_percent_only_where_it_holds_the_truth_so_often():
    many, few = compared(12, "cluster"), compared(4, "cluster")
    assert "accuracy in % (95 % interval)" in many
    assert "haystacks it can hold" not in many
    assert "with fewer than 10 haystacks it can hold the truth less" in " ".join(few.split())
    wilson = compared(12, "wilson")
    assert "accuracy in % (Wilson interval)" in wilson
    assert "95 %" not in wilson
