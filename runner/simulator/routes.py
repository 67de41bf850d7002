"""Which format and which method a path belongs to."""

import re
from dataclasses import dataclass
from typing import Literal

from runner.simulator.formats.call import Dialect
from runner.simulator.traffic.exchange import Arrival

Page = Literal["chat", "models", "model", "count", "bill", "log", "none"]
_GEMINI = re.compile(r"^/v1(?:beta|alpha)?/models(?:/(?P<model>[^:]+)(?::(?P<method>\w+))?)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a request asks for."""

    page: Page
    dialect: Dialect = "openai"
    target: str = ""
    """A model's name; for Gemini's methods `MODEL:METHOD`."""


_FIXED: dict[tuple[str, str], Route] = {
    ("POST", "/v1/chat/completions"): Route(page="chat"),
    ("POST", "/chat/completions"): Route(page="chat"),
    ("POST", "/v1/messages"): Route(page="chat", dialect="anthropic"),
    ("POST", "/v1/messages/count_tokens"): Route(page="count", dialect="anthropic"),
    ("GET", "/simulator/bill"): Route(page="bill"),
    ("GET", "/simulator/log"): Route(page="log"),
}


def route(arrival: Arrival) -> Route:
    """Find the route of a request."""
    known = _FIXED.get((arrival.method, arrival.path))
    if known is not None:
        return known
    match = _GEMINI.match(arrival.path)
    if match is None:
        return Route(page="none")
    model, method = match["model"] or "", match["method"]
    if method is not None:
        page: Page = "count" if method == "countTokens" else "chat"
        if arrival.method != "POST":
            page = "none"
        return Route(page=page, dialect="gemini", target=f"{model}:{method}")
    page = "model" if model else "models"
    return Route(page=page, dialect=_lister(arrival), target=model)


def _lister(arrival: Arrival) -> Dialect:
    """Who asks for a list of models: two vendors use the same path."""
    if not arrival.path.startswith("/v1/"):
        return "gemini"
    asks_anthropic = "anthropic-version" in arrival.headers or "x-api-key" in arrival.headers
    return "anthropic" if asks_anthropic else "openai"
