"""Looks whether anybody listens at a base URL before a sweep is begun."""

import asyncio
from collections.abc import Iterable, Mapping

from yarl import URL

from runner.errors import UsageError
from runner.models import ModelSpec
from runner.providers.transport import environment_proxy

CONNECT_S = 10.0


async def check_reachable(
    models: Iterable[ModelSpec], addresses: Mapping[str, str], where: str
) -> None:
    """Raise UsageError for the first base URL where no connection can be made.

    A connection is opened and closed again; no request is sent. Behind a proxy only the proxy can
    tell, so there nothing is tried.
    """
    urls = {addresses.get(model.base_url, model.base_url): model for model in models}
    for text, model in urls.items():
        url = URL(text)
        if environment_proxy(url) is None:
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
