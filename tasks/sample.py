"""The words of prompts: what a task is asked for, and what it gives back.

What is made for every prompt is a struct: a frozen dataclass takes several times as long to make.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self, get_args

import orjson
from msgspec import Struct
from msgspec import field as struct_field

from tasks.facts import TaskFacts, TextKind
from tasks.identity import stable_hash

Scalar = str | int | float | bool | None
Role = Literal["system", "user", "assistant"]
_ROLE_MARKS: Mapping[Role, bytes] = {role: f"\x00{role}\x00".encode() for role in get_args(Role)}
LONG_BYTES = 4096
"""From here on, hashing a text again costs more than remembering that it was."""


class TaskError(Exception):
    """A task cannot do what was asked of it; the message names the key and what is allowed."""


class DoesNotFitError(TaskError):
    """The point asks for more than its haystack can hold."""


def prompt_hash(prompt: bytes) -> str:
    """`Prompt.hash` of roles and texts that stand in one row, a zero byte around each role."""
    return _shown(hashlib.sha256(prompt))


def _shown(digest: "_Digest") -> str:
    return digest.hexdigest()[:32]


class _Digest(Protocol):
    """A hash under way."""

    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...

    def hexdigest(self) -> str: ...

    def copy(self) -> Self: ...


class Text:
    """A piece of prompt, encoded at most once however many prompts share it.

    A haystack is megabytes and many questions are asked of it, so its JSON bytes, its UTF-8 bytes,
    its token counts and its part in the prompt's hash are kept beside the text.
    """

    __slots__ = ("_digest", "_json", "_tokens", "_utf8", "text")

    def __init__(self, text: str, *, json: bytes | None = None) -> None:
        self.text = text
        self._json = json
        self._utf8: bytes | None = None
        self._tokens: dict[str, int] = {}
        self._digest: tuple[bytes, _Digest] | None = None

    @property
    def json(self) -> bytes:
        """The text as the inside of a JSON string (escaped, UTF-8, without the quotes)."""
        if self._json is None:
            self._json = orjson.dumps(self.text)[1:-1]
        return self._json

    @property
    def utf8(self) -> bytes:
        """The text in UTF-8."""
        if self._utf8 is None:
            self._utf8 = self.text.encode()
        return self._utf8

    def tokens(self, counter: "TokenCounter") -> int:
        """Tokens of this piece alone under `counter`, counted once."""
        known = self._tokens.get(counter.name)
        if known is None:
            known = self._tokens[counter.name] = counter.count(self.text)
        return known

    def digested(self, digest: _Digest) -> _Digest:
        """The digest with this long text behind; after the same beginning it is read once."""
        before = digest.digest()
        if self._digest is None or self._digest[0] != before:
            digest.update(self.utf8)
            self._digest = (before, digest)
        return self._digest[1].copy()

    def __len__(self) -> int:
        return len(self.text)

    def __repr__(self) -> str:
        return f"Text({len(self.text)} chars, {self.text[:24]!r}...)"


class TokenCounter(Protocol):
    """Counts the tokens of a text under one named tokenizer."""

    @property
    def name(self) -> str:
        """Name of the tokenizer."""
        ...

    def count(self, text: str) -> int:
        """Tokens in `text`; special-token spellings count as plain text."""
        ...


class Message(Struct, frozen=True, kw_only=True, gc=False):
    """One turn of a prompt, as pieces that are sent one after another with nothing between."""

    role: Role
    parts: tuple[Text, ...]

    @property
    def text(self) -> str:
        """The whole turn."""
        return "".join(part.text for part in self.parts)


class Prompt(Struct, frozen=True, kw_only=True, gc=False):
    """What is sent to a model, apart from decoding parameters."""

    messages: tuple[Message, ...]

    @property
    def chars(self) -> int:
        """Characters (code points) in all turns."""
        chars = 0
        for message in self.messages:
            for part in message.parts:
                chars += len(part.text)
        return chars

    @property
    def json_bytes(self) -> int:
        """Bytes that the turns take in a request body, without the envelope."""
        size = 0
        for message in self.messages:
            for part in message.parts:
                size += len(part.json)
        return size

    def encode(self) -> None:
        """Make and keep the JSON bytes of every piece now, in the calling thread."""
        for message in self.messages:
            for part in message.parts:
                part.json  # noqa: B018  the property keeps what it makes

    def hash(self) -> str:
        """32 hex digits over roles and text; independent of how turns are cut into pieces.

        Of SHA-256, which processors compute themselves: at twice the speed of BLAKE2 here.
        """
        digest: _Digest = hashlib.sha256()
        short: list[bytes] = []
        for message in self.messages:
            short.append(_ROLE_MARKS[message.role])
            for part in message.parts:
                utf8 = part.utf8
                if len(utf8) < LONG_BYTES:
                    short.append(utf8)
                    continue
                digest.update(b"".join(short))
                digest, short = part.digested(digest), []
        digest.update(b"".join(short))
        return _shown(digest)

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens of all pieces; at seams between pieces this may be a few too many."""
        return sum([part.tokens(counter) for message in self.messages for part in message.parts])


