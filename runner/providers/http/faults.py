"""Turns every exception of the HTTP library and the socket into an outcome, in one place."""

import asyncio
import ssl
from dataclasses import dataclass

from aiohttp import client_exceptions
from aiohttp.http_exceptions import HttpProcessingError

from runner.providers.http.answer import Answer
from runner.wire import RetryKind
from state.records import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A call that ended without a whole response."""

    outcome: Outcome
    reason: str
    message: str
    retry: RetryKind
    maybe_billed: bool
    head: Answer | None = None
    """Status and headers of the response that broke off, where there was one."""


_TRANSIENT = Outcome.TRANSIENT
_INVALID = Outcome.INVALID_REQUEST

REASONS: dict[type[BaseException], tuple[Outcome, str]] = {
    client_exceptions.ClientError: (_TRANSIENT, "http_client"),
    client_exceptions.ClientResponseError: (_TRANSIENT, "bad_http"),
    client_exceptions.ContentTypeError: (Outcome.MALFORMED, "content_type"),
    client_exceptions.WSServerHandshakeError: (_TRANSIENT, "bad_http"),
    client_exceptions.ClientHttpProxyError: (_TRANSIENT, "proxy"),
    client_exceptions.TooManyRedirects: (_INVALID, "redirect"),
    client_exceptions.ClientConnectionError: (_TRANSIENT, "connection"),
    client_exceptions.ClientConnectionResetError: (_TRANSIENT, "reset"),
    client_exceptions.ClientOSError: (_TRANSIENT, "reset"),
    client_exceptions.ClientConnectorError: (_TRANSIENT, "connect"),
    client_exceptions.ClientConnectorDNSError: (_TRANSIENT, "dns"),
    client_exceptions.ClientProxyConnectionError: (_TRANSIENT, "proxy"),
    client_exceptions.UnixClientConnectorError: (_TRANSIENT, "connect"),
    client_exceptions.ServerConnectionError: (_TRANSIENT, "connection"),
    client_exceptions.ServerDisconnectedError: (_TRANSIENT, "reset"),
    client_exceptions.ServerTimeoutError: (Outcome.TIMEOUT, "socket"),
    client_exceptions.ConnectionTimeoutError: (Outcome.TIMEOUT, "connect"),
    client_exceptions.SocketTimeoutError: (Outcome.TIMEOUT, "socket"),
    client_exceptions.ServerFingerprintMismatch: (_TRANSIENT, "tls"),
    client_exceptions.ClientPayloadError: (_TRANSIENT, "cut_body"),
    client_exceptions.UploadAbortedError: (_TRANSIENT, "reset"),
    client_exceptions.InvalidURL: (_INVALID, "url"),
    client_exceptions.InvalidUrlClientError: (_INVALID, "url"),
    client_exceptions.RedirectClientError: (_INVALID, "redirect"),
    client_exceptions.NonHttpUrlClientError: (_INVALID, "url"),
    client_exceptions.InvalidUrlRedirectClientError: (_INVALID, "redirect"),
    client_exceptions.NonHttpUrlRedirectClientError: (_INVALID, "redirect"),
    client_exceptions.ClientSSLError: (_TRANSIENT, "tls"),
    client_exceptions.ClientConnectorSSLError: (_TRANSIENT, "tls"),
    client_exceptions.ClientConnectorCertificateError: (_TRANSIENT, "tls_certificate"),
    asyncio.TimeoutError: (Outcome.TIMEOUT, "total"),
    ssl.SSLError: (_TRANSIENT, "tls"),
    OSError: (_TRANSIENT, "socket"),
    EOFError: (_TRANSIENT, "cut_body"),
    HttpProcessingError: (_TRANSIENT, "bad_http"),
}
"""Every class by itself, so that a new one in a new release is noticed by a test."""

CAUGHT: tuple[type[Exception], ...] = (
    client_exceptions.ClientError,
    OSError,
    EOFError,
    HttpProcessingError,
)
"""TimeoutError and ssl.SSLError are kinds of OSError."""

_FIXES = {
    "tls_certificate": "; an authority of your own goes into SSL_CERT_FILE or REQUESTS_CA_BUNDLE"
}
_STALE_ERRORS = (
    client_exceptions.ServerDisconnectedError,
    client_exceptions.ClientOSError,
    client_exceptions.ClientConnectionResetError,
    ConnectionError,
)
STALE_WITHIN_S = 1.0
"""A pooled socket that the server had closed fails as soon as it is used, not after a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """How far a call had come when it failed."""

    sent: bool
    """Some of the request went out, so the provider may have worked and may bill."""
    reused: bool
    """The connection had served an earlier request."""
    elapsed_s: float
    head: Answer | None = None
    """Status and headers, when these had come."""


def fault_of(error: Exception, progress: CallProgress) -> Fault:
    """What an exception means, given how far the call had come."""
    outcome, reason = next(REASONS[kind] for kind in type(error).__mro__ if kind in REASONS)
    retry = RetryKind.NO if outcome is _INVALID else RetryKind.TRANSIENT
    if _is_stale(error, progress):
        outcome, reason, retry = _TRANSIENT, "stale_connection", RetryKind.STALE_CONNECTION
    return Fault(
        outcome=outcome,
        reason=reason,
        message=f"{type(error).__name__}: {error}".removesuffix(": ") + _FIXES.get(reason, ""),
        retry=retry,
        maybe_billed=progress.sent,
        head=progress.head,
    )


def timeout_fault(stage: str, limit_s: float, progress: CallProgress) -> Fault:
    """What our own deadline means."""
    return Fault(
        outcome=Outcome.TIMEOUT,
        reason=stage,
        message=f"no {'first byte' if stage == 'first_byte' else 'whole reply'} in {limit_s:g} s",
        retry=RetryKind.TRANSIENT,
        maybe_billed=progress.sent,
        head=progress.head,
    )


def too_long_fault(limit_bytes: int, progress: CallProgress) -> Fault:
    """What a body means that does not end."""
    return Fault(
        outcome=Outcome.MALFORMED,
        reason="body_too_long",
        message=f"the response is longer than {limit_bytes} bytes",
        retry=RetryKind.TRANSIENT,
        maybe_billed=True,
        head=progress.head,
    )


def _is_stale(error: Exception, progress: CallProgress) -> bool:
    return (
        progress.reused
        and progress.head is None
        and progress.elapsed_s < STALE_WITHIN_S
        and isinstance(error, _STALE_ERRORS)
    )
