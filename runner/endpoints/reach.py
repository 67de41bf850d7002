"""Looks who listens at a base URL before a sweep is begun."""

import asyncio
import ipaddress
from collections.abc import Iterable, Mapping

from yarl import URL

from runner.clock import SystemClock
from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.providers.http.answer import Answer
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http.way_out import environment_proxy, trusted
from runner.simulator.core import MARK

CONNECT_S = 10.0
WHO_S = 3.0
"""For telling what it is; a server that is slower is taken for a real one."""
_MARK = "x-simulated"


async def check_reachable(
    models: Iterable[ModelSpec], addresses: Mapping[str, str], where: str
) -> None:
    """Raise UsageError for the first base URL where no connection can be made.

    A connection is opened and closed again; no request is sent. Behind a proxy only the proxy can
    tell, so there nothing is tried. Our own servers are passed over while they have no address.
    """
    trusted()  # a bundle that cannot be read is said here, not by each call
    urls = {addresses.get(model.base_url, model.base_url): model for model in models}
    for text, model in urls.items():
        url = URL(text)
        if url.host and environment_proxy(url) is None:
            await _connect(url, f"{where}: models[{model.id}].base_url: {text}")


async def _connect(url: URL, what: str) -> None:
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(url.host, url.port)
    except TimeoutError as error:
        raise UsageError(f"{what} did not answer within {CONNECT_S:.0f} s") from error
    except OSError as error:
        raise UsageError(
            f"{what} cannot be reached ({error.strerror or error}); is the server running?"
        ) from error
    writer.close()


async def ask_simulators(models: Iterable[ModelSpec]) -> dict[str, bool]:
    """Whether a simulator answers, by base URL.

    A simulator marks every response. A server elsewhere is no simulator, and is asked nothing.
    """
    found = {model.base_url: False for model in models if model.vendor.own_server is None}
    here = [url for url in found if is_loopback(url)]
    if not here:
        return found

    transport = AiohttpTransport(SystemClock())

    async def ask(url: str) -> None:
        found[url] = await _is_simulator(transport, url)

    try:
        async with asyncio.TaskGroup() as group:
            for url in here:
                group.create_task(ask(url), name=f"who is {url}")
    finally:
        await transport.aclose()
    return found


def is_loopback(url: str) -> bool:
    """Whether the address is this machine's own, and is reached without a proxy."""
    parsed = URL(url)
    host = parsed.host or ""
    try:
        own = ipaddress.ip_address(host).is_loopback
    except ValueError:
        own = host == "localhost"
    return own and environment_proxy(parsed) is None


async def _is_simulator(transport: AiohttpTransport, url: str) -> bool:
    """Ask for the list of models; whoever does not answer is asked for nothing more here."""
    came = await transport.get(URL(f"{url}/models"), {}, WHO_S)
    return isinstance(came, Answer) and came.headers.get(_MARK) == MARK[_MARK]
