"""Which table holds which record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from state.records import (
    AttemptRow,
    CellRow,
    CompletionRow,
    ModelRow,
    PendingRow,
    PromptRow,
    Row,
    ScoreRow,
    StartRow,
    SweepCellRow,
    SweepRow,
    TrialRow,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of facts and the record it holds, field for column."""

    name: str
    row: type[Row]
    key: str | None = None
    """Column of which each value is kept once, although it may be appended again by a resume."""
    names_row: str | None = None
    """Column that tells a row from all others, where one does; else its whole content does."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.row.__struct_fields__

    def values(self, read: Sequence[Any]) -> tuple[Any, ...]:
        """A row's values as read; one written before a field existed gets None for it.

        Raises ValueError for a row with more than its table has columns.
        """
        missing = len(self.names) - len(read)
        if missing < 0:
            raise ValueError(f"{self.name}: {-missing} values too many")
        return (*read, *(None,) * missing)


TABLES: Mapping[type[Row], Table] = {
    table.row: table
    for table in (
        Table(name="sweeps", row=SweepRow, names_row="sweep_id"),
        Table(name="cells", row=CellRow, key="cell_id"),
        Table(name="sweep_cells", row=SweepCellRow),
        Table(name="trials", row=TrialRow, key="trial_id"),
        Table(name="prompts", row=PromptRow, key="trial_id"),
        Table(name="reservations", row=StartRow, names_row="attempt_id"),
        Table(name="attempts", row=AttemptRow, names_row="attempt_id"),
        Table(name="completions", row=CompletionRow, names_row="attempt_id"),
        Table(name="scores", row=ScoreRow),
        Table(name="pending", row=PendingRow),
        Table(name="models", row=ModelRow),
    )
}
BY_NAME: Mapping[str, Table] = {table.name: table for table in TABLES.values()}
OTHER_TABLES = ("meta", "migrations", "journal_loads", "gathered_trials")
"""What a file holds besides its facts."""
