"""What the three wire formats have in common: a call, a reply, a problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, cast

from runner.simulator.account.bill import Tally
from runner.simulator.account.limits import BucketState, Refusal

Dialect = Literal["openai", "anthropic", "gemini"]
Json = dict[str, Any]


class BadCallError(Exception):
    """The request is not of its format; the message is the provider's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request for a reply, whatever format it came in."""

    model: str
    turns: tuple[tuple[str, str], ...]
    """Roles (system, user, assistant) and their text."""
    max_tokens: int | None = None
    stream: bool = False
    include_usage: bool = True
    """Whether a streamed reply ends with its usage."""
    as_events: bool = True
    """Streamed as server-sent events, or as a JSON array."""
    wants_cache: bool = False
    params: frozenset[str] = frozenset()
    """Names of all parameters that were sent."""

    @property
    def chars(self) -> int:
        """Characters in all turns."""
        return sum(len(text) for _, text in self.turns)

    @property
    def user_text(self) -> str:
        """What the reader reads: all turns but the system's."""
        texts = [text for role, text in self.turns if role != "system"]
        return texts[0] if len(texts) == 1 else "\n".join(texts)

    @property
    def system_text(self) -> str:
        """The system's turns."""
        return "\n".join(text for role, text in self.turns if role == "system")

    def prompt_bytes(self) -> bytes:
        """Roles and texts in one row, as `tasks.sample.Prompt.hash` takes them."""
        return b"".join(f"\x00{role}\x00{text}".encode() for role, text in self.turns)


class Finish(StrEnum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    FILTER = "filter"
    RECITATION = "recitation"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the model says, with the usage that is told of it."""

    id: str
    created: int
    model: str
    text: str
    reasoning: str | None = None
    finish: Finish = Finish.STOP
    usage: Tally | Json | None = None
    """A tally; or JSON to send as it is; or nothing."""
    no_choices: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why there is no reply, in no format's words."""

    kind: Literal[
        "invalid",
        "bad_key",
        "no_credit",
        "no_permission",
        "no_model",
        "limit",
        "over_context",
        "unsupported",
        "blocked_input",
        "too_long_body",
        "timeout",
        "conflict",
        "server_error",
        "unavailable",
        "overloaded",
    ]
    message: str = ""
    model: str = ""
    refusal: Refusal | None = None
    input_tokens: int = 0
    max_tokens: int = 0
    window: int = 0
    param: str = ""
    wording: str = "vendor"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedFailure:
    """A problem in one format's words."""

    status: int
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Format(Protocol):
    """One provider's way to ask and to answer."""

    @property
    def dialect(self) -> Dialect:
        """Name the format."""
        ...

    def parse(self, body: Json, target: str) -> Call:
        """The call in a request; `target` is the model and method of a Gemini path.

        Raises BadCallError.
        """
        ...

    def usage(self, tally: Tally) -> Json:
        """A tally as this provider tells it."""
        ...

    def whole(self, reply: ModelReply) -> Json:
        """Write a reply in one piece."""
        ...

    def events(self, reply: ModelReply, pieces: Sequence[str], call: Call) -> list[bytes]:
        """A reply as a stream; one event for each piece, and those around them."""
        ...

    def failure(self, problem: Problem) -> SimulatedFailure:
        """A problem in this provider's words."""
        ...

    def error_event(self, failure: SimulatedFailure) -> bytes:
        """Write a failure inside a stream."""
        ...

    def limit_headers(self, states: Sequence[BucketState], now_us: int) -> dict[str, str]:
        """What the headers of every reply tell of the limits."""
        ...


def object_of(value: object, where: str) -> Json:
    """A JSON object, or an empty one for nothing at all."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadCallError(f"{where}: must be an object")
    return cast("Json", value)


def list_of(value: object, where: str) -> list[Json]:
    """Read a list of at least one object."""
    if not isinstance(value, list) or not value:
        raise BadCallError(f"{where}: a list with at least one item is required")
    return [object_of(item, where) for item in cast("list[object]", value)]


def text_of(content: object, where: str) -> str:
    """The text in a turn's content: a string, or a list of text parts."""
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in list_of(content, where)]
    if not all(isinstance(text, str) for text in texts):
        raise BadCallError(f"{where}: only text is read here")
    return "".join(cast("list[str]", texts))


def cap_of(value: object, where: str) -> int | None:
    """An output cap, where one is given."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadCallError(f"{where}: must be a whole number of at least 1")
    return value


def model_of(body: Json) -> str:
    """Read the model's name."""
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise BadCallError("model: a name is required")
    return model
