import inspect

import pytest
from wreq import exceptions
from yarl import URL

from runner.clock import SystemClock
from runner.providers.faults import STALE_WITHIN_S, Fault, Progress
from runner.providers.transport import Outgoing
from runner.providers.wreq_faults import CAUGHT, REASONS, fault_of, local_port, was_sent
from runner.providers.wreq_transport import WreqTransport
from runner.wire import Deadlines, RetryKind
from state.records import Outcome

REUSED = Progress(sent=True, reused=True, elapsed_s=0.01)
ANSWERLESS = (
    "is_request error: wreq::Error { kind: Request, source: Error { kind: SendRequest, source:"
    " Some(netty::Error(IncompleteMessage)), connect_info: Some(Connected { proxy: s3cret, extra:"
    " HttpInfo { remote_addr: 127.0.0.1:80, local_addr: 127.0.0.1:58888 } }) } }"
)


def test_every_error_of_the_library_is_mapped_by_itself_and_caught():
    found = [kind for _, kind in inspect.getmembers(exceptions, inspect.isclass)]
    library = {kind for kind in found if issubclass(kind, Exception)}
    assert exceptions.RequestError in library
    assert library == REASONS.keys()
    assert library == set(CAUGHT)


def test_quick_failure_of_a_used_connection_is_stale_and_its_end_is_known():
    error = exceptions.RequestError(ANSWERLESS)
    assert local_port(error) == 58888
    assert fault_of(error, REUSED).retry is RetryKind.STALE_CONNECTION
    fresh = Progress(sent=True, reused=False, elapsed_s=0.01)
    late = Progress(sent=True, reused=True, elapsed_s=STALE_WITHIN_S)
    for progress in (fresh, late):
        fault = fault_of(error, progress)
        assert (fault.reason, fault.retry) == ("reset", RetryKind.TRANSIENT)


def test_message_says_nothing_of_proxies():
    message = fault_of(exceptions.RequestError(ANSWERLESS), REUSED).message
    assert message.startswith("RequestError: is_request error")
    assert "s3cret" not in message


def test_failing_to_connect_sends_nothing():
    for kind in (exceptions.ConnectionError, exceptions.ProxyConnectionError):
        assert not was_sent(kind("no"))
    assert was_sent(exceptions.RequestError("no"))
    assert was_sent(exceptions.ConnectionResetError("no"))


@pytest.mark.parametrize("value", ["b\r\nX-Evil: c", "b\0"])
async def test_no_line_break_gets_into_a_head(value: str):
    outgoing = Outgoing(url=URL("http://127.0.0.1:9/"), headers={"X-A": value}, pieces=(b"x",))
    fault = await WreqTransport(SystemClock()).post(outgoing, Deadlines(first_byte_s=1, total_s=1))
    assert isinstance(fault, Fault)
    assert (fault.outcome, fault.retry) == (Outcome.INVALID_REQUEST, RetryKind.NO)
    assert not fault.maybe_billed
