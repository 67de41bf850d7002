"""Asks each endpoint which models it has: quickly; no prompt is sent, nothing billed.

A model that its list lacks is asked for by name: aliases are in no list, and a server that answers
any name has none to tell.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote

import aiohttp
import orjson
from yarl import URL

from runner.models.spec import ModelSpec
from runner.providers.catalog import wire_format
from runner.secret import Secret
from runner.vendors import ModelList

ANSWER_S, BY_NAME_S = 5.0, 3.0
"""For the list, and for all models that it lacks; the whole check must be over in ten seconds."""
MAX_BODY = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What came back from one account."""

    account: str
    status: int | None = None
    """None: nothing came back."""
    problem: str = ""
    models: frozenset[str] | None = None
    """Names it lists or knows when asked; None when it does not say."""
    date_s: float | None = None
    """Its clock, in seconds since the epoch."""


def probed(model: ModelSpec) -> bool:
    """Whether the model stands behind an address that is there before a sweep."""
    return model.vendor.model_list is not None


def lists(names: Iterable[str], wanted: str) -> bool:
    """Whether a model is among the names; a dated one answers for its family."""
    return any(name == wanted or name.startswith(f"{wanted}-") for name in names)


async def probe_all(
    models: Iterable[ModelSpec], keys: Mapping[str, Secret | None]
) -> dict[str, Probe]:
    """One probe for each account, all at once."""
    accounts: dict[str, list[ModelSpec]] = {}
    for model in filter(probed, models):
        accounts.setdefault(model.account, []).append(model)
    found: dict[str, Probe] = {}

    async def ask(account: str, specs: Sequence[ModelSpec]) -> None:
        key = keys.get(account)
        answer = await probe(session, specs[0], key)
        found[account] = await _with_unlisted(session, answer, specs, key)

    async with (
        aiohttp.ClientSession(trust_env=True) as session,
        asyncio.TaskGroup() as group,
    ):
        for account, specs in accounts.items():
            group.create_task(ask(account, specs), name=f"probe {account}")
    return found


async def _with_unlisted(
    session: aiohttp.ClientSession, answer: Probe, specs: Sequence[ModelSpec], key: Secret | None
) -> Probe:
    """The answer, with the models that are in no list and yet known."""
    if answer.models is None:
        return answer
    known: set[str] = set()
    try:
        async with asyncio.timeout(BY_NAME_S):
            for spec in specs:
                if not lists(answer.models, spec.name) and await _knows(session, spec, key):
                    known.add(spec.name)
    except (TimeoutError, aiohttp.ClientError, OSError):
        pass  # nothing more is known; the list stands
    return replace(answer, models=answer.models | known)


async def _knows(session: aiohttp.ClientSession, model: ModelSpec, key: Secret | None) -> bool:
    """Whether the endpoint describes the model when asked for it by name."""
    url = f"{model.base_url}{_model_list(model).path}/{quote(model.name, safe='/:@')}"
    headers = _headers(model, key)
    async with session.get(URL(url, encoded=True), headers=headers, allow_redirects=False) as reply:
        return reply.status == 200 and describes_model(await reply.content.read(MAX_BODY))


async def probe(session: aiohttp.ClientSession, model: ModelSpec, key: Secret | None) -> Probe:
    """Ask for the list of models; whatever goes wrong is part of the answer."""
    models = _model_list(model)
    url = f"{model.base_url}{models.path}{models.whole}"
    headers = _headers(model, key)
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


def _model_list(model: ModelSpec) -> ModelList:
    found = model.vendor.model_list
    assert found is not None  # noqa: S101  only `probed` models are asked for
    return found


def _headers(model: ModelSpec, key: Secret | None) -> dict[str, str]:
    return wire_format(model.provider).headers(None if key is None else key.reveal())


def listed_names(body: bytes) -> frozenset[str] | None:
    """The names in a list of models in any of the three formats, or None if it is none."""
    table = _table(body)
    entries = table.get("data", table.get("models"))
    if not isinstance(entries, list):
        return None
    names = (_name(entry) for entry in cast("list[Any]", entries))
    return frozenset(name.removeprefix("models/") for name in names if name is not None)


def describes_model(body: bytes) -> bool:
    """Whether a body is about one model, in any of the three formats."""
    return _name(_table(body)) is not None


def _table(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _name(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return None
    fields = cast("dict[str, Any]", entry)
    name = fields.get("id") or fields.get("name")
    return name if isinstance(name, str) else None


def _date_s(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
