"""Several queries as one statement: answers of one moment, and what they share is done once.

Each view becomes a named subquery, planned once and computed once where several read it. The answer
is one row with a list for each query. That is no detail: beside a running sweep the server that
sends answers can hang over a statement with several streams of rows, and one row is no stream.
"""

from collections.abc import Sequence

from queries.catalog import Query, read_by

_ROWS = """\
(
    select coalesce(list(found order by place), [])
    from (
        select whole as found, row_number() over () as place
        from (
{sql}
        ) as whole
    )
)"""
_COUNT = """\
(
    select count(*)
    from (
{sql}
    ) as whole
)"""


def rows_together(queries: Sequence[Query], views: Sequence[Query]) -> str:
    """One row, with the rows of each query as a list of structs, in the query's own order."""
    return _statement(queries, views, _ROWS)


def counts_together(queries: Sequence[Query]) -> str:
    """One row, with the number of rows of each query; for queries that read tables only."""
    return _statement(queries, (), _COUNT)


def _statement(queries: Sequence[Query], views: Sequence[Query], form: str) -> str:
    answers = ",\n".join(f"{form.format(sql=query.sql)} as {query.name}" for query in queries)
    named = ",\n".join(f"{view.name} as (\n{view.sql}\n)" for view in read_by(queries, views))
    return f"with {named}\nselect\n{answers}" if named else f"select\n{answers}"
