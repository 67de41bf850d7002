import re

from runner.report.answers import Answers
from runner.report.column import COLUMN_PX, svg_width
from runner.report.figures import pictures
from runner.report.files import write_for_paper
from tests.sql.sweeps import Maker

POINTS_OF_7 = 7 * 96 / 72


def test_pictures_for_a_paper_fit_a_column_and_can_be_read(tmp_path):
    with Maker(("alpha", "beta")).needles(1, (2000, 8000)).flenqa(1).facts.connect() as connection:
        kinds = {}
        for picture in pictures(Answers(connection)):
            kinds.setdefault(picture.figure.name, picture)
        written = list(write_for_paper(kinds.values(), tmp_path))
    assert len(written) == 3 * len(kinds)
    for path in written:
        if path.suffix == ".svg":
            svg = path.read_text()
            assert svg_width(svg) <= COLUMN_PX + 1, path.name
            assert min(map(float, re.findall(r'font-size="([\d.]+)px"', svg))) >= POINTS_OF_7
        if path.suffix == ".pdf":
            (box,) = re.findall(rb"MediaBox \[0 0 (\d+)", path.read_bytes())
            assert int(box) <= 3.25 * 72 + 1
