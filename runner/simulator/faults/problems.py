"""Faults in whose place there is no reply: each as a problem, in the provider's words."""

from dataclasses import replace

from runner.simulator.account.limits import Refusal
from runner.simulator.formats.call import Format, Problem, SimulatedFailure
from runner.simulator.spec.faults import FaultName, InjectedFault

HTML = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center></body></html>"
_RATE = Refusal(kind="rate_limit", limit=60, used=60, requested=1, retry_s=1.0)

_PROBLEMS: dict[FaultName, Problem] = {
    "status": Problem(kind="server_error"),
    "400": Problem(kind="invalid", message="The request is not valid."),
    "401": Problem(kind="bad_key"),
    "bad key": Problem(kind="bad_key"),
    "403": Problem(kind="no_permission"),
    "404": Problem(kind="no_model"),
    "408": Problem(kind="timeout"),
    "409": Problem(kind="conflict"),
    "413": Problem(kind="too_long_body"),
    "429": Problem(kind="limit", refusal=_RATE),
    "500": Problem(kind="server_error"),
    "503": Problem(kind="unavailable"),
    "529": Problem(kind="overloaded"),
    "no credit": Problem(kind="no_credit"),
    "daily limit": Problem(
        kind="limit",
        refusal=Refusal(kind="daily_limit", limit=200, used=200, requested=1, retry_s=432.0),
    ),
    "too large": Problem(
        kind="limit",
        refusal=Refusal(
            kind="too_large", dimension="tokens", limit=30_000, used=0, requested=45_000
        ),
    ),
    "over context": Problem(kind="over_context", window=8_192, input_tokens=9_000, max_tokens=256),
    "unsupported": Problem(kind="unsupported", param="temperature"),
    "blocked input": Problem(kind="blocked_input"),
    "overloaded in 500": Problem(kind="overloaded"),
    "error in 200": Problem(kind="server_error"),
    "sse error": Problem(kind="overloaded"),
}
_STATUS: dict[FaultName, int] = {
    "413": 413,
    "502 html": 502,
    "504": 504,
    "529": 529,
    "overloaded in 500": 500,
    "error in 200": 200,
}
_PAGES: dict[FaultName, str] = {"502 html": "502 Bad Gateway", "504": "504 Gateway Time-out"}


def fault_failure(
    fault: InjectedFault, wire: Format, model: str
) -> tuple[SimulatedFailure, bytes | None]:
    """The failure, and a body that takes the place of its JSON where there is one."""
    problem = _problem(fault, model)
    failure = wire.failure(problem)
    status = fault.status or _STATUS.get(fault.name, failure.status)
    headers = {**failure.headers, **fault.headers}
    if fault.retry_after is not None:
        headers.pop("retry-after-ms", None)
        headers["retry-after"] = fault.retry_after
    body = fault.body.encode() if fault.body is not None else None
    if fault.name in _PAGES and body is None:
        body = HTML.format(_PAGES[fault.name]).encode()
    return replace(failure, status=status, headers=headers), body


def _problem(fault: InjectedFault, model: str) -> Problem:
    problem = replace(_PROBLEMS.get(fault.name, _PROBLEMS["500"]), model=model)
    if fault.form and fault.name == "unsupported":
        return replace(problem, param=fault.form)
    if fault.form and fault.name == "error in 200":
        return replace(_PROBLEMS[_FORMS.get(fault.form, "500")], model=model)
    if fault.retry_after is not None and problem.refusal is not None:
        retry_s = _seconds(fault.retry_after, problem.refusal.retry_s)
        return replace(problem, refusal=replace(problem.refusal, retry_s=retry_s))
    return problem


_FORMS: dict[str, FaultName] = {"rate": "429", "overloaded": "529", "credit": "no credit"}


def _seconds(spelled: str, otherwise: float) -> float:
    try:
        return float(spelled)
    except ValueError:
        return otherwise
