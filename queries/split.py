"""Splits every view by axes, and narrows all of them by a condition, in one place.

A task under a condition is a task of its own, named `flenqa.pir (cot=true)`, so whatever a view
does for each task it does for each condition. Where nothing is asked for, each task is split by the
axes that its paper keeps apart, if the file holds several of their values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from queries.catalog import Query, QueryError, read_by
from state.literals import literal
from tasks.catalog import TASKS

PLACE = "stg_asked_cells"
COLUMNS = ("provider", "model", "task", "size")
"""What a condition may name beside the axes."""
_TYPES: Mapping[frozenset[str], str] = {
    frozenset({"BOOLEAN"}): "boolean",
    frozenset({"UBIGINT"}): "bigint",
    frozenset({"BIGINT", "UBIGINT"}): "bigint",
    frozenset({"DOUBLE"}): "double",
    frozenset({"DOUBLE", "UBIGINT"}): "double",
    frozenset({"DOUBLE", "BIGINT", "UBIGINT"}): "double",
}
_AXES = """\
with found as (
    select task, axis, point ->> path as value, json_type(point, path) as kind
    from (
        select task, point, unnest(json_keys(point)) as axis, '$."' || axis || '"' as path
        from cells
    )
),
compared as (
    select *, min(value) over task_axis <> max(value) over task_axis as several
    from found
    window task_axis as (partition by task, axis)
)
select
    axis,
    list(distinct kind),
    coalesce(list(distinct task order by task) filter (where several), [])
