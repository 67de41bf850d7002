"""Plans from a few lines of TOML, for tests of what is decided before anything is sent."""

from pathlib import Path

from runner.config.sweep import SweepConfig, parse
from runner.models.spec import resolve_all
from runner.plan.build import plan_sweep
from runner.plan.plan import Plan

NOW_US = 1_790_000_000_000_000


def plan_of(text: str, folder: Path = Path()) -> tuple[SweepConfig, Plan]:
    config = parse(text, folder / "sweep.toml")
    return config, plan_sweep(config, resolve_all(config, NOW_US))


def sweep_text(
    *, model: str = "", sweep: str = "repeats = 2", tasks: str | None = None, id: str = "compat/a"
) -> str:
    """One model, and single needles in two sizes unless told otherwise."""
    address = 'base_url = "http://127.0.0.1:9/v1"' if id.startswith("compat/") else ""
    needles = """
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 8000]
depth = [0, 50, 100]
"""
    return f"""
[sweep]
name = "t"
{sweep}
[[models]]
id = "{id}"
{address}
{model}
{needles if tasks is None else tasks}"""
