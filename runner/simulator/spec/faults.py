"""Everything that can go wrong with a reply, by name, and which fault strikes when."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

InsteadOfReply = Literal[
    "status",
    "400",
    "401",
    "403",
    "404",
    "408",
    "409",
    "413",
    "429",
    "500",
    "502 html",
    "503",
    "504",
    "529",
    "bad key",
    "no credit",
    "daily limit",
    "too large",
    "over context",
    "unsupported",
    "blocked input",
    "overloaded in 500",
    "error in 200",
]
"""No reply is ever made: neither counted by limits nor billed."""
OnTheWay = Literal[
    "reset",
    "cut length",
    "cut chunked",
    "cut gzip",
    "bad json",
    "wrong shape",
    "stall",
    "stall body",
    "close after",
    "sse error",
    "sse cut",
]
"""A reply is made and billed, and something happens to it before it arrives."""
OfTheReply = Literal[
    "no usage",
    "wrong usage",
    "empty",
    "no choices",
    "truncated",
    "truncated reasoning",
    "refusal",
    "content filter",
    "recitation",
]
"""The reply arrives, and is not what one hopes for."""
FaultName = Literal["ok", InsteadOfReply, OnTheWay, OfTheReply]
FAULT_NAMES: tuple[FaultName, ...] = get_args(FaultName)
NEVER_SENT: frozenset[FaultName] = frozenset(get_args(InsteadOfReply))

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class FaultError(ValueError):
    """A fault's text cannot be read; the message says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedFault:
    """One thing that goes wrong with one request."""

    name: FaultName = "ok"
    status: int | None = None
    """Instead of the fault's own status."""
    headers: Mapping[str, str] = field(default_factory=lambda: _NO_HEADERS)
    """Added to the response."""
    body: str | None = None
    """Instead of the body."""
    retry_after: str | None = None
    """The header's value, in any spelling."""
    delay_s: float = 0.0
    """Added before the first byte."""
    body_delay_s: float = 0.0
    """Spread over the pieces of the body."""
    billed: bool | None = None
    """Whether the provider bills it, where that differs from the fault's own habit."""
    form: str = ""
    """Variant: of `wrong usage` negative, text, low, high; of `unsupported` the parameter."""


OK = InjectedFault()


def parse_fault(text: str) -> InjectedFault:
    """A fault from `NAME [key=value ...]`, such as `429 retry-after=1` or `502 html delay=2`."""
    words = text.split()
    count = next((i for i, word in enumerate(words) if "=" in word), len(words))
    name = " ".join(words[:count])
    if name not in FAULT_NAMES:
        raise FaultError(f"no fault {name!r}; there are {', '.join(FAULT_NAMES)}")
    fields: dict[str, object] = {"name": name}
    headers: dict[str, str] = {}
    for word in words[count:]:
        key, _, value = word.partition("=")
        _read_option(key, value, fields, headers)
    return InjectedFault(**fields, headers=headers)  # type: ignore[arg-type]


def _read_option(key: str, value: str, fields: dict[str, object], headers: dict[str, str]) -> None:
    try:
        if key.startswith("header."):
            headers[key.removeprefix("header.")] = value
        elif key == "status":
            fields["status"] = int(value)
        elif key in {"delay", "body-delay"}:
            fields[f"{key.replace('-', '_')}_s"] = float(value)
        elif key == "billed":
            fields["billed"] = {"yes": True, "no": False}[value]
        elif key in {"retry-after", "body", "form"}:
            fields[key.replace("-", "_")] = value
        else:
            raise FaultError(
                f"no option {key!r}; there are retry-after, status, delay, body-delay, billed, "
                "body, form, header.NAME"
            )
    except (KeyError, ValueError) as error:
        if isinstance(error, FaultError):
            raise
        raise FaultError(f"{key} = {value!r} cannot be read") from error


def unit(*parts: object) -> float:
    """A number in [0, 1) that is the same for the same parts, on any machine."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big") / 2**56


def drawn_fault(rates: Mapping[FaultName, float], *parts: object) -> InjectedFault:
    """The fault that strikes, if any; rates add up, so their sum should not exceed 1."""
    if not rates:
        return OK
    left = unit("fault", *parts)
    for name, rate in rates.items():
        if left < rate:
            return InjectedFault(name=name)
        left -= rate
    return OK
