"""Tells simulated models from real ones, so that their results never mix.

A cell's id says whether it is simulated, so this is told before a plan makes its cells. What a file
says of an address holds until something is to be sent there; then a server on this machine is asked
what it is (see `runner.endpoints.reach`).
"""

from collections.abc import Mapping
from dataclasses import replace

import duckdb

from runner.models.spec import ModelSpec
from runner.plan.plan import Plan, remodelled

_KNOWN_URLS = """
SELECT base_url, bool_and(simulated) FROM cells GROUP BY base_url
"""


def known_addresses(connection: duckdb.DuckDBPyConnection) -> dict[str, bool]:
    """Base URLs of a file's cells, and whether all that a file holds of one is simulated."""
    return dict(connection.execute(_KNOWN_URLS).fetchall())


def mark(plan: Plan, simulated: Mapping[str, bool]) -> Plan:
    """The plan with the models at these base URLs marked as simulated or real; others stay."""
    return remodelled(plan, lambda model: _marked(model, simulated))


def _marked(model: ModelSpec, simulated: Mapping[str, bool]) -> ModelSpec:
    if model.vendor.own_server is not None:
        return model
    told = simulated.get(model.base_url, model.simulated)
    return model if told == model.simulated else replace(model, simulated=told)
