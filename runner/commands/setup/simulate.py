"""`runner simulate`: serve the simulated provider until it is told to stop."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import TextIO

from runner.errors import UsageError
from runner.simulator.account.bill import PICO_PER_USD
from runner.simulator.server import Running, serve
from runner.simulator.spec.settings import SimulatorSettings, load_settings

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(
    host: str = "127.0.0.1",
    port: int = 8787,
    config: Path | None = None,
    *,
    time_scale: float | None = None,
    out: TextIO | None = None,
) -> int:
    """Serve until Ctrl-C or SIGTERM, then print the bill; 0. Raises UsageError."""
    settings = SimulatorSettings() if config is None else load_settings(config)
    if time_scale is not None:
        if time_scale <= 0:
            raise UsageError(f"--time-scale {time_scale}: must be more than 0")
        settings = settings.model_copy(update={"time_scale": time_scale})
    try:
        asyncio.run(_serve(settings, host, port, out or sys.stdout))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"--port {port}: cannot listen on {host}: {reason}") from error
    return 0


async def _serve(settings: SimulatorSettings, host: str, port: int, out: TextIO) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop.set)
    try:
        async with serve(settings, host=host, port=port) as running:
            out.write(_greeting(running))
            out.flush()
            await stop.wait()
            out.write(_farewell(running))
            out.flush()
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)


def _greeting(running: Running) -> str:
    return (
        f"simulated provider on {running.origin} (nothing here is a real model)\n"
        f"  openai, compat   base_url = {running.openai_url}\n"
        f"  anthropic        base_url = {running.origin}\n"
        f"  google           base_url = {running.origin}\n"
        f"  bill and log     {running.origin}/simulator/bill  {running.origin}/simulator/log\n"
        "Ctrl-C stops it.\n"
    )


def _farewell(running: Running) -> str:
    bill = running.simulator.log.bill()
    dollars = bill.cost_pusd / PICO_PER_USD
    return (
        f"simulated: {bill.requests} requests, {bill.billed} billed, ${dollars:.6f}, "
        f"{bill.max_in_flight} in flight at most\n"
    )
