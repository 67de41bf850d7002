"""Asks each endpoint which models it has: once, quickly; no prompt is sent, nothing billed."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

import aiohttp
import orjson

from runner.keys import Secret
from runner.models import ModelSpec
from runner.providers.catalog import WIRES

ANSWER_S = 6.0
"""The whole check must be over in ten seconds."""
MAX_BODY = 8 * 1024 * 1024

_LISTS: Mapping[str, str] = {
    "openai": "/models",
    "compat": "/models",
    "anthropic": "/v1/models?limit=1000",
    "google": "/v1beta/models?pageSize=1000",
}
"""Where a provider lists its models, after the base URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What came back from one account."""

    account: str
    status: int | None = None
    """None: nothing came back."""
    problem: str = ""
    models: frozenset[str] | None = None
    """Names it lists; None when it does not say."""
    date_s: float | None = None
    """Its clock, in seconds since the epoch."""


def probed(model: ModelSpec) -> bool:
    """Whether the model stands behind an address that is there before a sweep."""
    return model.provider in _LISTS


async def probe_all(
    models: Iterable[ModelSpec], keys: Mapping[str, Secret | None]
) -> dict[str, Probe]:
    """One probe for each account, all at once."""
    accounts = {model.account: model for model in models if probed(model)}
    found: dict[str, Probe] = {}

    async def ask(model: ModelSpec) -> None:
        found[model.account] = await probe(session, model, keys.get(model.account))

    async with (
        aiohttp.ClientSession(trust_env=True) as session,
        asyncio.TaskGroup() as group,
    ):
        for model in accounts.values():
            group.create_task(ask(model), name=f"probe {model.account}")
    return found


async def probe(session: aiohttp.ClientSession, model: ModelSpec, key: Secret | None) -> Probe:
    """Ask for the list of models; whatever goes wrong is part of the answer."""
    url = model.base_url + _LISTS[model.provider]
    headers = WIRES[model.provider].headers(None if key is None else key.reveal())
    try:
        async with (
            asyncio.timeout(ANSWER_S),
            session.get(url, headers=headers, allow_redirects=False) as reply,
        ):
            body = await reply.content.read(MAX_BODY)
            return Probe(
                account=model.account,
                status=reply.status,
                models=listed_names(body) if reply.status == 200 else None,
                date_s=_date_s(reply.headers.get("Date")),
            )
    except TimeoutError:
        return Probe(account=model.account, problem=f"no answer within {ANSWER_S:.0f} s")
    except (aiohttp.ClientError, OSError) as error:
        # The class, and the system's words where there are some: never the request's headers.
        words = getattr(error, "strerror", None) or type(error).__name__
        return Probe(account=model.account, problem=f"cannot be reached ({words})")


def listed_names(body: bytes) -> frozenset[str] | None:
    """The names in a list of models in any of the three formats, or None if it is none."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(found, dict):
        return None
    table = cast("dict[str, Any]", found)
    entries = table.get("data", table.get("models"))
    if not isinstance(entries, list):
        return None
    names: set[str] = set()
    for entry in cast("list[Any]", entries):
        if isinstance(entry, dict):
            fields = cast("dict[str, Any]", entry)
            name = fields.get("id") or fields.get("name")
            if isinstance(name, str):
                names.add(name.removeprefix("models/"))
    return frozenset(names)


def _date_s(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
