"""Turns every exception of wreq into an outcome, in one place; `faults` does so for aiohttp."""

import re

from wreq import exceptions

from runner.providers.faults import STALE_WITHIN_S, Fault, Progress
from runner.wire import RetryKind
from state.records import Outcome

_TRANSIENT = Outcome.TRANSIENT
_INVALID = Outcome.INVALID_REQUEST

REASONS: dict[type[BaseException], tuple[Outcome, str]] = {
    exceptions.BodyError: (_TRANSIENT, "cut_body"),
    exceptions.BuilderError: (_INVALID, "url"),
    exceptions.ConnectionError: (_TRANSIENT, "connect"),
    exceptions.ConnectionResetError: (_TRANSIENT, "reset"),
    exceptions.DecodingError: (_TRANSIENT, "cut_body"),
    exceptions.ProxyConnectionError: (_TRANSIENT, "proxy"),
    exceptions.RedirectError: (_INVALID, "redirect"),
    exceptions.RequestError: (_TRANSIENT, "reset"),
    exceptions.RustPanic: (_TRANSIENT, "http_client"),
    exceptions.StatusError: (_TRANSIENT, "http_client"),
    exceptions.TimeoutError: (Outcome.TIMEOUT, "socket"),
    exceptions.TlsError: (_TRANSIENT, "tls"),
    exceptions.UpgradeError: (_TRANSIENT, "http_client"),
    exceptions.WebSocketError: (_TRANSIENT, "http_client"),
}
"""Every class by itself, so that a new one in a new release is noticed by a test."""

CAUGHT: tuple[type[Exception], ...] = tuple(kind for kind in REASONS if issubclass(kind, Exception))

_UNSENT = (exceptions.BuilderError, exceptions.ConnectionError, exceptions.ProxyConnectionError)
_FINER = (
    (exceptions.ConnectionError, "DnsError(", "dns"),
    (exceptions.ConnectionError, "CERTIFICATE_VERIFY_FAILED", "tls_certificate"),
    (exceptions.ConnectionError, "Error { code: S", "tls"),
    (exceptions.RequestError, "netty::Error(Parse(", "bad_http"),
    (exceptions.DecodingError, "kind: InvalidInput", "bad_http"),
)
"""What only the text of an error tells; where it changes, the coarser reason is left."""

_LOCAL_PORT = re.compile(r"local_addr: \S+:(\d+)")


def local_port(error: Exception) -> int | None:
    """Our end of the connection that failed, where there was one."""
    found = _LOCAL_PORT.search(str(error))
    return None if found is None else int(found[1])


def was_sent(error: Exception) -> bool:
    """Whether some of the request may have gone out before it failed."""
    return not isinstance(error, _UNSENT)


def fault_of(error: Exception, progress: Progress) -> Fault:
    """What an exception means, given how far the call had come."""
    text = str(error)
    outcome, reason = REASONS[type(error)]
    for kind, mark, finer in _FINER:
        if isinstance(error, kind) and mark in text:
            reason = finer
            break
    retry = RetryKind.NO if outcome is _INVALID else RetryKind.TRANSIENT
    if _is_stale(reason, progress):
        reason, retry = "stale_connection", RetryKind.STALE_CONNECTION
    # What is known of the connection comes last, and may hold a proxy's password.
    message = f"{type(error).__name__}: {text.partition(', connect_info')[0]}"
    return Fault(
        outcome=outcome,
        reason=reason,
        message=message,
        retry=retry,
        maybe_billed=progress.sent,
        head=progress.head,
    )


def _is_stale(reason: str, progress: Progress) -> bool:
    return (
        reason == "reset"
        and progress.reused
        and progress.head is None
        and progress.elapsed_s < STALE_WITHIN_S
    )
