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
    {
        *("context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"),
        *("model_context_window_exceeded", "contextwindowexceedederror", "input_too_large"),
        *("string_above_max_length", "3051", "1261"),
    }
)
_CONTEXT_PARAMS = frozenset({"messages", "prompt", "input", "contents"})
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
    r"|`?inputs?`? tokens \+ `?max_new_tokens|`inputs` must have less than"  # TGI, Together
    r"|contextwindowexceeded|input[ _]too[ _]large|prompt (is )?too (big|long)"  # LiteLLM, xAI
    r"|input tokens exceeded|number of input tokens exceeds"  # Nova
    r"|expected maxlength: \d+, actual: \d+"  # Bedrock
    r"|prompt tokens \(?\d+\)? exceed|exceeded model token limit"  # mantle, Moonshot
    r"|current length is \d+ while limit is \d+"  # Cerebras
    r"|trying to keep the first \d+ tokens|reached context length of"  # LM Studio
    r"|(input|prompt|messages?) (is |are )?(too long|exceeds? (the )?(max\w*|limit))"
    r"|token count.{0,30}exceeds? (the )?(model|max|limit|context)"
    r"|超[过出].{0,12}(上下文|长度|token)"  # Chinese vendors
    r"|(输入|上下文|prompt).{0,12}(过长|超长|超[过出])"
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
        "exceeded_current_quota_error",  # Moonshot
        "insufficient_user_quota",  # One API
        "1113",  # Zhipu
        "1008",  # MiniMax
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
        "1004",  # MiniMax
        "2049",
        "unsupported_country_region_territory",
    }
)
_KEY = re.compile(
    r"(invalid|incorrect|missing|no|expired|revoked|leaked)\b.{0,20}\b(api|subscription) ?key"
    r"|api key (not valid|not found|expired|is invalid|was reported|has been)|key was reported as"
)
_FILTER_CODES = re.compile(
    r"content.?(filter|polic|moderation|violation|risk|safety)|responsible_?ai|moderation"
    r"|data_?inspection|sensitive|guardrail|safety_check|(usage|bio|safety)_?policy|unsafe"
    r"|policy_?violation|prohibited_?content|^(1301|1026|1027|invalid_prompt)$"  # Zhipu, MiniMax
)
_FILTER_OUT = re.compile(
    r"output (was |is |has been )?(blocked|filtered|flagged)"  # Anthropic
    r"|(response|completion|generated (text|content)) (was |is |has been )?"
    r"(blocked|flagged|withheld)"
)
_FILTER_OUT_CODES = frozenset({"1027", "output_sensitive", "output_moderation"})
_RULES_OF_USE = r"(polic(y|ies)|guidelines?|terms|standards|rules)"
_BAD = "(inappropriate|sensitive|unsafe|prohibited|harmful|offensive)"
_FILTER_IN = re.compile(
    r"content management policy|content exists risk"  # Azure, DeepSeek
    r"|limited access to this content|safety_check"  # OpenAI, xAI
    r"|flagged (for|as|by)"
    r"|(content|prompt|input|request|text|message)s? (was |were |is |has been )?flagged"
    rf"|violat\w{{1,8}} .{{0,40}}{_RULES_OF_USE}|{_RULES_OF_USE} violation"  # most
    r"|content (policy|filter|moderation|safety)|safety (system|filter|policy|reasons|guidelines)"
    rf"|(input|prompt|content|request|text|message).{{0,40}}({_BAD}"
    r"|blocked by (content|safety|moderation|guardrail|policy))"
    rf"|{_BAD} (content|input|prompt|text|material)"
    r"|guardrail|敏感|不安全|违规|违禁|不合规"  # Bedrock; Chinese vendors
    r"|内容安全|内容审核|风险内容"
)
_OF_THE_ACCOUNT = re.compile(
    r"(account|organi[sz]ation|project|team|user|access|api key|subscription)\b.{0,60}"
    r"(suspend|disabled|deactivat|terminat|banned|revoked|restricted|blocked|on hold)"
)
"""A sanction for earlier content is no matter of this prompt."""
_DAILY = re.compile(
    r"\brpd\b|\btpd\b|(requests?|tokens?|messages?|models?)[ -]per[ -]day|per-day|perday|per_day"
    r"|daily (request |token |rate )?(limit|quota)|(limit|quota) for (today|the day)"
    r"|\d (api )?(calls?|requests?) ?(/|per|a) ?month"  # Cohere
    r"|(calls?|requests?|tokens?)[ -]per[ -]month"
)
_PER_MINUTE = re.compile(r"per[ _-]?minute|\b[rt]pm\b|per min\b")
_OVERLOADED_CODES = frozenset(
    {"529", "overloaded_error", "overloaded", "model_overloaded", "unavailable", "slow_down", "498"}
    | {"modelnotreadyexception", "engine_overloaded_error", "insufficient_system_resource"}
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
        "servicequotaexceededexception",
        "1302",  # Zhipu
        "1002",  # MiniMax
        "1039",
    }
)
_RATE = re.compile(r"rate.?limit|too many requests|resource (has been )?exhausted|throttl")
_STARVED = re.compile(r"could not finish the message because max_tokens")  # OpenAI reasoning models
_BROKEN = frozenset({408, 409, 424, 425, 460, 499})
"""Not 5xx, and yet about the server's state or the way to it, not about the request."""


