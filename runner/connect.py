"""Makes the provider of one account."""

from runner.keys import Secret
from runner.providers.catalog import WIRES
from runner.providers.http_provider import HttpProvider
from runner.providers.transport import Transport


def connect(provider: str, base_url: str, key: Secret | None, transport: Transport) -> HttpProvider:
    """The provider by its name in model ids, at an address, over a shared pool of connections."""
    return HttpProvider(
        provider,
        WIRES[provider],
        base_url,
        transport,
        key=None if key is None else key.reveal(),
    )
