"""Reads waits and limits from response headers, in every spelling that providers use.

Nonsense is ignored: a wait or limit that cannot be read is no wait and no limit.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from runner.wire import LimitHint

MAX_WAIT_S = 32 * 86_400.0
"""A month; a provider that names a longer wait means something else."""

_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(?:\d{1,12}(?:\.\d{1,12})?(?:ms|[smhd])){1,5}")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_TRY_AGAIN = re.compile(
    r"(?:try|retry) (?:again |your request )?(?:in|after) ((?:[\d.]{1,16} ?[a-z]{1,12} ?){1,3})"
)
_LONG_UNITS = re.compile(r" ?(milliseconds?|seconds?|secs?|minutes?|mins?|hours?|days?)\b")
_LONG = {"mil": "ms", "sec": "s", "min": "m", "hou": "h", "day": "d"}

_EPOCH_S = 1_000_000_000.0
_EPOCH_MS = _EPOCH_S * 1000


def parse_duration(text: str) -> float | None:
    """Seconds of `1s`, `6m0s`, `1h2m3.5s`, `644ms`, or a bare number of seconds."""
    text = text.strip().lower()
    if _NUMBER.fullmatch(text):
        return _sane(float(text))
    if len(text) > 40 or not _DURATION.fullmatch(text):
        return None
    return _sane(sum(float(amount) * _UNIT_S[unit] for amount, unit in _PART.findall(text)))


def _sane(seconds: float) -> float | None:
    return seconds if 0 <= seconds <= MAX_WAIT_S else None


def parse_moment(text: str, now: float) -> float | None:
    """Seconds from `now` (epoch) until a duration, epoch, ISO 8601 or HTTP date has passed."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        number = float(text)
        if number >= _EPOCH_MS:
            return _until(number / 1000, now)
        return _until(number, now) if number >= _EPOCH_S else _sane(number)
    seconds = parse_duration(text)
    if seconds is not None:
        return seconds
    moment = _parse_date(text)
    return None if moment is None else _until(moment.timestamp(), now)


def _until(epoch: float, now: float) -> float | None:
    """A moment that is just past means no wait; one long past or far off means nothing."""
    wait = epoch - now
    return max(0.0, wait) if -MAX_WAIT_S <= wait <= MAX_WAIT_S else None


def _parse_date(text: str) -> datetime | None:
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text)
            return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """What this response says about when to come back, in seconds."""
    millis = headers.get("retry-after-ms")
    if millis is not None and _NUMBER.fullmatch(millis.strip()):
        return _sane(float(millis) / 1000)
    after = headers.get("retry-after")
    return None if after is None else parse_moment(after, now)


def retry_after_words(message: str) -> float | None:
    """The wait named in an error message: `Please try again in 1m12.5s`."""
    found = _TRY_AGAIN.search(message[:4000].lower())
    if found is None:
        return None
    words = _LONG_UNITS.sub(lambda unit: _LONG[unit[1][:3]], found[1].strip())
    compact = re.match(r"(?:[\d.]{1,16} ?(?:ms|[smhd]) ?){1,3}", words)
    return parse_duration(compact[0].replace(" ", "")) if compact else None


def exhausted_reset_s(hints: tuple[LimitHint, ...]) -> float | None:
    """When the last of the used-up limits is refilled."""
    resets = [h.reset_s for h in hints if h.remaining == 0 and h.reset_s is not None]
    return max(resets, default=None)


_FIELDS = ("limit", "remaining", "reset")
_DIMENSIONS = {
    "requests": "requests",
    "requests-minute": "requests",
    "req-minute": "requests",
    "tokens": "tokens",
    "tokens-minute": "tokens",
    "input-tokens": "input_tokens",
    "prompt-tokens": "input_tokens",
    "tokens-prompt": "input_tokens",
    "output-tokens": "output_tokens",
    "generated-tokens": "output_tokens",
    "tokens-generated": "output_tokens",
    "requests-day": "requests_per_day",
}
_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-", "ratelimit-")


def limit_hints(headers: Mapping[str, str], now: float) -> tuple[LimitHint, ...]:
    """What the headers say about the account's limits, one hint per dimension."""
    named = _about_limits(tuple(headers))
    if not named:
        return ()
    found: dict[str, dict[str, str]] = {}
    for name in named:
        split = _split(name)
        if split is not None:
            dimension, field = split
            found.setdefault(dimension, {}).setdefault(field, headers[name])
    hints = (_hint(dimension, fields, now) for dimension, fields in found.items())
    return tuple(hint for hint in hints if hint is not None)


@lru_cache(maxsize=256)
def _about_limits(names: tuple[str, ...]) -> tuple[str, ...]:
    """One server's responses have the same names, so these are looked through once."""
    return tuple(name for name in names if "ratelimit-" in name.lower())


@lru_cache(maxsize=1024)
def _split(name: str) -> tuple[str, str] | None:
    """Dimension and field of `x-ratelimit-limit-tokens` or `anthropic-ratelimit-tokens-limit`."""
    name = name.lower()
    for prefix in _PREFIXES:
        if not name.startswith(prefix):
            continue
        rest = name[len(prefix) :]
        for field in _FIELDS:
            unit = rest.removeprefix(f"{field}-").removesuffix(f"-{field}")
            if unit != rest and unit in _DIMENSIONS:
                return _DIMENSIONS[unit], field
    return None


def _hint(dimension: str, fields: Mapping[str, str], now: float) -> LimitHint | None:
    reset = fields.get("reset")
    hint = LimitHint(
        dimension=dimension,
        limit=_whole(fields.get("limit")),
        remaining=_whole(fields.get("remaining")),
        reset_s=None if reset is None else parse_moment(reset, now),
    )
    return None if hint.limit is None and hint.remaining is None else hint


def _whole(text: str | None) -> int | None:
    """A count; `12,000` and `12000.0` occur, negative remainders are nothing left."""
    if text is None:
        return None
    digits = text.strip().replace(",", "")
    if digits.isdecimal() and len(digits) <= 15:
        return int(digits)
    if re.fullmatch(r"-\d{1,15}", digits):
        return 0
    return int(float(digits)) if _NUMBER.fullmatch(digits) else None
