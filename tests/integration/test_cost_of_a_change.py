"""What is added in one place is there everywhere: a task of a known family, a view, a picture."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import altair as alt
import duckdb
import pytest

from queries import catalog as queries
from queries.catalog import install
from runner.commands.sweeps.sweep_flags import planned
from runner.config.sweep import SweepConfig, parse
from runner.forecast.build import guessed
from runner.plan.fit import cell_tokens
from runner.progress.display import choose
from runner.report import figures
from runner.report.answers import Answers
from runner.report.files import write_pngs
from runner.session.run import RunOptions, run_sweep
from runner.simulator.spec.settings import Ability, ModelSettings, ReaderSettings, SimulatorSettings
from state.database.migrate import migrate
from state.sharing.reading import open_for_reading
from tasks.catalog import TASKS, ConfigurableTask, build
from tasks.options import TaskOptions
from tests.contract.test_tasks import unsaid
from tests.fakes.simulator import Start

MODULE = '''
"""A city's short number."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from tasks.facts import CL100K_TOKENS, TaskFacts
from tasks.niah.family import BUFFER, DEPTH, SIZE, Axes, Hidden, NiahTask
from tasks.sample import Axis


class ShortNumber(NiahTask):
    """A number of three digits."""

    name: ClassVar[str] = "niah.short_number"
    axes: ClassVar[tuple[Axis, ...]] = (SIZE, DEPTH, BUFFER)
    facts: ClassVar[TaskFacts] = TaskFacts(
        answer="number", text="prose", unit_tokens=CL100K_TOKENS, overall="niah"
    )

    def chance(self, axes: Axes) -> float | None:
        return 1 / 900

    def longest_needle(self, axes: Axes) -> int:
        return 40

    def _hide(self, axes: Axes, rng: Random) -> Hidden:
        number = str(rng.randrange(100, 1000))
        return Hidden(
            needle=self._wording.render("needle", city="Lisbon", number=number),
            question=self._wording.render("question", city="Lisbon"),
            target={"kind": "number", "number": number, "city": "Lisbon"},
        )
'''
SWEEP = """
[sweep]
name = "toy"
repeats = 6
[[models]]
id = "compat/reader"
base_url = "{url}"
price = 0
context_window = 1000000
[[tasks]]
name = "niah.short_number"
size = [1000, 2000, 4000]
depth = [0, 50, 100]
"""


def loaded(folder: Path, text: str = MODULE) -> type[ConfigurableTask]:
    """The one module that a task is."""
    path = folder / "short_number.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("short_number", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ShortNumber


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Its one line in the catalogue."""
    made = loaded(tmp_path)
    monkeypatch.setitem(TASKS, made.name, made)
    return made.name


async def swept(simulator: Start, folder: Path) -> tuple[SweepConfig, Path]:
    ability = Ability(frontier_chars=8_000, sharpness=8, depth_dip=0.5)
    reader = ModelSettings(reader=ReaderSettings(abilities={"niah.magic_number": ability}))
    running = await simulator(SimulatorSettings(seed=1, models={"reader": reader}))
    config = parse(SWEEP.format(url=running.openai_url), folder / "sweep.toml")
    display = choose(plain=True, json=False)
    end = await run_sweep(config, planned(config), folder / "t.duckdb", display, RunOptions())
    assert end.exit_code == 0
    return config, folder / "t.duckdb"


def rows(db: Path, query: str) -> list[Any]:
    with open_for_reading(db) as reader:
        return reader.connection.execute(query).fetchall()


@pytest.mark.loopback
async def test_a_task_is_one_module_and_one_line(toy: str, simulator: Start, tmp_path: Path):
    config, db = await swept(simulator, tmp_path)
    chances = rows(db, "select distinct task, chance from accuracy_by_size")
    assert chances == [(toy, 1 / 900)]
    ((axis, depth, effective),) = rows(
        db, "select axis, axis_value, effective_chars from effective_context"
    )
    assert (axis, depth) in {("depth", "0"), ("depth", "50"), ("depth", "100")}
    curves = "select min(effective_chars) from context_frontier where measure = 'plain'"
    assert [(effective,)] == rows(db, curves)
    assert rows(db, "select benchmark, count(*) from overall_accuracy group by all") == [
        ("niah", 3)
    ]
    assert rows(db, "select distinct task from niah_scores") == [(toy,)]
    cell = next(iter(planned(config).cells))
    assert guessed(cell.model).reply_tokens(cell) == 24.0
    assert 800 <= cell_tokens(cell).low <= 1000


def test_it_lacks_nothing_but_its_pinned_hash(toy: str) -> None:
    assert unsaid(TASKS[toy], {}) == ["PINNED"]
    assert unsaid(TASKS[toy], {toy: "0" * 32}) == []


FACTS = MODULE[MODULE.index("    facts:") : MODULE.index("    def chance")]
CHANCE = MODULE[MODULE.index("    def chance") : MODULE.index("    def longest")]


@pytest.mark.parametrize(("left_out", "missing"), [(FACTS, "facts"), (CHANCE, "chance")])
def test_what_a_task_leaves_out_is_named(tmp_path: Path, left_out: str, missing: str) -> None:
    made = loaded(tmp_path, MODULE.replace(left_out, ""))
    assert unsaid(made, {made.name: "0" * 32}) == [missing]


def test_the_points_of_a_task_say_their_own_facts(toy: str) -> None:
    task = build(toy, TaskOptions())
    axes = next(iter(task.points({}))).axes
    assert (task.values_asked(axes), task.reply_tokens(axes)) == (1, 24.0)


@pytest.fixture
def own_sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of queries, as a copy to which a file may be added."""
    copytree(Path(queries.__file__).parent / "sql", tmp_path / "sql")
    monkeypatch.setattr(queries, "files", lambda _: tmp_path)
    queries.shipped.cache_clear()
    queries.fingerprint.cache_clear()
    yield tmp_path / "sql"
    queries.shipped.cache_clear()
    queries.fingerprint.cache_clear()


def test_a_view_is_one_file(own_sql: Path) -> None:
    view = "-- grain: one row per task\nselect task, count(*) as n from trial_results group by task"
    (own_sql / "marts" / "toy_view.sql").write_text(view)
    with duckdb.connect() as connection:
        migrate(connection)
        install(connection)
        assert connection.execute("select * from toy_view").fetchall() == []


PICTURED = """-- grain: one row
select 'p' as provider, 'm' as model, '' as setup, false as simulated, 'toy.one' as task, 7 as n
"""


def test_a_picture_is_a_query_and_an_entry(
    own_sql: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_sql / "figures" / "toy_share.sql").write_text(PICTURED)
    toy = figures.Figure(
        name="toy_share",
        title="A toy's share",
        about="One point.",
        draw=lambda rows: alt.Chart(alt.Data(values=rows)).mark_point().encode(x="n:Q"),
    )
    monkeypatch.setattr(figures, "FIGURES", (*figures.FIGURES, toy))
    with duckdb.connect() as connection:
        migrate(connection)
        install(connection)
        answers = Answers(connection)
        (drawn,) = figures.pictures(answers)
        assert (drawn.name, drawn.title) == ("toy_share", "A toy's share")
        (path,) = write_pngs([drawn], tmp_path / "drawn")
        assert path.read_bytes().startswith(b"\x89PNG")
