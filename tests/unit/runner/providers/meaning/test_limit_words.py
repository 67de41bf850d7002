import pytest

from runner.providers.meaning.error_facts import ErrorFacts
from runner.providers.meaning.limit_words import limit_in_words, too_much
from runner.wire import LimitHint, TooMuch

OPENAI = (
    "Rate limit reached for gpt-x in organization org-1 on tokens per min (TPM): Limit 30000, "
    "Used 29000, Requested 2000. Please try again in 2s."
)
REQUESTS = (
    "Rate limit reached for gpt-x on requests per min (RPM): Limit 500, Used 500, Requested 1."
)
ANTHROPIC = (
    "This request would exceed your organization's rate limit of 40,000 input tokens per minute"
)
OUTPUT = "This request would exceed your rate limit of 8,000 output tokens per minute"
GEMINI = (
    "You exceeded your current quota. Quota exceeded for metric: "
    "generate_content_paid_tier_input_token_count, limit: 1000000, model: gemini-x"
)
GEMINI_REQUESTS = (
    "Quota exceeded for metric: generate_content_paid_tier_requests, limit: 150, model: gemini-x"
)


@pytest.mark.parametrize(
    ("message", "dimension", "limit", "remaining"),
    [
        (OPENAI, "tokens", 30_000, 1_000),
        (REQUESTS, "requests", 500, 0),
        (ANTHROPIC, "input_tokens", 40_000, 0),
        (OUTPUT, "output_tokens", 8_000, 0),
        (GEMINI, "input_tokens", 1_000_000, 0),
        (GEMINI_REQUESTS, "requests", 150, 0),
    ],
)
def test_a_limit_in_words_is_read(message: str, dimension: str, limit: int, remaining: int):
    hint = LimitHint(dimension=dimension, limit=limit, remaining=remaining, in_words=True)
    assert limit_in_words(ErrorFacts(status=429, message=message)) == hint


@pytest.mark.parametrize(
    "message",
    [
        "",
        "slow down",
        "Rate limit reached on requests per day (RPD): Limit 200, Used 200, Requested 1.",
        "Number of concurrent connections has exceeded your rate limit",
        "rate limit of zero tokens per minute",
        "limit: 0, tokens per minute",
        "your limit is 5000",
    ],
)
def test_words_that_name_no_limit_per_minute_are_none(message: str):
    assert limit_in_words(ErrorFacts(status=429, message=message)) is None


def test_a_daily_quota_is_none_whatever_the_message_says():
    facts = ErrorFacts(
        status=429, message=GEMINI_REQUESTS, quotas="generaterequestsperdayperproject"
    )
    assert limit_in_words(facts) is None


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("Number of concurrent connections has exceeded your rate limit", TooMuch.CONCURRENCY),
        ("Reached the concurrency limit of 5", TooMuch.CONCURRENCY),
        (OPENAI, TooMuch.RATE),
        ("", TooMuch.RATE),
    ],
)
def test_what_there_is_too_much_of_is_read(message: str, about: TooMuch):
    assert too_much(ErrorFacts(status=429, message=message)) is about
