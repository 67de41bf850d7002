"""What a provider's error means, by code first and by wording where codes say too little.

The rules are a list in order of precedence; the first that matches decides. A wording is listed
with the providers that use it, so that a new one has a place to go.
"""

import re
from collections.abc import Callable

from runner.providers.meaning.error_facts import ErrorFacts
from runner.providers.meaning.outcomes import Verdict, verdict
from runner.wire import RetryKind
from state.records import Outcome

Rule = Callable[[ErrorFacts], Verdict | None]

_LIMIT_REQUESTED = re.compile(
    r"limit:?\s{0,3}([\d,]{1,20}).{0,80}?requested:?\s{0,3}([\d,]{1,20})", re.DOTALL
)
_TIER = re.compile(
    r"request too large for .{0,200}(per (min|day)|\btp[md]\b)"  # OpenAI, Groq
    r"|long context beta is not|extra usage is required for long context"  # Anthropic
    r"|exceeds? your (current )?(tier|plan)",
    re.DOTALL,
)
_CONTEXT_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "3051"}
)
_CONTEXT = re.compile(
    r"maximum context length|context[ _]length[ _](is )?exceeded"  # OpenAI, vLLM, OpenRouter
    r"|(exceeds?|exceeded|larger than|greater than|over) (the |this |its )?"
    r"(model'?s? |available |maximum |configured )*(context|max(imum)? (input|prompt) length)"
    r"|context (size|window|length) (has been |was |is )?(exceeded|too small|overflow)"  # llama.cpp
    r"|prompt (is )?too (long|large)|input is too long"  # Anthropic, Bedrock, Mistral, Ollama
    r"|input length and `?max_tokens`? exceed context"  # Anthropic
    r"|input token count.{0,40}exceeds the maximum"  # Gemini
    r"|maximum prompt length is|too many (input )?tokens"  # xAI, Cohere, Mistral
    r"|reduce the length of (the|your) (messages|prompt|input)"  # OpenAI, Groq
    r"|`?inputs?`? tokens \+ max_new_tokens|`inputs` must have less than"  # TGI, Together
    r"|longer than the (model'?s |maximum )?(model|context) length|prompt contains .{0,40}tokens"
    r".{0,60}(limit|maximum|large)|exceeds the limit of \d+ tokens|exceed context window of",
    re.DOTALL,
)
_CREDIT_CODES = frozenset(
    {
        "402",
        "insufficient_quota",
        "billing_error",
        "billing_not_active",
        "billing_hard_limit_reached",
        "insufficient_credits",
        "insufficient_balance",
        "credit_limit_exceeded",
        "payment_required",
        "enforced_spend_limit_reached",
        "contract_spend_limit_reached",
        "linked_organization_spend_limit_reached",
        "linked_organization_billing_unavailable",
        "arrearage",
    }
)
_CREDIT = re.compile(
    r"insufficient (balance|credits?|funds|quota)|credit balance is too low"  # DeepSeek, Anthropic
    r"|out of credits|used all available credits|requires more credits"  # xAI, OpenRouter
    r"|(credits?|prepa(id|yment) \w{1,12}) (are|is|have been) (depleted|exhausted)"  # Gemini
    r"|monthly (spending|spend|usage) (limit|cap)|spending (limit|cap)|billing hard limit"
    r"|key limit exceeded|account is not active|billing (details|account)? ?(is )?(disabled|closed)"
)
_KEY_CODES = frozenset(
    {
        "invalid_api_key",
        "api_key_invalid",
        "invalid_authentication",
        "authentication_error",
        "unauthenticated",
        "unauthorized",
        "account_deactivated",
        "organization_on_hold",
        "service_disabled",
        "api_key_service_blocked",
        "unsupported_country_region_territory",
    }
)
_KEY = re.compile(
    r"(invalid|incorrect|missing|no|expired|revoked|leaked)\b.{0,20}\b(api|subscription) ?key"
    r"|api key (not valid|not found|expired|is invalid|was reported|has been)|key was reported as"
)
_FILTER_CODES = frozenset(
    {
        "content_filter",
        "responsibleaipolicyviolation",
        "content_policy_violation",
        "moderation_blocked",
        "data_inspection_failed",
        "datainspectionfailed",
    }
)
_FILTER_OUT = re.compile(r"output (was )?blocked by content filter")  # Anthropic
_FILTER_IN = re.compile(
    r"content management policy|content exists risk"  # Azure, DeepSeek
    r"|limited access to this content"  # OpenAI
    r"|flagged (for|as|by)|violat\w{1,8} (our|the) (usage|content) polic"  # OpenRouter, OpenAI
    r"|input.{0,30}(inappropriate|sensitive|blocked by content)"
)
_DAILY = re.compile(
    r"\brpd\b|\btpd\b|(requests?|tokens?|messages?|models?)[ -]per[ -]day|per-day|perday|per_day"
    r"|daily (request |token |rate )?(limit|quota)|(limit|quota) for (today|the day)"
)
_PER_MINUTE = re.compile(r"per[ _-]?minute|\b[rt]pm\b|per min\b")
_OVERLOADED_CODES = frozenset(
    {"529", "overloaded_error", "overloaded", "model_overloaded", "unavailable", "slow_down", "498"}
)
_OVERLOADED = re.compile(
    r"overloaded|at capacity|over capacity|capacity exceeded|currently (busy|unavailable)"
    r"|high demand|no (healthy upstream|available (workers|instances|replicas))|loading model"
)
_RATE_CODES = frozenset(
    {
        "429",
        "rate_limit_exceeded",
        "rate_limit_error",
        "rate_limited",
        "resource_exhausted",
        "ratelimitexceeded",
        "too_many_requests",
        "toomanyrequests",
        "throttlingexception",
        "throttling",
        "ramp_limit_exceeded",
    }
)
_RATE = re.compile(r"rate.?limit|too many requests|resource (has been )?exhausted|throttl")
_STARVED = re.compile(r"could not finish the message because max_tokens")  # OpenAI reasoning models
_BROKEN = frozenset({408, 409, 425, 460, 499})
"""Not 5xx, and yet about the server's state or the way to it, not about the request."""


