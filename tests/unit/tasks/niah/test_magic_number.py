import re

from tasks.catalog import build
from tasks.options import TaskOptions
from tests.unit.tasks.niah.contexts import MAGIC, context, magic

NEGATIVE = build("niah.negative", TaskOptions())


def test_city_and_number_are_drawn_for_every_point() -> None:
    drawn = {MAGIC.generate(magic(1000, depth), 0).target["number"] for depth in range(0, 100, 5)}
    assert len(drawn) == 20


def test_negative_case_offers_a_way_out_and_holds_no_number() -> None:
    sample = NEGATIVE.generate({"size": 2000, "digits": 7, "buffer": 200}, 3)
    text = sample.prompt.messages[0].text
    assert "magic" not in context(sample)
    assert context(sample).endswith(" ")
    assert "UNANSWERABLE" in text
    assert not re.search(r"\d", text)
    assert sample.target["kind"] == "absent"
    assert sample.lengths["tokens"] == 1800
    assert "depth" not in {axis.name for axis in NEGATIVE.axes}
    assert len(list(NEGATIVE.points({}))) == 9
