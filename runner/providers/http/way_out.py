"""How this machine gets out: the proxies, and the authorities that the environment names.

Read as other clients read them: a proxy without a scheme is an HTTP proxy, NO_PROXY names hosts,
domains, networks and ports, and what requests and curl call their bundle is trusted too.
"""

import ipaddress
import os
import ssl
from functools import lru_cache
from pathlib import Path
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from runner.errors import UsageError

_BUNDLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def environment_proxy(url: URL) -> URL | None:
    """The proxy that the environment names for a URL, NO_PROXY honoured.

    Raises UsageError for one that cannot be used, naming its variable.
    """
    if url.host is None or _goes_direct(url) or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    name = url.scheme if proxies.get(url.scheme) else "all"
    text = (proxies.get(name) or "").strip()
    return _checked(name, text) if text else None


def _checked(name: str, text: str) -> URL:
    """The proxy's URL; its password is in no message."""
    proxy = _parsed(text if "://" in text else f"http://{text}")
    if proxy is not None and proxy.scheme in ("http", "https") and proxy.host:
        return proxy
    scheme = text.partition("://")[0] if "://" in text else "no host"
    raise UsageError(
        f"{_variable(name)}: {scheme} cannot be used as a proxy; an HTTP proxy can "
        "(http://HOST:PORT), and NO_PROXY=HOST goes past it"
    )


def _parsed(text: str) -> URL | None:
    try:
        return URL(text)
    except ValueError:
        return None


def _variable(name: str) -> str:
    """The variable as it stands in the environment."""
    lower = f"{name}_proxy"
    return next((each for each in (lower, lower.upper()) if os.environ.get(each)), lower)


def _goes_direct(url: URL) -> bool:
    """Whether NO_PROXY names the host, its domain, its network or its port."""
    said = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    return any(_names(entry, url) for entry in said.lower().replace(",", " ").split())


def _names(entry: str, url: URL) -> bool:
    host = (url.host or "").lower().rstrip(".")
    if entry == "*":
        return True
    network = _network(entry)
    if network is not None:
        address = _address(host)
        return address is not None and address in network
    name, port = _split_port(entry)
    if port is not None and port != url.port:
        return False
    name = name.lstrip("*").lstrip(".").rstrip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _split_port(entry: str) -> tuple[str, int | None]:
    """`host:8080`, `[::1]:8080` and a bare host."""
    name, colon, port = entry.rpartition(":")
    if colon and port.isdecimal() and (":" not in name or name.endswith("]")):
        return name.strip("[]"), int(port)
    return entry.strip("[]"), None


def _network(entry: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def trusted() -> ssl.SSLContext:
    """Certificates are checked against the system's authorities and the environment's.

    Raises UsageError for a bundle that cannot be read, naming its variable.
    """
    return _context(tuple(os.environ.get(name, "") for name in _BUNDLES))


@lru_cache(maxsize=8)
def _context(named: tuple[str, ...]) -> ssl.SSLContext:
    # OpenSSL itself reads the first two; they are looked at here only so that a typo is said.
    for variable, path in zip(_BUNDLES, named, strict=True):
        if path and not Path(path).exists():
            raise UsageError(f"{variable}: {path}: there is no such file or folder")
    context = ssl.create_default_context()
    context.set_alpn_protocols(("http/1.1",))
    for variable, path in zip(_BUNDLES[2:], named[2:], strict=True):
        if path:
            _trust(context, variable, Path(path))
    return context


def _trust(context: ssl.SSLContext, variable: str, path: Path) -> None:
    try:
        if path.is_dir():
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except OSError as error:  # ssl.SSLError is one
        raise UsageError(f"{variable}: {path} holds no certificates ({error})") from error
