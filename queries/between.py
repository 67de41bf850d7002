"""Several files of one model: equal prompts are paired, by the very view that pairs models.

The answers of each file are put side by side in memory, a file taking the place of what a model was
asked in another way, so that differences and intervals are those of `cmp_models`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb

from queries.catalog import Query, shipped
from state.database.opening import OFFLINE

_ANSWERS = """\
select
    simulated,
    provider,
    model,
    setup,
    task,
    trials.trial_id,
    trials.prompt_hash,
    stg_counted_trials.seed,
    value
from stg_counted_trials
inner join stg_cells using (cell_key)
inner join trials on trial_place = trials.rowid"""
_PROFILES = "select distinct profile from stg_trials where value is not null order by profile"
_COLUMNS = {
    "file": "bigint",
    "simulated": "boolean",
    "provider": "varchar",
    "model": "varchar",
    "setup": "varchar",
    "task": "varchar",
    "trial_id": "varchar",
    "prompt_hash": "varchar",
    "seed": "bigint",
    "value": "double",
}
_WIDTH = 4
"""Digits of a file's number, so that names of files stand in the order of the files."""
_ENTRANT = "hash(file, simulated, provider, model, setup, task)"
_STAGED = f"""\
create view stg_cells as
select distinct
    {_ENTRANT} as cell_key,
    simulated,
    provider,
    model,
    lpad(file::varchar, {_WIDTH}, '0') || setup as setup,
    task
from answers;

create view stg_counted_trials as
select
    {_ENTRANT} as cell_key,
    hash(prompt_hash) as prompt_key,
    seed,
    value
from answers"""  # noqa: S608  literals alone
_CHANGES = f"""\
select
    provider_a as provider,
    model_a as model,
    simulated,
    setup_a[{_WIDTH + 1}:] as setup,
    task,
    setup_a[:{_WIDTH}]::bigint as first,
    setup_b[:{_WIDTH}]::bigint as second,
    n_pairs,
    clusters,
    accuracy_a as first_accuracy,
    accuracy_b as second_accuracy,
    -difference as change,
    -ci_high as ci_low,
    -ci_low as ci_high,
    b_better as better,
    a_better as worse,
    p_mcnemar
from cmp_models
where
    first = 0
    and second > 0
    and provider_a = provider_b
    and model_a = model_b
    and setup = setup_b[{_WIDTH + 1}:]
order by second, model, provider, setup, simulated, task"""  # noqa: S608  as above
_FLIPS = """\
with per_prompt as (
    select
        file,
        simulated,
        provider,
        model,
        setup,
        task,
        prompt_hash,
        min(trial_id) as trial_id,
        avg(value) as value
    from answers
    group by all
)

select
    b.file as second,
    a.provider,
    a.model,
    a.setup,
    a.simulated,
    a.task,
    a.trial_id as first_trial,
    b.trial_id as second_trial,
    a.value as first_value,
    b.value as second_value
from per_prompt as a
inner join per_prompt as b using (simulated, provider, model, setup, task, prompt_hash)
where a.file = 0 and b.file > 0 and a.value is distinct from b.value
order by
    second, model, provider, setup, simulated, task,
    coalesce(b.value, -1) - coalesce(a.value, -1), first_trial"""

Found = Mapping[str, Any]


class Between:
    """The answers of several files, side by side; the others are compared with the first."""

    def __init__(self, interval: str | None = None) -> None:
        self._connection = duckdb.connect(config=dict(OFFLINE))
        columns = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
        self._connection.execute(f"create table answers ({columns})")
        self._interval = interval
        self._files = 0
        self.profiles: list[Sequence[str]] = []
        """The profiles that each file's answers were scored under."""

    def add(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Take the answers of one more file, through its views."""
        if self._files == 0:
            self._take_settings(connection)
        rows = connection.execute(_ANSWERS).fetchall()
        self.profiles.append([str(name) for (name,) in connection.execute(_PROFILES).fetchall()])
        number, self._files = self._files, self._files + 1
        names = list(_COLUMNS)
        columns = [
            [number] * len(rows),
            *([row[at] for row in rows] for at in range(len(names) - 1)),
        ]
        unnested = ", ".join(f"unnest(?::{kind}[]) as {name}" for name, kind in _COLUMNS.items())
        self._connection.execute(f"insert into answers select {unnested}", columns)

    def changes(self) -> Sequence[Found]:
        """What changed from the first file to each other one, per model and task."""
        self._connection.execute(_STAGED)
        for name in ("stg_student_t", "cmp_models"):
            self._connection.execute(f"create view {name} as {_view(name).sql}")
        return list(self._rows(_CHANGES))

    def flips(self) -> Sequence[Found]:
        """Prompts of both files with another judgement, those that got worse first."""
        return list(self._rows(_FLIPS))

    def models(self, number: int) -> Sequence[str]:
        """The models that one file holds answers of."""
        found = self._connection.execute(
            "select distinct model from answers where file = ? and value is not null order by 1",
            [number],
        )
        return [str(name) for (name,) in found.fetchall()]

    def close(self) -> None:
        """Let go of the rows."""
        self._connection.close()

    def _take_settings(self, connection: duckdb.DuckDBPyConnection) -> None:
        """The intervals are the first file's kind, unless the reader asks for another."""
        found = connection.execute("select z, interval_kind from settings").fetchall()
        ((z, kind),) = found
        self._connection.execute("create table settings (z double, interval_kind varchar)")
        self._connection.execute("insert into settings values (?, ?)", [z, self._interval or kind])

    def _rows(self, sql: str) -> Iterator[Found]:
        found = self._connection.execute(sql)
        names = [column[0] for column in found.description or ()]
        for row in found.fetchall():
            yield dict(zip(names, row, strict=True))


def _view(name: str) -> Query:
    return next(
        query for layer in ("staging", "marts") for query in shipped(layer) if query.name == name
    )