def _too_large(facts: ErrorFacts) -> Verdict | None:
    if facts.status not in (400, 413, 429):
        return None
    asked = _LIMIT_REQUESTED.search(facts.text)
    over = asked is not None and _number(asked[2]) > _number(asked[1]) > 0
    if over or _TIER.search(facts.text):
        return verdict(Outcome.TOO_LARGE_FOR_TIER)
    return None


def _number(digits: str) -> int:
    return int(digits.replace(",", "")[:18] or "0")


def _over_context(facts: ErrorFacts) -> Verdict | None:
    if facts.status in (401, 402, 403, 404, 429):
        return None
    if facts.codes & _CONTEXT_CODES or _CONTEXT.search(facts.text):
        return verdict(Outcome.OVER_CONTEXT)
    if facts.status == 413:
        return verdict(Outcome.OVER_CONTEXT, "request_bytes")
    return None


def _starved(facts: ErrorFacts) -> Verdict | None:
    """OpenAI answers 400 when reasoning used up the whole output cap; the tokens are billed."""
    if _STARVED.search(facts.text):
        return verdict(Outcome.TRUNCATED_REASONING, maybe_billed=True)
    return None


def _daily(facts: ErrorFacts) -> Verdict | None:
    if facts.status != 429 and not facts.codes & _RATE_CODES:
        return None
    # Gemini names every quota that is near; a day's quota among them is the one that lasts.
    if _DAILY.search(facts.quotas):
        return verdict(Outcome.DAILY_LIMIT)
    if _DAILY.search(facts.text) and not _PER_MINUTE.search(facts.quotas):
        return verdict(Outcome.DAILY_LIMIT)
    return None


def _no_credit(facts: ErrorFacts) -> Verdict | None:
    if facts.status == 402 or facts.codes & _CREDIT_CODES or _CREDIT.search(facts.text):
        return verdict(Outcome.OUT_OF_CREDIT)
    # Gemini speaks of "your current quota" at every 429; only a quota of nothing is no credit.
    if "resource_exhausted" in facts.codes:
        return verdict(Outcome.OUT_OF_CREDIT, "no_quota") if _no_quota(facts) else None
    if "exceeded your current quota" in facts.text:
        return verdict(Outcome.OUT_OF_CREDIT)
    return None


def _no_quota(facts: ErrorFacts) -> bool:
    return re.search(r"\blimit: 0\b", facts.text) is not None


def _filtered(facts: ErrorFacts) -> Verdict | None:
    if facts.status in (401, 429) or facts.status >= 500:
        return None
    if _FILTER_OUT.search(facts.text):
        return verdict(Outcome.BLOCKED_OUTPUT, "content_filter")
    if facts.codes & _FILTER_CODES or _FILTER_IN.search(facts.text):
        return verdict(Outcome.BLOCKED_INPUT, "content_filter")
    return None


def _bad_key(facts: ErrorFacts) -> Verdict | None:
    if facts.status == 401 or facts.codes & _KEY_CODES:
        return verdict(Outcome.BAD_KEY)
    if facts.status in (400, 403) and _KEY.search(facts.text):
        return verdict(Outcome.BAD_KEY)
    if facts.status == 403 and "model_not_found" not in facts.codes and "model" not in facts.text:
        return verdict(Outcome.BAD_KEY, "forbidden")
    return None


