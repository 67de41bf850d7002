"""A paper's grid as the text of a config: what it asks and how often, of the user's models."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.papers.published import AskedTask, Paper
from tasks.catalog import TASKS
from tasks.sample import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Whose grid is written, for whom."""

    name: str
    """The paper's, on the command line."""
    paper: Paper
    part: str
    """The table, as `table 1`; '' for all of it."""
    asked: Sequence[AskedTask]
    appendix: Sequence[AskedTask]
    models: Sequence[str]
    base_url: str | None = None

    @property
    def stem(self) -> str:
        """What the sweep is called, and its file where the user names none."""
        return "-".join(filter(None, (self.name, self.part.replace(" ", "-"))))


def config_text(wanted: Wanted, path: Path) -> str:
    """The config, to be written there; what the paper asks beside it is commented out."""
    return "\n".join(_lines(wanted, path)) + "\n"


def _lines(wanted: Wanted, path: Path) -> Iterator[str]:
    paper = wanted.paper
    whose = f"{paper.title} ({paper.source})"
    yield f"# {wanted.part.capitalize() or 'The whole grid'} of {whose}, with its published values."
    yield "#"
    yield f"#   runner sweep {path.name} --dry-run"
    yield f"#   runner sweep {path.name}"
    yield f"#   runner reproduce {wanted.name} {path.stem}.duckdb"
    yield from ("", "[sweep]", f"name = {_toml(wanted.stem)}")
    yield f"repeats = {paper.repeats}  # {paper.about_repeats}"
    yield 'profile = "paper"'
    yield '# budget = "100usd"  # a hard cap: reserved before each call'
    for model in wanted.models:
        yield from ("", "[[models]]", f"id = {_toml(model)}")
        if wanted.base_url is not None:
            yield f"base_url = {_toml(wanted.base_url)}"
            yield "# price = { input = 0.5, output = 0.8 }  # usd per million tokens, or price = 0"
        yield "# repeats = 1  # fewer for a costly model"
    for asked in wanted.asked:
        yield ""
        yield from _table(asked)
    if wanted.appendix:
        yield from ("", "# Beside the main grid:")
    for asked in wanted.appendix:
        yield "#"
        yield from (f"# {line}" for line in _table(asked))


def _table(asked: AskedTask) -> Iterator[str]:
    yield from ("[[tasks]]", f"name = {_toml(asked.task)}")
    for axis in TASKS[asked.task].axes:
        values = asked.axes.get(axis.name, axis.published)
        yield f"{axis.name} = [{', '.join(map(_toml, values))}]"
    if asked.repeats is not None:
        yield f"repeats = {asked.repeats}"


def _toml(value: Scalar) -> str:
    """The value in TOML, which spells scalars as JSON does."""
    return json.dumps(value)
