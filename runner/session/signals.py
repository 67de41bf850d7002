"""What Ctrl-C, SIGTERM and a closed terminal do to a running sweep."""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager

from runner.engine.engine import Engine

TERM_GRACE_S = 5.0
"""After SIGTERM or a closed terminal, calls in flight get so long before they are cancelled."""


@contextmanager
def handle_signals(engine: Engine) -> Generator[None]:
    """Ctrl-C drains, a second one cancels; SIGTERM and a closed terminal drain for seconds only."""
    loop = asyncio.get_running_loop()
    handlers: dict[signal.Signals, Callable[[], None]] = {
        signal.SIGINT: lambda: engine.cancel() if engine.stopping else engine.drain(),
    }

    def terminate() -> None:
        engine.drain()
        loop.call_later(TERM_GRACE_S, engine.cancel)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            handlers[getattr(signal, name)] = terminate
    installed: list[signal.Signals] = []
    for number, handler in handlers.items():
        try:
            loop.add_signal_handler(number, handler)
        except (NotImplementedError, ValueError, RuntimeError):
            continue  # a notebook's thread, or Windows: the caller's own handling stays
        installed.append(number)
    try:
        yield
    finally:
        for number in installed:
            loop.remove_signal_handler(number)
