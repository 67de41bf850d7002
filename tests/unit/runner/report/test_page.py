import gzip
import re
from base64 import b64decode

import orjson

from runner.report.answers import Answers
from runner.report.figures import pictures
from runner.report.page import page
from runner.report.tables import SIMULATED, print_report
from tests.fakes.report_text import text_of
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker


def test_simulated_data_is_labelled_in_tables_and_pictures():
    facts = Maker(("alpha",), simulated=True).chains(1).facts
    with facts.connect() as connection:
        answers = Answers(connection)
        text = text_of(lambda console: print_report(answers, console))
        specs = [picture.spec() for picture in pictures(answers)]
        html = page(answers)
    assert SIMULATED in text
    assert all("SIMULATED" in spec["title"]["subtitle"][0] for spec in specs)
    assert f'<p class="simulated">{SIMULATED}' in html


def test_the_page_is_whole_and_cannot_be_broken_by_names():
    facts = Facts().sweep(name="</script><b>")
    facts.trial(facts.cell("niah.magic_number", 1000, model="<i>x</script>", depth=0), 1.0)
    with facts.connect() as connection:
        html = page(Answers(connection))
    assert "default-src 'none'" in html
    outside = re.sub(r"(<script[^>]*>).*?</script>", r"\1", html, flags=re.DOTALL)
    assert not re.search(r"<\w+[^>]*\s(src|href)=", outside)
    assert html.count("</script>") == 3
    packed = re.search(r'id="data">(.*?)</script>', html)
    assert packed is not None
    data = orjson.loads(gzip.decompress(b64decode(packed[1])))
    assert data["models"] == ["<i>x</script>"]
    (accuracy,) = (figure for figure in data["figures"] if figure["name"] == "accuracy")
    assert accuracy["sql"].startswith("-- grain")
    assert "nt.match = exact" in html
    assert "n_effective" in html
