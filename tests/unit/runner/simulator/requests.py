"""Requests to a simulator in each wire format, and its answers."""

from typing import Any

import orjson

from runner.simulator.core import Simulator
from runner.simulator.traffic.exchange import Arrival, SimulatedExchange

PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}

DIALECTS = tuple(PATHS)


def arrival(
    dialect: str = "openai",
    prompt: str = "hello",
    *,
    key: str = "",
    max_tokens: int = 100,
    stream: bool = False,
    **extra: Any,
) -> Arrival:
    if dialect == "gemini":
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {"maxOutputTokens": max_tokens},
        }
    else:
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "stream": stream,
        }
    return Arrival(
        method="POST",
        path=PATHS[dialect],
        headers={"authorization": f"Bearer {key}"} if key else {},
        body=orjson.dumps(body | extra),
    )


def ask(simulator: Simulator, *args: Any, finish: bool = True, **kwargs: Any) -> SimulatedExchange:
    exchange = simulator.respond(arrival(*args, **kwargs))
    if finish:
        simulator.finish(exchange.entry)
    return exchange


def body_of(exchange: SimulatedExchange) -> Any:
    return orjson.loads(exchange.body)