from compared
group by axis
order by axis"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """By which axes what is shown is split, and which cells it is about."""

    by: Sequence[str] | None = None
    """None takes each task's own."""
    where: str = ""

    @classmethod
    def told(cls, by: str | Sequence[str] | None, where: str | None) -> "Split":
        """The split of a command line or a call; axes may stand in one text, with commas."""
        names = by.split(",") if isinstance(by, str) else by
        axes = None if names is None else [name.strip() for name in names if name.strip()]
        return cls(by=axes, where=(where or "").strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAxis:
    """An axis of the file's cells."""

    name: str
    kind: str
    """The SQL type of its values."""
    several: Sequence[str]
    """Tasks that were asked at more than one of them."""

    @property
    def column(self) -> str:
        """The axis as a column, in SQL."""
        return f"{self.value}::{self.kind} as {self.name}"

    @property
    def value(self) -> str:
        """Its value as text, in SQL."""
        path = f'$."{self.name}"'
        return f"(point ->> {literal(path)})"

    @property
    def label(self) -> str:
        """What a name says of it, in SQL."""
        return f"{literal(f'{self.name}=')} || {self.value}"

    @property
    def apart(self) -> Sequence[str]:
        """Tasks whose paper keeps apart the values that the file holds several of."""
        return [task for task in self.several if _is_apart(task, self.name)]


Axes = Mapping[str, FoundAxis]


def _is_apart(task: str, name: str) -> bool:
    known = TASKS.get(task)
    return known is not None and any(a.name == name and a.is_apart for a in known.axes)


def plain_task(task: str) -> str:
    """The task's own name, without the condition."""
    return task.partition(" (")[0]


def unsplit(task: str, axes: Sequence[str]) -> str:
    """The task under what is left of its condition, where some axes are shown in another way."""
    name, _, condition = task.partition(" (")
    parts = condition.removesuffix(")").split(", ")
    kept = ", ".join(part for part in parts if part.partition("=")[0] not in axes)
    return f"{name} ({kept})" if kept else name


def split_views(
    connection: duckdb.DuckDBPyConnection, views: Sequence[Query], split: Split
) -> tuple[Query, ...]:
    """The views, split and narrowed. Raises QueryError naming the axes that there are."""
    axes = axes_of(connection)
    _check(connection, axes, split)
    return tuple(
        replace(view, sql=_asked(axes, split)) if view.name == PLACE else view for view in views
    )


def accuracy_by(connection: duckdb.DuckDBPyConnection, views: Sequence[Query], split: Split) -> str:
    """One statement over `accuracy_by_size`, split; the axes it is split by are columns."""
    axes = axes_of(connection)
    names = split.by if split.by is not None else [name for name in axes if axes[name].apart]
    columns = "".join(f", {axes[name].column}" for name in names if name in axes)
    said = f"""\
select labels.* exclude (labelled), found.* exclude (task)
from accuracy_by_size as found
inner join (
    select distinct task as labelled, plain_task as task{columns}
    from {PLACE}
) as labels on found.task = labelled
order by labelled, provider, model, size"""  # noqa: S608  axes are the file's own words
    asking = Query(name="asking", layer="user", sql=said, grain="")
    split_up = split_views(connection, views, split)
    named = ", ".join(f"{view.name} as (\n{view.sql}\n)" for view in read_by([asking], split_up))
    return f"with {named} {said}"


def axes_of(connection: duckdb.DuckDBPyConnection) -> Axes:
    """The axes that the file's cells have."""
    return {
        name: FoundAxis(name=name, kind=_TYPES.get(frozenset(kinds), "varchar"), several=several)
        for name, kinds, several in connection.execute(_AXES).fetchall()
    }


def _check(connection: duckdb.DuckDBPyConnection, axes: Axes, split: Split) -> None:
    names = ", ".join(axes) or "none: the file holds no cells yet"
    for name in split.by or ():
        if name not in axes:
            raise QueryError(f"--by {name}: no such axis; there are {names}")
    if not split.where:
        return
    try:
        found = connection.execute(f"{_matching('cells', axes, split.where)} limit 1").fetchall()
    except duckdb.Error as error:
        said, _, _ = str(error).partition("\n")
        raise QueryError(
            f"--where {split.where}: {said}; there are {', '.join(COLUMNS)} and the axes {names}"
        ) from error
    if not found:
        raise QueryError(f"--where {split.where}: holds for no cell; the axes are {names}")


def _matching(table: str, axes: Axes, where: str) -> str:
    own = [axis.column for name, axis in axes.items() if name not in COLUMNS]
    columns = ", ".join(("cell_id", *COLUMNS, *own))
    return f"select cell_id from (select {columns} from {table}) where ({where}\n)"  # noqa: S608


def _asked(axes: Axes, split: Split) -> str:
    if split.by is None:
        parts, of_all = list(_parts_by_default(axes)), list[str]()
    else:
        parts = [axes[name].label for name in split.by]
        of_all = [_part_of_all(axes[name]) for name in split.by]
    kept = ""
    if split.where:
        kept = f"\nwhere cell_id in ({_matching('stg_all_cells', axes, split.where)})"
    return f"""\
with labelled as (
    select
        *,
        {_joined(parts)} as label,
        {_joined(of_all)} as overall_label
    from stg_all_cells{kept}
)

select
    * exclude (label, overall_label) replace (
        task || case when label <> '' then ' (' || label || ')' else '' end as task,
        overall || case when overall_label <> '' then ' (' || overall_label || ')' else '' end
            as overall
    ),
    task as plain_task
from labelled"""  # noqa: S608  axes are the file's own words, their values are literals


def _joined(parts: Sequence[str]) -> str:
    return f"concat_ws(', ', {', '.join(parts)})" if parts else "''"


def _part_of_all(axis: FoundAxis) -> str:
    """Of a mean over tasks: only where all of them have it, and it is not kept apart anyway."""
    every = f"bool_and({axis.value} is not null) over (partition by overall)"
    apart = f"curve_axis = {literal(axis.name)} and curve_part <> ''"
    return f"case when {every} and not ({apart}) then {axis.label} end"


def _parts_by_default(axes: Axes) -> Iterator[str]:
    """Each axis that some tasks' papers keep apart, where the file holds several values of it."""
    for axis in axes.values():
        if axis.apart:
            listed = ", ".join(map(literal, axis.apart))
            yield f"case when task in ({listed}) then {axis.label} end"
