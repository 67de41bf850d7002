"""The HTML report in a real browser: drawn offline and without an error, with its filters."""

from pathlib import Path

import pytest

from runner.report.answers import Answers
from runner.report.page import write_page
from tests.fakes.browser import CHROMIUM, browser
from tests.sql.sweeps import Maker

pytestmark = pytest.mark.skipif(
    not Path(CHROMIUM).exists(), reason="needs Chromium (apt-get install chromium)"
)
SIZES = (2000, 16000, 100000)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    maker = Maker(("alpha-large", "beta-mini"), simulated=True)
    facts = maker.needles(2, SIZES).threads(2, SIZES).flenqa(4).chains(3).facts
    path = tmp_path_factory.mktemp("page") / "report.html"
    with facts.connect() as connection:
        write_page(Answers(connection), path)
    return path


DRAWN = "document.querySelectorAll('#figures article svg.marks').length"
EMPTY = "document.querySelectorAll('#figures article .empty').length"
FIGURES = "document.querySelectorAll('#figures article').length"


def tick(kind: str, name: str) -> str:
    return (
        "(() => { delete document.body.dataset.drawn;"
        f" document.querySelector('#{kind} input[value=\"{name}\"]').click(); }})()"
    )


async def test_the_page_draws_everything_offline_and_filters(page_file, tmp_path):
    async with browser(tmp_path / "profile") as page:
        await page.call("Network.enable")
        await page.call(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )
        await page.open(page_file)
        await page.wait_for("document.body && document.body.dataset.drawn")

        figures = await page.run(FIGURES)
        assert figures >= 12
        assert await page.run(DRAWN) == figures
        assert await page.run("document.querySelector('.simulated').textContent") != ""
        assert "SIMULATED" in await page.run(
            "document.querySelector('article svg.marks').textContent"
        )
        legend = "document.querySelector('#figure-accuracy-needle_threading svg.marks').textContent"
        assert "beta-mini" in await page.run(legend)

        await page.run(tick("models", "beta-mini"))
        await page.wait_for("document.body.dataset.drawn")
        assert "beta-mini" not in await page.run(legend)
        assert "alpha-large" in await page.run(legend)
        shown = (
            "[...document.querySelectorAll('#tables tbody tr')].filter((row) => !row.hidden"
            " && row.textContent.includes('beta-mini')).length"
        )
        assert await page.run(shown) == 0

        await page.run(tick("tasks", "needle_threading.threading"))
        await page.wait_for("document.body.dataset.drawn")
        gone = "document.querySelector('[id=\"figure-steps_heatmap-needle_threading.threading\"]')"
        assert await page.run(f"{gone}.querySelector('.empty') !== null")
        assert await page.run(EMPTY) >= 1

        await page.run("document.querySelector('[data-none=models]').click()")
        await page.wait_for(f"{EMPTY} === {FIGURES}")
        await page.run(
            "(() => { delete document.body.dataset.drawn;"
            " document.querySelector('[data-all=models]').click();"
            " document.querySelector('[data-all=tasks]').click(); })()"
        )
        await page.wait_for("document.body.dataset.drawn")
        assert await page.run(DRAWN) == figures

        sql = await page.run(
            "document.querySelector('#figure-accuracy-needle_threading pre').textContent"
        )
        assert "from accuracy_by_size" in sql
        await page.run("document.querySelector('#figure-accuracy-needle_threading .copy').click()")
        assert page.errors == []
        asked = [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
        assert asked == []
