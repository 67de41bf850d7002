"""Tables, pictures, page and status over made-up sweeps: complete, honest, for 1 model or 20."""

import gzip
import io
import re
from base64 import b64decode
from collections import Counter
from datetime import UTC, datetime, timedelta

import orjson
import pytest
import vl_convert
from rich.console import Console

import runner
from runner.commands.results import report, status
from runner.errors import UsageError
from runner.report.answers import Answers, Narrow
from runner.report.charts.strips import MOST_LINES
from runner.report.figures import FIGURES, PANELS_ON_A_PAGE, pictures
from runner.report.notebook import open_results
from runner.report.page import page
from runner.report.tables import SIMULATED, print_report, print_summary
from tests.sql.facts import Facts
from tests.sql.sweeps import Maker

SIZES = (2000, 100_000)


@pytest.fixture(scope="module")
def maker():
    return Maker(("alpha", "beta")).needles(3, SIZES).threads(1, SIZES).flenqa(3).chains(2)


def text_of(print_it):
    out = io.StringIO()
    print_it(Console(file=out, width=100, color_system=None))
    return out.getvalue()


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


def test_every_figure_is_drawn_from_the_file(maker):
    with maker.facts.connect() as connection:
        drawn = list(pictures(Answers(connection)))
    assert {picture.figure.name for picture in drawn} == {figure.name for figure in FIGURES}
    for picture in drawn:
        vl_convert.vegalite_to_vega(picture.chart().to_dict())


def test_the_chance_level_is_drawn(maker):
    with maker.facts.connect() as connection:
        (accuracy,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
    chances = {row["task"]: row["chance"] for row in accuracy.rows if row["size"] in {2000, 250}}
    assert chances["needle_threading.single_needle"] == pytest.approx(1 / 25)
    assert chances["flenqa.monorel"] == 0.5
    assert "chance" in orjson.dumps(accuracy.chart().to_dict()["spec"]).decode()


@pytest.mark.parametrize("models", [1, MOST_LINES])
def test_models_of_one_picture_can_be_told_apart(models):
    names = tuple(f"model-{index:02d}" for index in range(models))
    with Maker(names).needles(1, (2000,)).facts.connect() as connection:
        drawn = list(pictures(Answers(connection)))
        specs = {picture.name: picture.spec() for picture in drawn}
    layers = specs["accuracy"]["spec"]["layer"]
    (points,) = (layer for layer in layers if "shape" in layer["encoding"])
    looks = [points["encoding"][key]["scale"]["range"] for key in ("color", "shape")]
    assert len(set(zip(*looks, strict=True))) == models
    assert ("compare" in specs) == (models > 1)
    for spec in specs.values():
        vl_convert.vegalite_to_vega(spec)


def test_more_models_than_lines_have_a_row_each_and_their_pairs_a_cell_each():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with Maker(names).needles(1, (2000,)).facts.connect() as connection:
        specs = {picture.name: picture.spec() for picture in pictures(Answers(connection))}
    for name in ("accuracy", "refusals", "latency"):
        for layer in specs[name]["spec"]["layer"]:
            assert layer["encoding"]["y"]["field"] == "who"
    assert "chance" not in orjson.dumps(specs["accuracy"]["title"]).decode()
    cells = specs["compare"]["spec"]["layer"][0]["encoding"]
    assert (cells["y"]["field"], cells["x"]["field"]) == ("who_a", "who_b")
    for spec in specs.values():
        vl_convert.vegalite_to_vega(spec)


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


def test_planned_cells_without_answers_stay_in_the_heatmap_as_empty():
    facts = Facts().sweep()
    facts.trial(facts.cell("needle_threading.single_needle", 2000, depth=0), 1.0)
    facts.trial(facts.cell("needle_threading.single_needle", 4000, depth=0), outcome="refused")
    with facts.connect() as connection:
        (heat,) = (it for it in pictures(Answers(connection)) if it.name.startswith("depth"))
        spec = heat.spec()
    assert [row["accuracy"] for row in heat.rows] == [1.0, None]
    filters = [layer.get("transform") for layer in spec["spec"]["layer"]]
    assert filters[0] is None
    assert filters[1] == [{"filter": "isValid(datum.accuracy)"}]


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


def test_the_command_writes_what_was_asked_for(file, tmp_path, capsys):
    out, folder = tmp_path / "page.html", tmp_path / "deep" / "pictures"
    assert report.run(file, html=out, png=folder) == 0
    assert out.read_text().startswith("<!doctype html>")
    names = {path.name for path in folder.iterdir()}
    assert {"accuracy.png", "depth_heatmap-needle_threading.single_needle.png"} <= names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.iterdir())
    assert "not evaluated: 1 of 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: report.run(path / "none.duckdb"), "no such file"),
        (lambda path: report.run(path / "small.duckdb", model="gpt*"), "--model gpt*"),
        (lambda path: report.run(path / "small.duckdb", html=path / "no" / "x.html"), "written"),
        (lambda path: open_results(path / "none.duckdb"), "no such file"),
        (lambda path: open_results(path / "small.duckdb").chart("pie"), "is no chart"),
        (lambda path: open_results(path / "small.duckdb").chart("next_word"), "has no rows"),
    ],
)
def test_bad_input_is_one_clear_line(file, make, words):
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        make(file.parent)
    assert "\n" not in str(caught.value)


