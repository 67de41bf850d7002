from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.providers.meaning.headers import (
    MAX_WAIT_S,
    exhausted_reset_s,
    limit_hints,
    parse_duration,
    parse_moment,
    retry_after_s,
    retry_after_words,
)
from runner.wire import LimitHint

NOW = 1_790_000_000.0
THEN = datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=90)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("644ms", 0.644),
        ("2d", 172_800.0),
        (" 37S ", 37.0),
        ("1.25", 1.25),
        ("0", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("1e9", None),
        ("99999999999", None),
        ("1s2", None),
        ("9" * 400 + "s", None),
    ],
)
def test_durations(text: str, seconds: float | None):
    assert parse_duration(text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12", 12.0),
        ("20s", 20.0),
        (str(NOW + 5), 5.0),
        (str(int((NOW + 5) * 1000)), 5.0),
        (THEN.isoformat(), 90.0),
        (THEN.isoformat().replace("+00:00", "Z"), 90.0),
        (THEN.replace(tzinfo=None).isoformat(), 90.0),
        (format_datetime(THEN, usegmt=True), 90.0),
        (format_datetime(THEN - timedelta(seconds=120), usegmt=True), 0.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("Fri, 99 Zzz 9999 00:00:00 GMT", None),
        ("9999-12-31T23:59:59Z", None),
        ("tomorrow", None),
    ],
)
def test_moments(text: str, seconds: float | None):
    assert parse_moment(text, NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "junk", "retry-after": "9"}, 9.0),
        ({"retry-after": format_datetime(THEN, usegmt=True)}, 90.0),
        ({"retry-after": "7200"}, 7200.0),
        ({"retry-after": "junk"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None):
    assert retry_after_s(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 20.5s. Visit", 20.5),
        ("Please try again in 1m12.5s.", 72.5),
        ("Please retry in 37.123456789s.", 37.123456789),
        ("Try again in 12 seconds.", 12.0),
        ("retry after 2 hours", 7200.0),
        ("try again in a moment", None),
        ("try again in 5 lightyears", None),
        ("no words", None),
    ],
)
def test_wait_in_words(words: str, seconds: float | None):
    assert retry_after_words(words) == (None if seconds is None else pytest.approx(seconds))


def hints(headers: dict[str, str]) -> dict[str, tuple[int | None, int | None, float | None]]:
    found = limit_hints(headers, NOW)
    return {hint.dimension: (hint.limit, hint.remaining, hint.reset_s) for hint in found}


def test_openai_limit_headers():
    assert hints(
        {
            "x-ratelimit-limit-requests": "500",
            "x-ratelimit-remaining-requests": "499",
            "x-ratelimit-reset-requests": "120ms",
            "X-RateLimit-Limit-Tokens": "30,000",
            "x-ratelimit-remaining-tokens": "-17",
            "x-ratelimit-reset-tokens": "6m0s",
            "content-type": "application/json",
        }
    ) == {"requests": (500, 499, 0.12), "tokens": (30_000, 0, 360.0)}


def test_anthropic_limit_headers():
    reset = THEN.isoformat().replace("+00:00", "Z")
    assert hints(
        {
            f"anthropic-ratelimit-{unit}-{field}": value
            for unit in ("requests", "input-tokens", "output-tokens", "tokens")
            for field, value in (("limit", "1000"), ("remaining", "1"), ("reset", reset))
        }
    ) == dict.fromkeys(("requests", "input_tokens", "output_tokens", "tokens"), (1000, 1, 90.0))


def test_other_vendors_limit_headers():
    assert hints(
        {
            "x-ratelimit-limit-requests-day": "14400",
            "x-ratelimit-limit-tokens-minute": "60000",
            "x-ratelimit-remaining-tokens-minute": "59000.0",
            "x-ratelimit-limit-tokens-prompt": "9",
        }
    ) == {
        "requests_per_day": (14_400, None, None),
        "tokens": (60_000, 59_000, None),
        "input_tokens": (9, None, None),
    }


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-ratelimit-limit-requests": "lots"},
        {"x-ratelimit-limit-bananas": "5"},
        {"x-ratelimit-reset-requests": "1s"},
        {"x-ratelimit-requests": "5"},
        {"my-ratelimit-limit-requests": "5"},
        {"anthropic-ratelimit-unified-status": "allowed"},
    ],
)
def test_nonsense_is_no_hint(headers: dict[str, str]):
    assert limit_hints(headers, NOW) == ()


def test_wait_for_the_last_of_the_used_up_limits():
    used = [
        LimitHint(dimension="requests", remaining=0, reset_s=3.0),
        LimitHint(dimension="tokens", remaining=0, reset_s=9.0),
        LimitHint(dimension="input_tokens", remaining=0),
        LimitHint(dimension="output_tokens", remaining=4, reset_s=99.0),
    ]
    assert exhausted_reset_s(tuple(used)) == 9.0
    assert exhausted_reset_s(()) is None


@given(st.text(max_size=60) | st.from_regex(r"\A[\d.:TZhmsd+-]{1,40}\Z"))
def test_no_header_is_a_crash_or_an_absurd_wait(text: str):
    for wait in (parse_duration(text), parse_moment(text, NOW), retry_after_words(text)):
        assert wait is None or 0 <= wait <= MAX_WAIT_S
    limit_hints({"x-ratelimit-limit-requests": text, "x-ratelimit-reset-requests": text}, NOW)
