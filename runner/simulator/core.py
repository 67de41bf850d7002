"""The simulated provider: a request in, a response as data out; no socket, no waiting."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import orjson

from runner.simulator.account.accounts import Accounts, SimulatedAccount, key_of
from runner.simulator.account.bill import Tally, cost_pusd
from runner.simulator.admission import (
    Visit,
    account_problem,
    call_problem,
    limit_headers,
    limit_problem,
)
from runner.simulator.faults.problems import fault_failure
from runner.simulator.faults.replies import distort
from runner.simulator.faults.schedule import FaultSchedule
from runner.simulator.faults.wire import as_event, broken_off, spoil
from runner.simulator.formats.anthropic import AnthropicFormat
from runner.simulator.formats.call import (
    BadCallError,
    Dialect,
    Format,
    ModelReply,
    Problem,
    SimulatedFailure,
)
from runner.simulator.formats.gemini import GeminiFormat
from runner.simulator.formats.openai import OpenAIFormat
from runner.simulator.pages import bill_json, count_json, log_lines, model_json, models_json
from runner.simulator.performance import Performance, pace, perform, played
from runner.simulator.routes import Route, route
from runner.simulator.spec.faults import NEVER_SENT, InjectedFault
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from runner.simulator.timeline import Timeline
from runner.simulator.traffic.audit import AuditLog, LogEntry
from runner.simulator.traffic.exchange import Arrival, Piece, SimulatedExchange
from tasks.sample import prompt_hash

MARK: Mapping[str, str] = {"x-simulated": "true", "server": "runner-simulator"}
"""Every response says what it is."""
MODEL_SUFFIX = "+simulated"
"""Ends the model's name in every reply, so that stored replies tell it too."""
_FORMATS: Mapping[Dialect, Format] = {
    "openai": OpenAIFormat(),
    "anthropic": AnthropicFormat(),
    "gemini": GeminiFormat(),
}
_ID_HEADER: Mapping[Dialect, str] = {"openai": "x-request-id", "anthropic": "request-id"}
_LOST = frozenset({"reset", "cut length", "cut chunked", "cut gzip", "stall", "stall body"})
_JSON = "application/json"


