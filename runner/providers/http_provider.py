"""One account at one base URL: a wire format, a transport and a key, as the engine's `Provider`."""

from collections.abc import Mapping

from msgspec.structs import replace
from multidict import CIMultiDict
from yarl import URL

from runner.errors import UsageError
from runner.providers.formats.capabilities import Capability, capability, substitute
from runner.providers.formats.sse import EventSplitter
from runner.providers.formats.wire_format import StreamReader, WireFormat, request_id
from runner.providers.http.answer import Answer
from runner.providers.http.faults import Fault
from runner.providers.http.redact import Redactor
from runner.providers.http.transport import ChunkSink, Outgoing, Transport
from runner.providers.meaning.error_facts import shorten
from runner.wire import Deadlines, Request, Result, RetryDecision, RetryKind
from state.records import Outcome


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

    def __repr__(self) -> str:
        return f"HttpProvider({self.name}, {self._base_url})"

    async def aclose(self) -> None:
        """Close pooled connections."""
        await self._transport.aclose()

    async def complete(self, request: Request, deadlines: Deadlines) -> Result:
        """Send one attempt. Never raises but for cancellation and our own bugs."""
        known = self._known(request.model)
        reader = self._wire.stream() if request.stream else None
        outgoing = Outgoing(
            url=self._url(self._wire.path(request)),
            headers=self._headers,
            pieces=self._wire.encode(request, known),
            sink=None if reader is None else _sink(reader),
        )
        came = await self._transport.post(outgoing, deadlines)
        result = self._result(came, reader)
        if result.unsupported_param is not None:
            result = self._learn(request.model, result)
        return self._redactor.result(result)

    def _result(self, came: Answer | Fault, reader: StreamReader | None) -> Result:
        if isinstance(came, Answer):
            streamed = reader is not None and _is_stream(came)
            return (
                reader.result(came) if reader is not None and streamed else self._wire.parse(came)
            )
        if reader is not None and reader.complete and came.head is not None:
            return reader.result(came.head)
        return _fault_result(came)

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


def _is_stream(answer: Answer) -> bool:
    content_type = answer.headers.get("content-type", "")
    return answer.status == 200 and content_type.lower().startswith("text/event-stream")


def _sink(reader: StreamReader) -> ChunkSink:
    """Feeds chunks to a reader; says when the reader has all it needs."""
    splitter = EventSplitter()

    def take(chunk: bytes) -> bool:
        for event in splitter.feed(chunk):
            reader.feed(event)
            if reader.done:
                return True
        return False

    return take


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