def user_prompt(*parts: Text | str, system: str | None = None) -> Prompt:
    """A prompt of one user turn, with an optional system turn before it."""
    pieces = tuple([part if isinstance(part, Text) else Text(part) for part in parts])
    turns = (Message(role="user", parts=pieces),)
    if system is not None:
        turns = (Message(role="system", parts=(Text(system),)), *turns)
    return Prompt(messages=turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPoint:
    """A value for every axis of a task, and the switches and files that shape its prompt."""

    task: str
    version: int
    axes: Mapping[str, Scalar]
    switches: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Hashes of whatever else shapes the prompt: template file, corpus folder, data file."""

    @property
    def point_id(self) -> str:
        """Stable id of the point, the same for every model."""
        return stable_hash(
            [self.task, self.version, dict(self.axes), dict(self.switches), dict(self.inputs)]
        )


class Sample(Struct, frozen=True, kw_only=True, gc=False):
    """A prompt with everything needed to judge the reply to it."""

    prompt: Prompt
    target: Mapping[str, Any]
    """JSON; all that a scorer may look at, so that a stored reply can be judged again."""
    kind: TextKind
    lengths: Mapping[str, float] = struct_field(default_factory=dict[str, float])
    """Actual measures beside the nominal axes, e.g. `haystack_chars`, `depth_actual`, `tokens`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis of a task's grid, in the field's own name and unit."""

    name: str
    published: tuple[Scalar, ...]
    """The values of the paper; the default grid."""
    unit: str = ""
    source: str = ""
    """Where the values were published: paper section or code."""
    choices: tuple[Scalar, ...] | None = None
    """All values that are allowed, where these can be listed."""
    minimum: float | None = None
    maximum: float | None = None
    integer: bool = True
    """Numeric values must be whole."""
    has_curves: bool = False
    """Accuracy along the length is a curve of its own at each value of this axis."""
    is_apart: bool = False
    """The paper shows each value of this axis apart, and never their mean."""


class Task(Protocol):
    """One benchmark task: a grid of points, and a seeded prompt for each."""

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever a prompt of the same point and seed would change."""
    axes: ClassVar[tuple[Axis, ...]]
    size_axis: ClassVar[str]
    """The axis that is the length of the context (`size`, or `k` for NeedleChain)."""
    size_unit: ClassVar[str]
    """chars, tokens or needles."""
    source: ClassVar[str]
    """Paper and section."""
    shares: ClassVar[tuple[str, ...]]
    """Axes that fix the haystack: points equal on these share it within one repeat."""
    facts: ClassVar[TaskFacts]

    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """The accuracy that guessing gives at this point; None where nobody can say."""
        ...

    def values_asked(self, axes: Mapping[str, Scalar]) -> int:
        """How many values the reply should hold."""
        ...

    def reply_tokens(self, axes: Mapping[str, Scalar]) -> float:
        """Visible tokens of a usual reply, whatever the model and its cap."""
        ...

    def infeasible(self, axes: Mapping[str, Scalar]) -> str | None:
        """Why this combination can have no prompt (counted and skipped), else None."""
        ...

    def decoding(self, axes: Mapping[str, Scalar]) -> Mapping[str, Any]:
        """The published decoding parameters at this point: temperature, top_p, max_tokens."""
        ...

    def generate(self, axes: Mapping[str, Scalar], seed: int) -> Sample:
        """The prompt and target of one point and seed; same arguments, same bytes.

        `seed` is `identity.trial_seed(sweep seed, repeat)`, equal to the repeat for sweep seed 0.
        Raises DoesNotFitError where `infeasible` gives a reason.
        """
        ...

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """All feasible points; axes that are not given take their published values."""
        ...