def test_an_empty_sweep_is_said(tmp_path):
    path = tmp_path / "empty.duckdb"
    Facts().sweep().connect(str(path)).close()
    with pytest.raises(UsageError, match="no trials"):
        report.run(path)


def test_results_answer_in_a_notebook(file, tmp_path):
    with open_results(file) as results:
        assert results.sql("select count(*) from trial_results").fetchone() == (3,)
        assert results.accuracy().df()["accuracy"].tolist() == [pytest.approx(2 / 3)]
        assert "accuracy" in results.charts()
        bundle = results.chart("depth_heatmap")._repr_mimebundle_()
        assert bundle["image/svg+xml"].startswith("<svg")
        results.chart().save(tmp_path / "a.png")
        with pytest.raises(UsageError, match=r"\.png or \.svg"):
            results.chart().save(tmp_path / "a.gif")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_status_of_a_file_at_rest(file, capsys):
    assert status.run(file) == 0
    out = capsys.readouterr().out
    assert "3 of 4 trials done (75.0 %)" in out
    assert "1 trials not done (pending:budget)" in out


LANE = {
    "in_flight": 7,
    "oldest_s": 3.2,
    "rate_limited": 4,
    "tokens_per_s": 1234.5,
    "eta_s": 61,
    "waiting_limiter": True,
    "waiting_backoff": 0,
    "errors": {"invalid_request": 2},
}


def test_status_of_a_live_sweep(file):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    stamp = int((now - timedelta(seconds=1)).timestamp() * 1e6)
    content = {
        "name": "first",
        "state": "running",
        "elapsed_s": 65,
        "budget_usd": 5.0,
        "spent_usd": 1.25,
        "held_usd": 0.5,
        "updated_at": stamp,
        "models": {"openai/alpha": LANE},
    }
    file.with_name(file.name + ".status").write_bytes(orjson.dumps(content))
    moment = status.read_moment(file, now)
    assert moment is not None
    progress = [{"provider": "openai", "model": "alpha", "simulated": False, "n_planned": 4,
                 "n_done": 3, "n_answered": 3, "n_not_evaluated": 0, "share_done": 0.75,
                 "n_pending": 1, "pending_reason": None}]  # fmt: skip
    spend = [{"provider": "openai", "model": "alpha", "simulated": False, "settled": 1.25,
              "maybe_billed": None}]  # fmt: skip
    lines = list(status.headline(progress, moment))
    assert lines[1] == "first: running, for 1m05s"
    assert lines[2] == "spent $1.25 of $5.00, held for running calls $0.5000, left $3.25"
    (row,) = status.table(progress, spend, moment).rows
    assert row[6:] == ["$1.25", "-", "7", "3s", "4", "1.2k", "1m01s", "rate limit"]
    assert list(status.remarks(progress, moment)) == [
        "alpha: calls without an answer: invalid_request 2"
    ]
    late = status.read_moment(file, now + timedelta(minutes=5))
    assert late is not None
    assert "no sign of life" in list(status.headline(progress, late))[1]


def test_a_broken_status_file_is_no_status(file):
    file.with_name(file.name + ".status").write_text("{half")
    assert status.read_moment(file, datetime.now(UTC)) is None


def test_open_results_is_imported_from_the_package(file):
    with runner.open_results(file) as results:
        assert "accuracy" in repr(results)
    with pytest.raises(AttributeError, match="nothing"):
        _ = runner.nothing


