"""Tells simulated models from real ones, so that their results never mix.

What a file says of an address holds until something is to be sent there; then a server on this
machine is asked what it is (see `runner.endpoints.reach`).
"""

from collections.abc import Iterable
from dataclasses import replace

import duckdb

from runner.models.spec import ModelSpec
from runner.plan.plan import Plan, remodelled

_SIMULATED_URLS = """
SELECT base_url FROM cells GROUP BY base_url HAVING bool_and(simulated)
"""


def known_simulators(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Base URLs of which a file holds simulated cells only."""
    return frozenset(row[0] for row in connection.execute(_SIMULATED_URLS).fetchall())


def mark(plan: Plan, simulators: frozenset[str]) -> Plan:
    """The plan with every model marked as simulated or real, by its base URL."""
    return remodelled(plan, lambda model: _marked(model, simulators))


def mark_asked(plan: Plan, asked: Iterable[str], simulators: frozenset[str]) -> Plan:
    """The plan with the models at the addresses that were asked marked; others stay."""
    known = {model.model.base_url for model in plan.models if model.model.simulated}
    marked = mark(plan, frozenset(known.difference(asked) | simulators))
    same = all(new is old for new, old in zip(marked.models, plan.models, strict=True))
    return plan if same else marked


def _marked(model: ModelSpec, simulators: frozenset[str]) -> ModelSpec:
    if model.vendor.own_server is not None:
        return model
    return replace(model, simulated=model.base_url in simulators)
