import inspect

import aiohttp
import pytest
from aiohttp import client_exceptions, http_exceptions

from runner.providers.http.answer import Answer
from runner.providers.http.faults import (
    CAUGHT,
    REASONS,
    STALE_WITHIN_S,
    CallProgress,
    fault_of,
    timeout_fault,
    too_long_fault,
)
from runner.wire import RetryKind
from state.records import Outcome

SENT = CallProgress(sent=True, reused=False, elapsed_s=0.1)


def errors_of(module: object) -> list[type[Exception]]:
    found = [kind for _, kind in inspect.getmembers(module, inspect.isclass)]
    return [kind for kind in found if issubclass(kind, Exception)]


def subclasses(kind: type[Exception]) -> set[type[Exception]]:
    return {kind}.union(*(subclasses(child) for child in kind.__subclasses__()))


def test_every_client_error_of_the_library_is_mapped_by_itself():
    library = {
        kind for kind in subclasses(aiohttp.ClientError) if kind.__module__.startswith("aiohttp")
    }
    assert library >= {aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError}
    assert library - REASONS.keys() == set()


@pytest.mark.parametrize("module", [client_exceptions, http_exceptions])
def test_every_error_that_a_call_can_raise_is_caught(module: object):
    for kind in errors_of(module):
        if kind.__module__.startswith("aiohttp") and kind is not aiohttp.WSMessageTypeError:
            assert issubclass(kind, CAUGHT), kind


@pytest.mark.parametrize("kind", [*CAUGHT, ConnectionResetError, BrokenPipeError, TimeoutError])
def test_every_caught_error_has_a_reason(kind: type[Exception]):
    assert any(base in REASONS for base in kind.__mro__)


def test_nothing_sent_is_nothing_billed():
    unsent = CallProgress(sent=False, reused=False, elapsed_s=0.1)
    error = aiohttp.ClientOSError(111, "Connect call failed")
    assert not fault_of(error, unsent).maybe_billed
    assert fault_of(error, SENT).maybe_billed
    assert not timeout_fault("first_byte", 5, unsent).maybe_billed
    assert timeout_fault("total", 5, SENT).maybe_billed


@pytest.mark.parametrize(
    ("progress", "kind"),
    [
        (CallProgress(sent=True, reused=True, elapsed_s=0.01), RetryKind.STALE_CONNECTION),
        (CallProgress(sent=True, reused=False, elapsed_s=0.01), RetryKind.TRANSIENT),
        (CallProgress(sent=True, reused=True, elapsed_s=STALE_WITHIN_S), RetryKind.TRANSIENT),
        (
            CallProgress(
                sent=True,
                reused=True,
                elapsed_s=0.01,
                head=Answer(status=200, headers={}, now=0.0),
            ),
            RetryKind.TRANSIENT,
        ),
    ],
)
def test_stale_is_a_quick_failure_of_a_reused_connection(progress: CallProgress, kind: RetryKind):
    assert fault_of(aiohttp.ServerDisconnectedError(), progress).retry is kind
    assert fault_of(aiohttp.ClientOSError(104, "reset"), progress).retry is kind


def test_other_failures_of_a_reused_connection_are_not_stale():
    reused = CallProgress(sent=True, reused=True, elapsed_s=0.01)
    assert fault_of(aiohttp.ClientPayloadError("x"), reused).retry is RetryKind.TRANSIENT


def test_request_that_cannot_be_made_is_final():
    fault = fault_of(aiohttp.InvalidURL("http://[x"), SENT)
    assert (fault.outcome, fault.retry) == (Outcome.INVALID_REQUEST, RetryKind.NO)


def test_messages_say_what_happened():
    assert fault_of(aiohttp.ServerDisconnectedError(), SENT).message.startswith(
        "ServerDisconnectedError: Server disconnected"
    )
    assert fault_of(EOFError(), SENT).message == "EOFError"
    assert timeout_fault("first_byte", 2.5, SENT).message == "no first byte in 2.5 s"
    assert timeout_fault("total", 60.0, SENT).message == "no whole reply in 60 s"
    assert "10 bytes" in too_long_fault(10, SENT).message