def _too_large(facts: ErrorFacts) -> Verdict | None:
    if facts.status not in (400, 413, 429) or _MODEL_LIMIT.search(facts.text):
        return None
    asked = _LIMIT_REQUESTED.search(facts.text)
    over = asked is not None and _number(asked[2]) > _number(asked[1]) > 0
    if over or _TIER.search(facts.text):
        return verdict(Outcome.TOO_LARGE_FOR_TIER)
    return None


_MODEL_LIMIT = re.compile(r"model token limit|context (length|window|size)")


def _number(digits: str) -> int:
    return int(digits.replace(",", "")[:18] or "0")


def _over_context(facts: ErrorFacts) -> Verdict | None:
    if facts.status in (401, 402, 403, 404, 429):
        return None
    if facts.codes & _CONTEXT_CODES or _CONTEXT.search(facts.text):
        return verdict(Outcome.OVER_CONTEXT)
    if facts.status == 413 and "request_too_large" in facts.codes:  # Anthropic
        return verdict(Outcome.OVER_CONTEXT, "request_bytes")
    return None


def _cap_refused(facts: ErrorFacts) -> Verdict | None:
    """The output cap is too large, alone or beside this prompt; the prompt itself would fit."""
    if facts.status >= 300 and facts.status not in (400, 413, 422):
        return None
    named = facts.param in _CAPS
    if not named and not _CAP.search(facts.text) and _completion_in(facts) is None:
        return None
    if unsupported_param(facts) is not None or _PROMPT_ALONE.search(facts.text):
        return None
    fits = _prompt_fits(facts.text)
    told = named or (_CAP_TOO_LARGE.search(facts.text) and not _SUM.search(facts.text))
    if fits or (fits is None and told):
        return verdict(Outcome.INVALID_REQUEST, "max_tokens")
    return None


