"""Asks each endpoint which models it has: quickly; no prompt is sent, nothing billed.

A model that its list lacks is asked for by name: aliases are in no list, and a server that answers
any name has none to tell.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote

import orjson
from yarl import URL

from runner.clock import SystemClock
from runner.models.spec import ModelSpec
from runner.providers.catalog import wire_format
from runner.providers.formats.gemini import API_VERSION
from runner.providers.http.answer import Answer
from runner.providers.http.faults import Fault
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http.way_out import environment_proxy
from runner.providers.meaning.error_facts import shorten
from runner.secret import Secret
from runner.vendors import ModelList
from state.records import Outcome

ANSWER_S, BY_NAME_S = 5.0, 3.0
"""For the list, and for all models that it lacks; the whole check must be over in ten seconds."""
MAX_PAGES = 50
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

    transport = AiohttpTransport(SystemClock(), max_body_bytes=MAX_BODY)

    async def ask(account: str, specs: Sequence[ModelSpec]) -> None:
        key = keys.get(account)
        answer = await probe(transport, specs[0], key)
        found[account] = await _with_unlisted(transport, answer, specs, key)

    try:
        async with asyncio.TaskGroup() as group:
            for account, specs in accounts.items():
                environment_proxy(URL(specs[0].base_url))  # one that cannot be used ends it here
                group.create_task(ask(account, specs), name=f"probe {account}")
    finally:
        await transport.aclose()
    return found


async def _with_unlisted(
    transport: AiohttpTransport, answer: Probe, specs: Sequence[ModelSpec], key: Secret | None
) -> Probe:
    """The answer, with the models that are in no list and yet known."""
    if answer.models is None:
        return answer
    known: set[str] = set()
    with suppress(TimeoutError):  # nothing more is known; the list stands
        async with asyncio.timeout(BY_NAME_S):
            for spec in specs:
                if not lists(answer.models, spec.name) and await _knows(transport, spec, key):
                    known.add(spec.name)
    return replace(answer, models=answer.models | known)


async def _knows(transport: AiohttpTransport, model: ModelSpec, key: Secret | None) -> bool:
    """Whether the endpoint describes the model when asked for it by name."""
    url = f"{_list_url(model)}/{quote(model.name, safe='/:@')}"
    came = await transport.get(URL(url, encoded=True), _headers(model, key), BY_NAME_S)
    return isinstance(came, Answer) and came.status == 200 and describes_model(came.body)


async def probe(transport: AiohttpTransport, model: ModelSpec, key: Secret | None) -> Probe:
    """Ask for the list of models, all its pages; whatever goes wrong is part of the answer."""
    headers, names = _headers(model, key), frozenset[str]()
    page = _model_list(model).whole
    until = asyncio.get_running_loop().time() + ANSWER_S
    pages = 0
    while True:
        left_s = until - asyncio.get_running_loop().time()
        came = await transport.get(URL(_list_url(model) + page, encoded=True), headers, left_s)
        if isinstance(came, Fault):
            return Probe(account=model.account, problem=_problem(came))
        more = listed_names(came.body) if came.status == 200 else None
        names |= more or frozenset()
        pages += 1
        page = next_page(came.body, page) if more and pages < MAX_PAGES else ""
        if not page:
            break
    return Probe(
        account=model.account,
        status=came.status,
        models=None if more is None else names,
        date_s=_date_s(came.headers.get("Date")),
    )


def _problem(fault: Fault) -> str:
    if fault.outcome is Outcome.TIMEOUT:
        return f"no answer within {ANSWER_S:.0f} s"
    return f"cannot be reached ({shorten(fault.message)})"


def next_page(body: bytes, page: str) -> str:
    """The query of the page after this one; empty where this is the last."""
    table = _table(body)
    token, last = table.get("nextPageToken"), table.get("last_id")
    if isinstance(token, str) and token:
        return _with(page, "pageToken", token)
    if table.get("has_more") is True and isinstance(last, str) and last:
        # Anthropic says after_id where OpenAI says after; each passes over what it does not know.
        return _with(_with(page, "after_id", last), "after", last)
    return ""


def _with(page: str, name: str, value: str) -> str:
    kept = [
        each
        for each in page.removeprefix("?").split("&")
        if each and not each.startswith(f"{name}=")
    ]
    return "?" + "&".join((*kept, f"{name}={quote(value, safe='')}"))


def _list_url(model: ModelSpec) -> str:
    path = _model_list(model).path
    if model.api_version is not None:  # what calls ask, the list is asked of too
        path = path.replace(API_VERSION, model.api_version, 1)
    return model.base_url + path


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
