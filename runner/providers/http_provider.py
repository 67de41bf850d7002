"""One account at one base URL: a wire format, a transport and a key, as the engine's `Provider`."""

from collections.abc import Mapping

from msgspec.structs import replace
from multidict import CIMultiDict
from yarl import URL

from runner.errors import UsageError
from runner.providers.formats.capabilities import Capability, capability, substitute
from runner.providers.formats.sse import Event, EventSplitter, events_of, is_stream
from runner.providers.formats.wire_format import StreamReader, WireFormat, request_id
from runner.providers.http.answer import Answer
from runner.providers.http.faults import Fault
from runner.providers.http.redact import Redactor
from runner.providers.http.transport import Outgoing, Transport
from runner.providers.meaning.error_facts import shorten
from runner.providers.meaning.error_rules import FORBIDDEN_PAGE
from runner.providers.meaning.thoughts import apart, parted
from runner.providers.meaning.usage import is_plausible
from runner.wire import Deadlines, Request, Result, RetryDecision, RetryKind
from state.records import FINAL, SCORED, Outcome

PAGES_IN_A_ROW = 8
"""Pages of a firewall, with no reply between them, that stop an account."""
_FORBIDDEN = 403


class HttpProvider:
    """Sends requests of any model of one account. Its key is in no repr, error or result."""

    def __init__(
        self,
        name: str,
        wire: WireFormat,
        base_url: str,
        transport: Transport,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Raises UsageError for a base URL or key that no request can be sent with."""
        self.name = name
        self._wire = wire
        self._base_url = _checked_base(base_url)
        self._transport = transport
        sent = {**wire.headers(_checked_key(name, key)), **(headers or {})}
        self._headers: Mapping[str, str] = CIMultiDict(sent)
        self._redactor = Redactor(filter(None, (key, *(headers or {}).values())))
        self._learned: dict[str, tuple[str, Capability]] = {}
        self._urls: dict[str, URL] = {}
        self._untagged: set[str] = set()
        """Models whose reasoning comes without its opening tag."""
        self._pages = 0

    def __repr__(self) -> str:
        return f"HttpProvider({self.name}, {self._base_url})"

    async def aclose(self) -> None:
        """Close pooled connections."""
        await self._transport.aclose()

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        """Send one attempt. Never raises but for cancellation and our own bugs."""
        known = self._known(request.model)
        sink = _Sink(self._wire.stream()) if request.stream else None
        outgoing = Outgoing(
            url=self._url(self._wire.path(request)),
            headers=self._headers,
            pieces=self._wire.encode(request, known),
            sink=None if sink is None else sink.take,
        )
        came = await self._transport.post(outgoing, deadlines)
        result = self._result(came, sink)
        if result.outcome in SCORED:
            result = self._answered(request, result)
        if result.usage is not None and not is_plausible(result.usage, outgoing.size):
            result = replace(result, usage=None, maybe_billed=True)
        if result.http_status == _FORBIDDEN or self._pages:
            result = self._count_pages(result)
        if result.unsupported_param is not None:
            result = self._learn(request.model, result)
        return self._redactor.result(result)

    def _result(self, came: Answer | Fault, sink: "_Sink | None") -> Result:
        if isinstance(came, Answer):
            if sink is None or not 200 <= came.status < 300:
                return self._parse(came)
            if not sink.streams:
                return self._parse(replace(came, body=sink.body()))
            sink.close()
            return sink.reader.result(came)
        if sink is not None and sink.streams and sink.reader.complete and came.head is not None:
            return sink.reader.result(came.head)
        return _fault_result(came)

    def _parse(self, answer: Answer) -> Result:
        """What a whole response means; one that is a stream under another label is read as such."""
        result = self._wire.parse(answer)
        if result.outcome is not Outcome.MALFORMED or result.usage is not None:
            return result
        reader = self._wire.stream()
        for event in events_of(answer.body):
            if not reader.done:
                reader.feed(event)
        return reader.result(answer) if reader.complete else result

    def _answered(self, request: Request, result: Result) -> Result:
        """The answer without the reasoning that a server left in it."""
        if not request.inline_reasoning:
            return result
        if (found := parted(result.text)) is not None and found.untagged:
            self._untagged.add(request.model)
        return apart(result, found, untagged=request.model in self._untagged)

    def _count_pages(self, result: Result) -> Result:
        """One page of a firewall among answers is chance; several in a row stop the account."""
        if result.reason != FORBIDDEN_PAGE:
            self._pages = 0 if result.outcome in FINAL else self._pages
            return result
        self._pages += 1
        if self._pages < PAGES_IN_A_ROW:
            return result
        return replace(
            result,
            outcome=Outcome.BAD_KEY,
            reason="forbidden",
            retry=RetryDecision(),
            maybe_billed=False,
        )

    def _known(self, model: str) -> Capability:
        learned = self._learned.get(model)
        return learned[1] if learned is not None else capability(self.name, model)

    def _learn(self, model: str, result: Result) -> Result:
        """Remember one refused parameter per model, and have the request sent again without it.

        Requests that were under way meanwhile are refused for the same reason and repeated too; a
        second parameter is final, so that nothing is whittled away call by call.
        """
        refused = result.unsupported_param or ""
        if model not in self._learned:
            self._learned[model] = (refused, substitute(capability(self.name, model), refused))
        if self._learned[model][0] != refused:
            return result
        return _replaced_by_retry(result, refused)

    def _url(self, path: str) -> URL:
        url = self._urls.get(path)
        if url is None:
            url = self._urls[path] = URL(self._base_url + path, encoded=True)
        return url


class _Sink:
    """Takes the chunks of a streamed reply: to its reader, or together where it is no stream."""

    __slots__ = ("_other", "_splitter", "reader", "streams")

    def __init__(self, reader: StreamReader) -> None:
        self.reader = reader
        self.streams: bool | None = None
        """Whether it is an event stream; None before its first bytes."""
        self._splitter = EventSplitter()
        self._other: list[bytes] = []

    def take(self, chunk: bytes) -> bool:
        """Take the next chunk; true when nothing more is awaited."""
        if self.streams is None:
            self._other.append(chunk)
            chunk = b"".join(self._other)
            self.streams = is_stream(chunk)
            if self.streams:
                self._other.clear()
                return self._feed(self._splitter.feed(chunk))
            self._other = [chunk]
            return False
        if self.streams:
            return self._feed(self._splitter.feed(chunk))
        self._other.append(chunk)
        return False

    def close(self) -> None:
        """The last event may have come without the blank line that should follow it."""
        if not self.reader.done:
            self._feed(self._splitter.close())

    def _feed(self, events: list[Event]) -> bool:
        for event in events:
            self.reader.feed(event)
            if self.reader.done:
                return True
        return False

    def body(self) -> bytes:
        """All of a body that is no stream."""
        return b"".join(self._other)


def _fault_result(fault: Fault) -> Result:
    head = fault.head
    return Result(
        outcome=fault.outcome,
        reason=fault.reason,
        http_status=None if head is None else head.status,
        request_id=None if head is None else request_id(head),
        error=shorten(fault.message),
        retry=RetryDecision(kind=fault.retry),
        maybe_billed=fault.maybe_billed,
        first_byte_s=None if head is None else head.first_byte_s,
    )


def _replaced_by_retry(result: Result, refused: str) -> Result:
    return replace(
        result,
        outcome=Outcome.TRANSIENT,
        reason=f"unsupported_parameter.{refused}",
        retry=RetryDecision(kind=RetryKind.TRANSIENT, retry_after_s=0.0),
    )


def _checked_base(base_url: str) -> str:
    url = URL(base_url)
    if url.scheme not in ("http", "https") or not url.host:
        raise UsageError(f"base_url = {base_url!r} must start with http:// or https:// and a host")
    if url.user is not None or url.password is not None:
        raise UsageError("base_url must hold no user or password; name an api_key_env instead")
    return base_url.rstrip("/")


def _checked_key(name: str, key: str | None) -> str | None:
    """The key, unless it cannot stand in a header; its value is in no message."""
    if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key and key):
        raise UsageError(f"the API key of {name} holds spaces or characters that no key has")
    return key
