"""`runner demo`: a small real sweep of a real local model, from nothing to a picture."""

from pathlib import Path

from runner.commands.sweeps.sweep import run_config
from runner.config.models import ModelConfig, PriceConfig
from runner.config.sweep import SweepConfig
from runner.config.tasks import TaskConfig
from runner.endpoints.local import find_weights
from runner.terminal.console import console
from runner.vendors import SMOLLM2
from state.sharing.reading import open_for_reading

DB = Path("demo.duckdb")
PICTURE = Path("demo.png")

PAIR_CHARS = 80
"""One UUID pair of Needle Threading."""
_FINISHED = frozenset({0, 5})
"""Exit codes after which there is something to draw."""


def demo_config() -> SweepConfig:
    """What the demo sweeps: as many trials as two cores answer in about two minutes.

    The model reads some hundred tokens a second and writes some twenty-five, so sizes are the
    smallest at which it shows what it can and cannot do.
    """
    return SweepConfig(
        name="demo",
        repeats=2,
        models=(
            ModelConfig(
                id=f"local/{SMOLLM2.name}",
                price=PriceConfig(input=0.0, output=0.0),
                params={"max_tokens": 104},
            ),
        ),
        tasks=(
            # It can repeat a UUID, and it guesses as soon as there are two. First and last key, in
            # equal parts: a model that always names the last one must not look as if it could read.
            TaskConfig(
                name="needle_threading.single_needle",
                axes={"size": tuple(PAIR_CHARS * n for n in (1, 2, 3, 5)), "depth": (0, 100)},
            ),
            # Without a buffer the context is as long as the size says.
            TaskConfig(
                name="niah.magic_number",
                axes={"size": (150, 300, 600), "depth": (50,), "buffer": (0,)},
            ),
            # Half of the answers should be True.
            TaskConfig(
                name="flenqa.monorel",
                axes={
                    "size": (250, 500),
                    "padding": ("similar",),
                    "placement": ("middle",),
                    "cot": (False,),
                },
            ),
        ),
    )


def run(*, plain: bool = False) -> int:
    """Sweep, draw, and say where everything is; the same command goes on after an interruption."""
    find_weights()
    code = run_config(demo_config(), DB, plain=plain)
    if code not in _FINISHED:
        return code
    draw(DB, PICTURE)
    _say_what_next()
    return code


def draw(db: Path, picture: Path) -> None:
    """Accuracy over length, with the level that guessing reaches."""
    # Plotting takes a second to load: not before the sweep is over.
    from runner.report.answers import Answers  # noqa: PLC0415
    from runner.report.figures import pictures  # noqa: PLC0415

    with open_for_reading(db) as reader:
        drawn = pictures(Answers(reader.connection))
        shown = next(it for it in drawn if it.name == "accuracy")
        shown.chart().save(str(picture), scale_factor=2)


def _say_what_next() -> None:
    out = console()
    for line in (
        "",
        f"picture:  {PICTURE.resolve()}",
        f"database: {DB.resolve()}",
        "try next:",
        f'  runner sql {DB} "from cell_accuracy"',
        f"  runner report {DB} --html demo.html",
        "  runner init my-sweep && runner sweep my-sweep/sweep.toml --dry-run",
    ):
        out.print(line, soft_wrap=True)