def _overloaded(facts: ErrorFacts) -> Verdict | None:
    if facts.status in (503, 529) or facts.codes & _OVERLOADED_CODES:
        return verdict(Outcome.OVERLOADED)
    if (facts.status >= 429 or facts.status < 300) and _OVERLOADED.search(facts.text):
        return verdict(Outcome.OVERLOADED)
    return None


def _rate_limited(facts: ErrorFacts) -> Verdict | None:
    if facts.status == 429 or facts.codes & _RATE_CODES:
        return verdict(Outcome.RATE_LIMITED)
    if not 300 <= facts.status < 500 and _RATE.search(facts.text):
        return verdict(Outcome.RATE_LIMITED)
    return None


def _unsupported(facts: ErrorFacts) -> Verdict | None:
    if facts.status not in (400, 422):
        return None
    name = unsupported_param(facts)
    if name is None:
        return None
    return Verdict(
        outcome=Outcome.INVALID_REQUEST, reason="unsupported_parameter", unsupported_param=name
    )


def _broken(facts: ErrorFacts) -> Verdict | None:
    if facts.status in _BROKEN or facts.status >= 500:
        return verdict(Outcome.TRANSIENT, f"http_{facts.status}", maybe_billed=True)
    if facts.status < 300:
        return verdict(Outcome.TRANSIENT, "error_in_200", maybe_billed=True)
    return None


_RULES: tuple[Rule, ...] = (
    _starved,
    _too_large,
    _over_context,
    _no_credit,
    _daily,
    _filtered,
    _bad_key,
    _overloaded,
    _rate_limited,
    _unsupported,
    _broken,
)


def judge_error(facts: ErrorFacts) -> Verdict:
    """What an error means; an unknown 3xx or 4xx is the request's own fault and final."""
    for rule in _RULES:
        found = rule(facts)
        if found is not None:
            return found
    return verdict(Outcome.INVALID_REQUEST, _reason(facts))


def _reason(facts: ErrorFacts) -> str:
    """The most telling code, else the status."""
    if "model_not_found" in facts.codes or "model_not_found_error" in facts.codes:
        return "model_not_found"
    return f"http_{facts.status}"


def judge_stream_error(facts: ErrorFacts) -> Verdict:
    """What an error inside a stream means: the call had begun, so it may be billed."""
    found = judge_error(facts)
    if found.retry is RetryKind.NO:
        return found
    return verdict(found.outcome, found.reason, maybe_billed=True)


_PARAM_NAMES = {
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "maxoutputtokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "topp": "top_p",
    "top_k": "top_k",
    "topk": "top_k",
    "seed": "seed",
    "stop": "stop",
    "stop_sequences": "stop",
    "stopsequences": "stop",
    "reasoning_effort": "reasoning_effort",
    "reasoningeffort": "reasoning_effort",
    "effort": "reasoning_effort",
    "thinking": "thinking_budget",
    "thinking_budget": "thinking_budget",
    "thinkingbudget": "thinking_budget",
    "thinking_level": "reasoning_effort",
    "thinkinglevel": "reasoning_effort",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
_UNSUPPORTED_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
# Bounded on both sides: a hostile message of one long word must not cost quadratic time.
_NAME = r"(?<![a-z_])[`'\"]?(?P<name>[a-z_]{1,30})[`'\"]?"
_UNSUPPORTED = (
    re.compile(rf"unsupported (parameter|value|argument):? {_NAME}"),  # OpenAI
    re.compile(r"(?P<name>thinking (level|budget)) is not supported"),  # Gemini
    re.compile(rf"{_NAME}:? (is|was|are) (not (supported|allowed)|unsupported|deprecated)"),
    re.compile(rf"{_NAME}: extra inputs are not permitted"),  # Anthropic
    re.compile(rf"{_NAME} and {_NAME.replace('name', 'other')} cannot both be specified"),
    re.compile(rf"unknown name {_NAME}"),  # Gemini
    re.compile(rf"(does not support|doesn't support) (the )?(parameters?:? )?{_NAME}"),  # xAI
    re.compile(rf"(argument|parameter) not supported[^:]{{0,60}}: {_NAME}"),  # xAI
    re.compile(rf"unrecognized request argument supplied: {_NAME}"),
    re.compile(rf"unknown (parameter|field|argument):? {_NAME}"),
)


def unsupported_param(facts: ErrorFacts) -> str | None:
    """Our name of a parameter that the provider says this model does not take."""
    if facts.codes & _UNSUPPORTED_CODES and facts.param in _PARAM_NAMES:
        return _PARAM_NAMES[facts.param]
    for pattern in _UNSUPPORTED:
        found = pattern.search(facts.text)
        if found is None:
            continue
        # Of two that exclude each other the second goes: `temperature` and `top_p`.
        name = (found.groupdict().get("other") or found["name"]).replace(" ", "_")
        if name in _PARAM_NAMES:
            return _PARAM_NAMES[name]
    return None
