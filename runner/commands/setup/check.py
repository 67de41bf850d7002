"""`runner check`: what would go wrong, before anything is sent; each line with its fix."""

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from runner.clock import SystemClock
from runner.config import sweep as configs
from runner.config.complaints import did_you_mean
from runner.config.sweep import SweepConfig
from runner.endpoints.local import find_weights
from runner.endpoints.probe import Probe, lists, probe_all, probed
from runner.errors import UsageError
from runner.forecast.disk import plan_bytes
from runner.models.keys import read_key
from runner.models.spec import ModelSpec, resolve_all
from runner.plan.build import plan_sweep
from runner.plan.fit import cell_tokens, may_fit
from runner.plan.plan import Plan
from runner.secret import Secret
from runner.terminal.console import console
from runner.vendors import VENDORS, OwnServer

MAX_SKEW_S = 60.0
"""Beyond it, dates in Retry-After headers mean another moment than the provider's."""
DISK_RESERVE = 256 * 1024 * 1024
"""Room beyond the result file, so that nothing else on the disk stops for it."""


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the check."""

    level: Level
    what: str
    fix: str = ""


def run(config: Path) -> int:
    """0 when a sweep could start, 2 when something must be fixed first."""
    loaded = configs.load(config)
    clock = SystemClock()
    models = resolve_all(loaded, clock.now_us())
    plan = plan_sweep(loaded, models)
    keys, findings = _keys(models, loaded.where)
    probes = asyncio.run(probe_all(models, keys))
    findings += [
        *_endpoints(models, probes),
        *_clock(probes, clock.now_us() / 1e6),
        *_prices(models, loaded),
        *_windows(plan),
        *(Finding(level=Level.WARN, what=f"plan: {remark}") for remark in plan.remarks),
        *_tokenizers(models),
        *_local(models),
        *_disk(plan, loaded.db or Path(f"{config.stem}.duckdb")),
    ]
    return _print(findings)


def _print(findings: list[Finding]) -> int:
    out = console()
    for finding in findings:
        fix = f"\n      fix: {finding.fix}" if finding.fix else ""
        out.print(f"{finding.level:4}  {finding.what}{fix}", soft_wrap=True)
    failed = sum(finding.level is Level.FAIL for finding in findings)
    warned = sum(finding.level is Level.WARN for finding in findings)
    out.print(f"{failed} to fix, {warned} to know")
    return 2 if failed else 0


def _ok(what: str) -> Finding:
    return Finding(level=Level.OK, what=what)


def _keys(
    models: tuple[ModelSpec, ...], where: str
) -> tuple[dict[str, Secret | None], list[Finding]]:
    keys: dict[str, Secret | None] = {}
    findings: list[Finding] = []
    for model in {model.account: model for model in models}.values():
        try:
            keys[model.account] = read_key(model, os.environ, where)
        except UsageError as error:
            fix = f"export {model.api_key_env}=..."
            findings.append(Finding(level=Level.FAIL, what=f"key: {error}", fix=fix))
        else:
            need = f"{model.api_key_env} is set" if model.api_key_env else "none needed"
            findings.append(_ok(f"key: {model.provider}: {need}"))
    return keys, findings


def _endpoints(models: tuple[ModelSpec, ...], probes: Mapping[str, Probe]) -> Iterator[Finding]:
    for model in models:
        if probed(model):
            yield judge(model, probes[model.account])


def judge(model: ModelSpec, probe: Probe) -> Finding:
    """What an account's answer says about one of its models."""
    at = f"endpoint: {model.id} at {model.base_url}"
    if probe.status is None:
        fix = "start the server, or correct base_url; check the network and proxy"
        return Finding(level=Level.FAIL, what=f"{at}: {probe.problem}", fix=fix)
    if probe.status in (401, 403):
        fix = f"put a valid key into {model.api_key_env or 'a variable named by api_key_env'}"
        return Finding(level=Level.FAIL, what=f"{at}: key refused ({probe.status})", fix=fix)
    if probe.status >= 500:
        fix = "wait, or look at the provider's status page"
        return Finding(level=Level.FAIL, what=f"{at}: answers {probe.status}", fix=fix)
    if probe.models is None:
        what = f"{at}: answers ({probe.status}), but does not list its models"
        fix = f"if calls fail too: {_with_v1()} want base_url with /v1, the others without"
        return Finding(level=Level.WARN, what=what, fix=fix)
    if not lists(probe.models, model.name):
        return _not_there(at, model, probe.models)
    return _ok(f"{at}: answers, and has it")


