"""`runner reproduce`: a paper's grid as a config with its cost; its tables from a file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from runner.commands.modes import only, refuse_foreign, refuse_together
from runner.commands.sweeps.dry_run import forecast_of
from runner.commands.sweeps.sweep_flags import planned
from runner.config import sweep as configs
from runner.config.complaints import did_you_mean
from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.forecast.printed import print_tables
from runner.papers.grid import Wanted, config_text
from runner.papers.published import PAPERS, Paper, PaperTable
from runner.terminal.console import console


class ReproduceMode(StrEnum):
    """What `runner reproduce` does, as its refusals name it."""

    CONFIG = "a grid to be swept (without a file of results)"
    RESULTS = "a file of results"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceFlags:
    """What stands on the command line beside the paper's name. Raises UsageError."""

    db: Path | None = None
    table: int | None = None
    figure: int | None = field(default=None, metadata=only(ReproduceMode.RESULTS))
    model: tuple[str, ...] = field(default=(), metadata=only(ReproduceMode.CONFIG))
    base_url: str | None = field(default=None, metadata=only(ReproduceMode.CONFIG))
    out: Path | None = field(default=None, metadata=only(ReproduceMode.CONFIG))
    format: str = field(default="table", metadata=only(ReproduceMode.RESULTS))

    def __post_init__(self) -> None:
        """Refuse what would do nothing."""
        refuse_together(self, (("table", "figure"), ("format", "figure")))
        refuse_foreign(self, self.mode)

    @property
    def mode(self) -> ReproduceMode:
        """A file of results is read; without one, a grid is written."""
        return ReproduceMode.CONFIG if self.db is None else ReproduceMode.RESULTS


def run(name: str, flags: ReproduceFlags) -> int:
    """Write the paper's grid and say its cost, or print the paper's tables; 0."""
    paper = PAPERS.get(name)
    if paper is None:
        raise UsageError(f"reproduce: no paper {name!r}{did_you_mean(name, PAPERS)}")
    tables = _tables(name, paper, flags.table)
    if flags.db is None:
        return _write(_wanted(name, paper, tables, flags), flags.out)
    # DuckDB takes longer to load than a grid takes to be written.
    from runner.commands.results.paper_tables import draw, show  # noqa: PLC0415

    if flags.figure is not None:
        return draw(name, flags.figure, flags.db)
    return show(name, tables, flags.db, flags.format)


def _tables(name: str, paper: Paper, number: int | None) -> Sequence[PaperTable]:
    if number is None:
        return paper.tables
    table = paper.table(number)
    if table is None:
        there = ", ".join(str(each.number) for each in paper.tables)
        raise UsageError(f"--table {number}: of {name} there are tables {there}")
    return [table]


def _wanted(name: str, paper: Paper, tables: Sequence[PaperTable], flags: ReproduceFlags) -> Wanted:
    if not flags.model:
        raise UsageError(
            f"reproduce {name}: name the models to ask, like --model openai/gpt-4o-mini-2024-07-18,"
            f" or a file of results, like `runner reproduce {name} {name}.duckdb`"
        )
    alone = flags.table is not None
    return Wanted(
        name=name,
        paper=paper,
        part=f"table {flags.table}" if alone else "",
        asked=tables[0].asked if alone else paper.asked,
        appendix=() if alone else paper.appendix,
        models=flags.model,
        base_url=flags.base_url,
    )


def _write(wanted: Wanted, out: Path | None) -> int:
    """Write the config, which must not be there yet, and forecast what it asks for."""
    path = out or Path(f"{wanted.stem}.toml")
    text = config_text(wanted, path)
    config = _checked(text, path)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(
            f"{path} exists already; it was not changed (name another file with --out)"
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    say = console()
    say.print(f"wrote {path}", soft_wrap=True)
    print_tables(forecast_of(config, planned(config), Path(f"{path.stem}.duckdb")))
    say.print(f"next: runner sweep {path}", soft_wrap=True)
    return 0


def _checked(text: str, path: Path) -> SweepConfig:
    """The config that the text will be; what the command line got wrong is in the models alone."""
    try:
        return configs.parse(text, path)
    except UsageError as error:
        raise UsageError(
            f"{error}; nothing was written: give --model PROVIDER/NAME, and --base-url URL for a"
            " server of your own"
        ) from error