class Simulator:
    """All accounts, models, limits and the log of one simulated server."""

    def __init__(self, settings: SimulatorSettings, timeline: Timeline) -> None:
        self.settings = settings
        self.timeline = timeline
        self.log = AuditLog()
        self._accounts = Accounts(settings.keys)
        self._schedule = FaultSchedule(settings.seed)
        self._running: dict[int, tuple[SimulatedAccount, str]] = {}

    def respond(self, arrival: Arrival) -> SimulatedExchange:
        """The response to a request that arrives now; `finish` must follow when it has ended."""
        where = route(arrival)
        if where.page == "bill":
            return _page(None, bill_json(self.log, self.settings))
        if where.page == "log":
            return _page(None, log_lines(self.log), kind="application/jsonl")
        entry = self.log.open(self.timeline.monotonic())
        entry.dialect, entry.path = where.dialect, arrival.path
        account = self._accounts.find(key_of(arrival.headers, arrival.query))
        if account is None:
            return _refused(entry, _FORMATS[where.dialect].failure(Problem(kind="bad_key")))
        entry.key_accepted, entry.account = True, account.name
        if where.page in {"models", "model", "none"}:
            return self._listing(entry, where)
        return self._called(arrival, where, entry, account)

    def _called(
        self, arrival: Arrival, where: Route, entry: LogEntry, account: SimulatedAccount
    ) -> SimulatedExchange:
        visit = self._visit(arrival, where, entry, account)
        if isinstance(visit, Problem):
            return _refused(entry, _FORMATS[where.dialect].failure(visit))
        if where.page == "count":
            entry.outcome = "page"
            return _page(entry, orjson.dumps(count_json(where.dialect, visit.call, visit.model)))
        return self._serve(visit)

    def finish(self, entry: LogEntry | None) -> None:
        """The response has ended, sent or not; safe to call twice."""
        if entry is None:
            return
        held = self._running.pop(entry.n, None)
        if held is not None:
            account, limited = held
            account.end(limited)
        self.log.close(entry, self.timeline.monotonic())

    def _listing(self, entry: LogEntry, where: Route) -> SimulatedExchange:
        entry.outcome = "page"
        if where.page == "models":
            body = models_json(where.dialect, self.settings.models)
            return _page(entry, orjson.dumps(body))
        _, model = self._model(where.dialect, where.target)
        if where.page == "none" or model is None:
            problem = Problem(kind="no_model", model=where.target or entry.path)
            return _refused(entry, _FORMATS[where.dialect].failure(problem))
        return _page(entry, orjson.dumps(model_json(where.dialect, where.target, model)))

    def _model(self, dialect: Dialect, name: str) -> tuple[str, ModelSettings | None]:
        for known in (f"{dialect}/{name}", name):
            if known in self.settings.models:
                return known, self.settings.models[known]
        return name, None if self.settings.strict_models else self.settings.default_model

    def _visit(
        self, arrival: Arrival, where: Route, entry: LogEntry, account: SimulatedAccount
    ) -> Visit | Problem:
        wire = _FORMATS[where.dialect]
        try:
            body = _object(arrival.body)
            # A count needs no output cap, though Anthropic's calls do.
            body = {"max_tokens": 1, **body} if where.page == "count" else body
            call = wire.parse(body, where.target)
        except BadCallError as error:
            return Problem(kind="invalid", message=str(error))
        if where.dialect == "gemini":
            call = replace(call, as_events=arrival.query.get("alt") == "sse")
        name, model = self._model(where.dialect, call.model)
        prompt = call.prompt_bytes()
        entry.model, entry.stream, entry.max_tokens = call.model, call.stream, call.max_tokens
        entry.prompt_hash, entry.prompt_chars = prompt_hash(prompt), call.chars
        if model is None:
            return Problem(kind="no_model", model=call.model)
        return Visit(
            entry=entry,
            wire=wire,
            call=call,
            account=account,
            name=name,
            model=model,
            prompt=prompt,
            now_s=entry.arrived_s,
        )

    def _serve(self, visit: Visit) -> SimulatedExchange:
        entry, wire = visit.entry, visit.wire
        problem = account_problem(visit, self.log.charged_pusd(visit.account.name))
        if problem is not None:
            return _refused(entry, wire.failure(problem))
        text = visit.call.user_text
        fault = self._schedule.next(
            visit.name, visit.model, entry.prompt_hash, text, entry.arrived_s
        )
        entry.fault = fault.name
        input_tokens = visit.input_tokens
        if fault.name in NEVER_SENT:
            return self._failed(visit, fault, input_tokens)
        problem = call_problem(visit, input_tokens)
        if problem is not None:
            return _refused(entry, wire.failure(problem))
        performance = self._perform(visit, input_tokens)
        problem = limit_problem(visit, performance.tally)
        headers = limit_headers(visit, self.timeline.now_us())
        if problem is not None:
            entry.outcome = "rate_limited"
            return _refused(entry, wire.failure(problem), headers=headers)
        return self._reply(visit, performance, fault, headers)

    def _failed(self, visit: Visit, fault: InjectedFault, input_tokens: int) -> SimulatedExchange:
        """A fault in place of a reply; a script may have it billed all the same."""
        failure, body = fault_failure(fault, visit.wire, visit.call.model)
        if fault.billed:
            visit.entry.tally = Tally(input=input_tokens)
            self.log.charge(visit.entry, cost_pusd(visit.entry.tally, visit.model.price))
        exchange = _refused(visit.entry, failure, body=body, delay_s=fault.delay_s)
        if failure.status == 200 and body is None and visit.call.stream and visit.call.as_events:
            return as_event(exchange, visit.wire.error_event(failure))
        return exchange

    def _perform(self, visit: Visit, input_tokens: int) -> Performance:
        tally = Tally(input=input_tokens)
        cache = visit.account.cache(visit.name, visit.model)
        settings = visit.model.cache
        asked = settings is not None and (visit.call.wants_cache or not settings.explicit)
        if cache is not None and settings is not None and asked:
            prefix = cache.look_up(visit.name, visit.prompt, visit.now_s)
            cache.remember(prefix, visit.now_s)
            read = cache.cached_tokens(prefix.share, input_tokens)
            new = input_tokens - read
            write = new if settings.writes and input_tokens >= settings.min_tokens else 0
            tally = Tally(input=new - write, cache_read=read, cache_write=write)
        seed = self.settings.seed
        return perform(visit.call, visit.model, visit.entry.prompt_hash, tally, seed)

    def _reply(
        self,
        visit: Visit,
        performance: Performance,
        fault: InjectedFault,
        headers: Mapping[str, str],
    ) -> SimulatedExchange:
        entry, call, wire = visit.entry, visit.call, visit.wire
        visit.account.begin(visit.limited)
        self._running[entry.n] = (visit.account, visit.limited)
        reply = ModelReply(
            id=_id(entry),
            created=self.timeline.now_us() // 1_000_000,
            model=call.model + MODEL_SUFFIX,
            text=performance.text,
            reasoning=performance.reasoning,
            finish=performance.finish,
        )
        reply, entry.tally = distort(reply, performance.tally, fault, wire)
        entry.status = fault.status or 200
        entry.outcome = "lost" if fault.name in _LOST else "replied"
        if fault.billed is not False:
            self.log.charge(entry, cost_pusd(entry.tally, visit.model.price))
        luck = (self.settings.seed, visit.name, entry.prompt_hash, entry.n)
        timing = pace(visit.model.latency, entry.tally, fault, *luck)
        pieces = played(reply, call, wire, timing)
        events = call.stream and call.as_events
        exchange = SimulatedExchange(
            entry=entry,
            status=entry.status,
            headers={
                **_headers(entry, "text/event-stream" if events else _JSON),
                **headers,
                **fault.headers,
            },
            pieces=pieces,
            declared_length=None if call.stream else len(pieces[0].data),
        )
        if fault.name == "sse error":
            failure, _ = fault_failure(fault, wire, call.model)
            return broken_off(exchange, wire.error_event(failure), orjson.dumps(failure.body))
        return spoil(exchange, fault.name)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadCallError(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadCallError("the body is not a JSON object")
    return cast("dict[str, Any]", value)


def _id(entry: LogEntry) -> str:
    return f"sim{entry.n:08d}"


def _headers(entry: LogEntry | None, kind: str) -> dict[str, str]:
    headers = {**MARK, "content-type": kind}
    if entry is not None and entry.dialect in _ID_HEADER:
        headers[_ID_HEADER[cast("Dialect", entry.dialect)]] = f"req_{_id(entry)}"
    return headers


def _page(entry: LogEntry | None, body: bytes, *, kind: str = _JSON) -> SimulatedExchange:
    if entry is not None:
        entry.status = 200
    pieces = (Piece(delay_s=0.0, data=body),)
    headers = _headers(entry, kind)
    return SimulatedExchange(
        entry=entry, status=200, headers=headers, pieces=pieces, declared_length=len(body)
    )


def _refused(
    entry: LogEntry,
    failure: SimulatedFailure,
    *,
    body: bytes | None = None,
    delay_s: float = 0.0,
    headers: Mapping[str, str] | None = None,
) -> SimulatedExchange:
    entry.status = failure.status
    entry.outcome = entry.outcome or "refused"
    page = orjson.dumps(failure.body) if body is None else body
    kind = _JSON if body is None else "text/html"
    return SimulatedExchange(
        entry=entry,
        status=failure.status,
        headers={**_headers(entry, kind), **(headers or {}), **failure.headers},
        pieces=(Piece(delay_s=delay_s, data=page),),
        declared_length=len(page),
    )
