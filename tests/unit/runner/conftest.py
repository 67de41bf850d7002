"""Made-up sweeps for whatever shows results."""

import pytest

from tests.fakes.report_text import SIZES
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker


@pytest.fixture(scope="module")
def maker():
    return Maker(("alpha", "beta")).needles(3, SIZES).threads(1, SIZES).flenqa(3).chains(2)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.duckdb"
    facts = Facts().sweep(repeats=4).model("alpha")
    cell = facts.cell("needle_threading.single_needle", 2000, depth=0)
    for value in (1.0, 0.0, 1.0):
        facts.trial(cell, value)
    facts.pending("alpha", "pending:budget", 1)
    facts.connect(str(path)).close()
    return path
