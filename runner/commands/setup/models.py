"""`runner models`: prices, context windows and parameters that are known, and since when."""

import fnmatch
from collections.abc import Iterator
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from runner.clock import SystemClock
from runner.config.models import PARAMS
from runner.errors import UsageError
from runner.models.spec import window_of
from runner.money.price import FREE, Rates
from runner.money.price_list import Listed, entries, newest_change, our_id, table_name
from runner.providers.formats.capabilities import capability
from runner.terminal.console import console
from runner.vendors import VENDORS

Entry = tuple[str, Listed]
"""A model's id in a config, and what is known of it."""

_HEADINGS = (
    "model",
    "sold by",
    "window",
    "input above",
    "input",
    "cache read",
    "cache write",
    "output",
    "batch in/out",
    "since",
    "refuses",
)


def run(pattern: str | None) -> int:
    """Models whose id or name fits the glob; without one, the local one and the big vendors'."""
    now = datetime.fromtimestamp(SystemClock().now_us() / 1e6, UTC)
    listed = [*_own_models(), *((our_id(entry), entry) for entry in entries(now))]
    shown = [each for each in listed if each[1].price is not None and _fits(*each, pattern)]
    if not shown:
        raise UsageError(
            f"models: nothing in {table_name()} fits {pattern!r}; try a glob like '*mini*'; a "
            "model that it lacks gets a price in sweep.toml: price = { input = USD, output = USD }"
        )
    _print(console(), shown, now)
    return 0


def _own_models() -> Iterator[Entry]:
    """Models that no table lists: a vendor has but this one."""
    for vendor in VENDORS.values():
        if vendor.only_model is not None:
            name, window = vendor.only_model.name, vendor.only_model.context_window
            listed = Listed(
                provider=vendor.name, model=name, price=FREE, context_window=window, since=None
            )
            yield f"{vendor.name}/{name}", listed


def _fits(id: str, listed: Listed, pattern: str | None) -> bool:
    if pattern is None:
        return VENDORS[id.partition("/")[0]].shown_unasked
    return any(fnmatch.fnmatchcase(name, pattern) for name in (id, listed.model))


def _print(out: Console, shown: list[Entry], now: datetime) -> None:
    table = Table(title="usd per million tokens")
    for heading in _HEADINGS:
        table.add_column(
            heading, overflow="fold", justify="left" if heading == "model" else "right"
        )
    for id, listed in shown:
        for row in _rows(id, listed):
            table.add_row(*row)
    out.print(table)
    fresh = newest_change(now.date())
    out.print(f"prices: {table_name()}, newest dated price {fresh}; `price` in a config wins")
    out.print("limits: from `limits` in a config, else learned from replies and their headers")
    out.print(f"params: {', '.join(PARAMS)}; those under `refuses` are left out of requests")


def _rows(id: str, entry: Listed) -> list[tuple[str, ...]]:
    """A line for the base price, and one for each tier of long prompts."""
    price = entry.price
    assert price is not None  # noqa: S101  unpriced entries were left out above
    provider, _, name = id.partition("/")
    window = window_of(provider, name, entry)
    batch = price.batch
    first = (
        id,
        entry.provider,
        "?" if window is None else f"{window:,}",
        "",
        *_dollars(price),
        "" if batch is None else f"{_usd(batch.input)}/{_usd(batch.output)}",
        str(entry.since or ""),
        ", ".join(sorted(capability(provider, name).refuses)),
    )
    tiers = [("", "", "", f"{tier.above:,}", *_dollars(tier), "", "", "") for tier in price.tiers]
    return [first, *tiers]


def _dollars(rates: Rates) -> tuple[str, str, str, str]:
    return (_usd(rates.input), _usd(rates.cache_read), _usd(rates.cache_write), _usd(rates.output))


def _usd(pusd_per_token: int | None) -> str:
    return "" if pusd_per_token is None else f"{pusd_per_token / 1e6:g}"
