from runner.report.answers import Answers, Narrow
from tests.sql.facts import Facts


def test_narrowing_by_model_and_task(maker):
    with maker.facts.connect() as connection:
        answers = Answers(connection, Narrow(model="al*", task="flenqa.*"))
        rows = answers.rows("accuracy")
        assert {row["model"] for row in rows} == {"alpha"}
        assert all(row["task"].startswith("flenqa.") for row in rows)
        assert {row["benchmark"] for row in answers.rows("overall")} == {"flenqa"}
        assert answers.rows("odds_ratios")
        other = Answers(connection, Narrow(task="needle_threading.threading"))
        assert {row["benchmark"] for row in other.rows("overall")} == {"needle_threading"}
        assert not other.rows("odds_ratios")
        named = Answers(connection, Narrow(model="openai/beta")).rows("accuracy")
        assert {row["model"] for row in named} == {"beta"}


def test_the_same_name_at_two_providers_is_told_apart():
    facts = Facts().sweep()
    for provider in ("openai", "compat"):
        facts.trial(facts.cell("niah.magic_number", 1000, provider=provider, depth=0), 1.0)
    with facts.connect() as connection:
        rows = Answers(connection).rows("accuracy")
    assert {row["who"] for row in rows} == {"openai/alpha", "compat/alpha"}
