from typing import Any

import orjson
import pytest

from runner.providers.catalog import wire_format
from runner.providers.http.answer import Answer
from runner.providers.meaning.error_facts import ErrorFacts, read_error, shorten
from runner.providers.meaning.error_rules import judge_stream_error
from runner.wire import Result, RetryKind
from state.records import REPEATABLE, SCORED, Outcome, outcome_of
from tests.unit.runner.providers.replies import (
    ANSWERS,
    DIALECTS,
    ERRORS,
    SHAPES,
    UNSUPPORTED,
    google_error,
    oai,
    quota,
)

NOW = 1_790_000_000.0


def parse(wire: str, status: int, headers: dict[str, str], body: Any) -> Result:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return wire_format(wire).parse(Answer(status=status, headers=headers, body=raw, now=NOW))


@pytest.mark.parametrize(
    ("wire", "status", "headers", "body", "stored"), ANSWERS + SHAPES + ERRORS + DIALECTS
)
def test_recorded_reply_becomes_its_outcome(
    wire: str, status: int, headers: dict[str, str], body: Any, stored: str
):
    result = parse(wire, status, headers, body)
    assert result.stored_outcome == stored
    assert result.http_status == status
    again = result.outcome in REPEATABLE and not (
        result.outcome is Outcome.MALFORMED and result.usage is not None  # paid, and no accident
    )
    assert (result.retry.kind is not RetryKind.NO) == again
    if result.outcome in SCORED:
        assert result.text.strip()
        assert result.error is None


@pytest.mark.parametrize(("wire", "status", "headers", "body", "stored"), ERRORS)
def test_error_text_is_kept_as_error_and_never_as_text(
    wire: str, status: int, headers: dict[str, str], body: Any, stored: str
):
    result = parse(wire, status, headers, body)
    assert result.text == ""
    assert result.error
    assert "<html" not in result.error
    assert result.usage is None


@pytest.mark.parametrize(("wire", "status", "headers", "body", "stored"), ERRORS)
def test_only_what_may_have_been_worked_on_may_be_billed(
    wire: str, status: int, headers: dict[str, str], body: Any, stored: str
):
    result = parse(wire, status, headers, body)
    # Vendors bill no request that they answer with an error, but for reasoning that filled its cap.
    assert result.maybe_billed == (outcome_of(stored) is Outcome.TRUNCATED_REASONING)


@pytest.mark.parametrize(("wire", "status", "body", "param"), UNSUPPORTED)
def test_unsupported_parameter_is_named_in_our_words(wire: str, status: int, body: Any, param: str):
    result = parse(wire, status, {}, body)
    assert result.stored_outcome == "invalid_request:unsupported_parameter"
    assert result.unsupported_param == param


def test_error_inside_a_stream_may_be_billed_when_it_will_be_repeated():
    facts = read_error(200, {"error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert judge_stream_error(facts).maybe_billed
    final = read_error(200, {"error": {"type": "billing_error", "message": "no credit"}})
    assert not judge_stream_error(final).maybe_billed


def test_missing_usage_leaves_the_bill_unknown():
    assert parse("openai", 200, {}, oai(usage=None)).maybe_billed
    assert not parse("openai", 200, {}, oai()).maybe_billed


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({"retry-after": "7"}, {"error": {"message": "Please try again in 3s"}}, 7.0),
        ({}, {"error": {"message": "Please try again in 644ms."}}, 0.644),
        ({}, {"error": {"message": "Try again in 12 seconds."}}, 12.0),
        ({}, {"error": {"message": "Please retry after 1 minute 30 seconds"}}, 90.0),
        ({}, google_error(429, "RESOURCE_EXHAUSTED", "x", *quota("PerMinute", delay="37s")), 37.0),
        (
            {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"},
            {"error": {"message": "slow down"}},
            360.0,
        ),
        (
            {"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s"},
            {"error": {"message": "slow down"}},
            None,
        ),
        ({}, {"error": {"message": "slow down"}}, None),
    ],
)
def test_wait_that_a_429_asks_for(headers: dict[str, str], body: Any, wait: float | None):
    assert parse("openai", 429, headers, body).retry.retry_after_s == wait


def test_wait_is_heeded_at_overload_and_ignored_where_nothing_is_repeated():
    assert parse("openai", 503, {"retry-after": "2"}, b"").retry.retry_after_s == 2.0
    assert parse("openai", 401, {"retry-after": "2"}, b"").retry.retry_after_s is None


def test_request_id_comes_from_the_header_else_from_the_body():
    assert parse("openai", 200, {"x-request-id": "req_1"}, oai()).request_id == "req_1"
    assert parse("openai", 200, {}, oai()).request_id == "chatcmpl-1"


def test_error_text_is_one_short_printable_line():
    text = shorten("a\x00\n\tb\x1b[31m" + "x" * 10_000)
    assert text.startswith("a? b?[31mx")
    assert len(text) == 500
    assert text.endswith("...")


def test_error_without_words_still_says_something():
    assert parse("openai", 500, {}, b"").error == "HTTP 500 with no message"


def test_a_router_passes_on_what_the_provider_behind_it_said():
    body = {
        "error": {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": "prompt is too long: 300 tokens", "provider_name": "x"},
        }
    }
    assert parse("compat", 400, {}, body).outcome is Outcome.OVER_CONTEXT


def test_number_of_absurd_length_is_no_crash():
    facts = ErrorFacts(status=429, message=f"Limit {'9' * 400}, Requested {',' * 40}")
    assert judge_stream_error(facts).outcome is Outcome.RATE_LIMITED


def test_refused_parameter_that_is_none_of_ours_is_just_a_bad_request():
    result = parse("openai", 400, {}, {"error": "Unknown field: logit_warp. Unknown field: x"})
    assert result.stored_outcome == "invalid_request:http_400"
    assert result.unsupported_param is None
