from runner.report.answers import Answers
from runner.report.figures import pictures
from tests.sql.facts import Facts


def test_no_line_is_drawn_through_a_size_without_an_answer():
    facts = Facts().sweep()
    for size in (2000, 8000):
        facts.trial(facts.cell("needle_threading.single_needle", size, depth=0), 1.0)
    facts.trial(facts.cell("needle_threading.single_needle", 4000, depth=0), outcome="refused")
    with facts.connect() as connection:
        (drawn,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
        marks = [layer["mark"] for layer in drawn.spec()["spec"]["layer"]]
    assert [row["accuracy"] for row in drawn.rows] == [1.0, None, 1.0]
    broken = [mark["type"] for mark in marks if mark.get("invalid", "").startswith("break-paths")]
    assert broken == ["area", "line"]