def _with_v1() -> str:
    """The vendors at whose servers models are asked for under a base URL that ends in /v1."""
    probed_ones = (vendor for vendor in VENDORS.values() if vendor.model_list is not None)
    *first, last = (vendor.name for vendor in probed_ones if vendor.base_ends_in_v1)
    return f"{', '.join(first)} and {last}"


def _not_there(at: str, model: ModelSpec, names: frozenset[str]) -> Finding:
    if not names:
        what = f"{at}: answers, but lists no model and does not know {model.name!r} by name"
        return Finding(
            level=Level.WARN, what=what, fix="load the model there, or choose another id"
        )
    hint = did_you_mean(model.name, sorted(names))
    what = f"{at}: no model {model.name!r} there"
    return Finding(level=Level.FAIL, what=what, fix=f"choose another id{_short(hint)}")


def _short(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."


def _clock(probes: Mapping[str, Probe], now_s: float) -> Iterator[Finding]:
    skews = [probe.date_s - now_s for probe in probes.values() if probe.date_s is not None]
    if not skews:
        return
    # One server may be wrong; the least difference is the one that all of them share.
    skew = min(skews, key=abs)
    if abs(skew) > MAX_SKEW_S:
        word = "behind" if skew > 0 else "ahead"
        what = f"clock: this machine is {abs(skew):.0f} s {word} of the endpoints"
        yield Finding(level=Level.FAIL, what=what, fix="turn on time synchronisation")
    else:
        yield _ok(f"clock: within {MAX_SKEW_S:.0f} s of the endpoints")


def _prices(models: tuple[ModelSpec, ...], config: SweepConfig) -> Iterator[Finding]:
    for model in models:
        if model.price is not None:
            yield _ok(f"price: {model.id}: {model.price_source}")
            continue
        level = Level.WARN if config.budget_pusd is None else Level.FAIL
        fix = "price = { input = USD, output = USD } per million tokens, or price = 0 if free"
        yield Finding(level=level, what=f"price: {model.id}: {model.price_source}", fix=fix)


def _windows(plan: Plan) -> Iterator[Finding]:
    for planned in plan.models:
        model = planned.model
        if model.context_window is None:
            what = f"window: {model.id}: unknown, so nothing is held back as too long"
            yield Finding(level=Level.WARN, what=what, fix="context_window = TOKENS")
            continue
        over = [cell for cell in planned.cells if not may_fit(model, cell_tokens(cell))]
        said = f"window: {model.id}: {model.context_window:,} tokens"
        if not over:
            yield _ok(f"{said}, all {len(planned.cells)} cells may fit")
            continue
        least = min(float(str(cell.point.axes[cell.task.size_axis])) for cell in over)
        yield Finding(
            level=Level.WARN,
            what=f"{said}: {len(over)} of {len(planned.cells)} cells can never be sent",
            fix=f"{over[0].task.name}: keep {over[0].task.size_axis} below {least:,.0f}",
        )


def _tokenizers(models: tuple[ModelSpec, ...]) -> Iterator[Finding]:
    for model in models:
        how = model.tokenizer or "not published: estimated, then learned from usage"
        yield _ok(f"tokens: {model.id}: {how}")


def _local(models: tuple[ModelSpec, ...]) -> Iterator[Finding]:
    if not any(model.vendor.own_server is OwnServer.LOCAL_MODEL for model in models):
        return
    try:
        weights = find_weights()
    except UsageError as error:
        yield Finding(level=Level.FAIL, what="local: not installed", fix=str(error))
    else:
        yield _ok(f"local: weights ready ({weights.name})")


def _disk(plan: Plan, db: Path) -> Iterator[Finding]:
    folder = db.parent if db.parent.is_dir() else Path()
    if not os.access(folder, os.W_OK):
        what = f"disk: {folder.resolve()} cannot be written"
        yield Finding(level=Level.FAIL, what=what, fix="name another file: --db FILE")
        return
    need, free = plan_bytes(plan), shutil.disk_usage(folder).free
    said = f"disk: {plan.n_trials:,} trials need about {need / 1e6:,.0f} MB"
    if free < need + DISK_RESERVE:
        what = f"{said}, {free / 1e6:,.0f} MB are free"
        yield Finding(level=Level.FAIL, what=what, fix="free some, or name another file: --db FILE")
    else:
        yield _ok(f"{said}, {free / 1e9:,.1f} GB are free")