_CAP_NAME = r"max[_ ]?(?:completion[_ ]?|output[_ ]?|new[_ ]?|gen[_ ]?)?(?:tokens|length)"
_CAPS = frozenset(
    {
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "maxoutputtokens",
        "max_new_tokens",
    }
)
_CAP = re.compile(rf"\b{_CAP_NAME}\b")
_CAP_TOO_LARGE = re.compile(
    rf"\b{_CAP_NAME}\b.{{0,60}}(too (large|big|high|many)|must be|exceed|greater than|larger than"
    r"|at most|maximum|out of range|supported range|range of|valid range|> ?\d|not in|invalid)"
    rf"|(invalid|exceed\w*|maximum|too (large|big|high)).{{0,40}}\b{_CAP_NAME}\b"
    r"|at most \d+ (completion|output) tokens|maximum (allowed )?(number of )?output tokens",
    re.DOTALL,
)
_SUM = re.compile(r"`?inputs?`? tokens ?\+|input length and")
_PROMPT_ALONE = re.compile(r"maximum prompt length|prompt is too long|input token count")
_WINDOW = re.compile(
    r"context (?:length|window|size)[^\d]{0,40}(\d[\d,]{1,15})"
    r"|(?:must be|be) ?<=? ?`?(\d[\d,]{1,15})"
    r"|\+ ?\d[\d,]{0,15} ?> ?(\d[\d,]{1,15})"
)
_PROMPT_TOKENS = re.compile(
    r"(\d[\d,]{0,15}) (?:tokens? )?"
    r"(?:in (?:the|your) (?:messages?|prompt|input)|(?:prompt|`?inputs?`?) tokens)"
    r"|(?:input|prompt)[^\d]{0,20}(?:has|contains|is|of|tokens:?) ?(\d[\d,]{0,15})"
    r"|exceed context limit: (\d[\d,]{0,15}) ?\+"
)


def _prompt_fits(text: str) -> bool | None:
    """Whether the numbers in a refusal say that the prompt alone is within the window."""
    window, prompt = _WINDOW.search(text), _PROMPT_TOKENS.search(text)
    if window is None or prompt is None:
        return None
    size, used = (_number(next(filter(None, found.groups()))) for found in (window, prompt))
    return used < size


def _completion_in(facts: ErrorFacts) -> re.Match[str] | None:
    """A sum of prompt and cap, as OpenAI and vLLM spell it out."""
    return re.search(r"\d+ (tokens )?in (the|your) (completion|output)", facts.text)


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
    if facts.status in (401, 429) or facts.page or _OF_THE_ACCOUNT.search(facts.text):
        return None
    if facts.codes & _FILTER_OUT_CODES or _FILTER_OUT.search(facts.text):
        return verdict(Outcome.BLOCKED_OUTPUT, "content_filter")
    if any(_FILTER_CODES.search(code) for code in facts.codes):
        return verdict(Outcome.BLOCKED_INPUT, "content_filter")
    if facts.status < 500 and _FILTER_IN.search(facts.text):
        return verdict(Outcome.BLOCKED_INPUT, "content_filter")
    return None


def _bad_key(facts: ErrorFacts) -> Verdict | None:
    if facts.status == 401 or facts.codes & _KEY_CODES:
        return verdict(Outcome.BAD_KEY)
    if facts.status in (400, 403) and _KEY.search(facts.text):
        return verdict(Outcome.BAD_KEY)
    if facts.status != 403 or "model_not_found" in facts.codes:
        return None
    if facts.page:
        # One page of a firewall among answers is chance: who sends counts how many come in a row.
        return verdict(Outcome.TRANSIENT, FORBIDDEN_PAGE)
    if "model" not in facts.text or _OF_THE_ACCOUNT.search(facts.text):
        return verdict(Outcome.BAD_KEY, "forbidden")
    return None


FORBIDDEN_PAGE = "forbidden_page"


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
        return verdict(Outcome.TRANSIENT, f"http_{facts.status}")
    if facts.status < 300:
        return verdict(Outcome.TRANSIENT, "error_in_200")
    return None


_RULES: tuple[Rule, ...] = (
    _starved,
    _too_large,
    _cap_refused,
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
    if facts.status == 413:
        return "request_bytes"
    if "model_not_found" in facts.codes or "model_not_found_error" in facts.codes:
        return "model_not_found"
    return f"http_{facts.status}"


def judge_disguised(facts: ErrorFacts) -> Verdict | None:
    """What a 2xx means that holds words instead of a reply; None where these tell nothing."""
    if facts.page or not facts.message:
        return None
    found = judge_stream_error(facts)
    telling = found.outcome not in (Outcome.INVALID_REQUEST, Outcome.TRANSIENT)
    return found if telling or facts.status >= 300 else None


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