def every_benchmark(models=("alpha", "beta")):
    return Maker(models).needles(1, (2000,)).threads(1, (2000,)).magic(1).flenqa(2).chains(1).facts


def test_a_picture_of_too_many_panels_for_a_page_is_one_for_each_benchmark():
    facts = every_benchmark()
    with facts.connect() as connection:
        paged = {picture.name: picture for picture in pictures(Answers(connection))}
        whole = list(pictures(Answers(connection), paged=False))
    parts = {name for name in paged if name.startswith("effective_context-")}
    benchmarks = ("flenqa", "needle_threading", "needlechain", "niah")
    assert parts == {f"effective_context-{benchmark}" for benchmark in benchmarks}
    for name in parts:
        assert len({row["panel"] for row in paged[name].rows}) <= PANELS_ON_A_PAGE
        assert {row["task"].partition(".")[0] for row in paged[name].rows} == {
            name.partition("-")[2]
        }
    (all_of_it,) = (picture for picture in whole if picture.name == "effective_context")
    assert sum(len(paged[name].rows) for name in parts) == len(all_of_it.rows)


def test_of_many_models_fewer_panels_fit_a_page():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with Maker(names).flenqa(2).chains(1).facts.connect() as connection:
        drawn = {picture.name for picture in pictures(Answers(connection))}
    for name in ("accuracy", "latency", "outcomes", "compare"):
        assert {f"{name}-flenqa", f"{name}-needlechain"} <= drawn


def test_of_many_models_errors_answers_and_lengths_are_cells():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with every_benchmark(names).connect() as connection:
        drawn = {picture.name: picture for picture in pictures(Answers(connection))}
    errors = drawn["chain_errors-needlechain.mixed"]
    assert {row["panel"].partition("\n")[0] for row in errors.rows} == {
        "calculation error",
        "instruction not followed",
        "needle omission",
    }
    answers = drawn["answers-flenqa.pir"]
    bars = {(row["who"], row["size"], row["asked"]) for row in answers.rows}
    parts = {row["answer"] for row in answers.rows}
    assert len(answers.rows) == len(bars) * len(parts)
    sums = Counter()
    for row in answers.rows:
        sums[row["who"], row["size"], row["asked"]] += row["share"]
    assert all(total == pytest.approx(1) for total in sums.values())
    lengths = drawn["effective_context-niah"].spec()
    assert [layer["mark"]["type"] for layer in lengths["layer"]] == ["rect", "text"]
    assert "≥" in drawn["effective_context-niah"].about


def test_of_many_models_chance_has_a_row_of_its_own():
    names = tuple(f"model-{index:02d}" for index in range(MOST_LINES + 1))
    with Maker(names).flenqa(2).facts.connect() as connection:
        (accuracy,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
        layers = accuracy.spec()["spec"]["layer"]
    guessed = [layer for layer in layers if "(chance)" in orjson.dumps(layer).decode()]
    assert [layer["mark"]["type"] for layer in guessed] == ["rect", "text"]


def test_of_many_tasks_the_cost_of_a_benchmark_has_one_colour():
    with every_benchmark().connect() as connection:
        (many,) = (it for it in pictures(Answers(connection)) if it.name == "cost")
    assert {row["part"] for row in many.rows} == {
        "flenqa",
        "needle_threading",
        "needlechain",
        "niah",
    }
    with Maker(("alpha",)).chains(1).facts.connect() as connection:
        (few,) = (it for it in pictures(Answers(connection)) if it.name == "cost")
    assert {row["part"] for row in few.rows} == {
        "needlechain.backward",
        "needlechain.forward",
        "needlechain.mixed",
    }


def test_each_panel_has_ticks_where_it_was_swept():
    facts = Facts().sweep()
    swept = {"flenqa.monorel": (250, 500), "niah.magic_number": (150, 300, 600)}
    for task, sizes in swept.items():
        for size in sizes:
            facts.trial(facts.cell(task, size, unit="tokens", depth=50), 1.0)
    with facts.connect() as connection:
        (drawn,) = (it for it in pictures(Answers(connection)) if it.name == "accuracy")
    labels = sorted(re.findall(r">(\d+)</text>", vl_convert.vegalite_to_svg(drawn.spec())), key=int)
    assert labels == ["150", "250", "300", "500", "600"]
