# ruff: noqa: E501  a wording is quoted on one line
"""Reply shapes as the providers send them, shortened; the errors' wordings are theirs.

Each row: wire, status, headers, body, the outcome it must become. Bodies are JSON values or bytes.
"""

from typing import Any

Row = tuple[str, int, dict[str, str], Any, str]


def oai_error(
    message: str, code: Any = None, kind: str = "invalid_request_error", param: Any = None
):
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def claude_error(kind: str, message: str, **more: Any):
    return {"type": "error", "error": {"type": kind, "message": message, **more}, "request_id": "r"}


def google_error(code: int, status: str, message: str, *details: dict[str, Any]):
    body = {"code": code, "message": message, "status": status}
    return {"error": {**body, "details": list(details)} if details else body}


def quota(*ids: str, value: str | None = None, delay: str | None = None):
    violations = [{"quotaId": name, **({"quotaValue": value} if value else {})} for name in ids]
    failure = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    return (failure, wait) if delay else (failure,)


def oai(
    content: Any = "forty-two",
    finish: Any = "stop",
    usage: Any = (12, 3),
    **message: Any,
):
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if usage else None
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-4o-2024-08-06",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish,
            }
        ],
        "usage": counts,
    }


def claude(
    text: str | None = "forty-two", stop: Any = "end_turn", usage: Any = (12, 3), **more: Any
):
    counts = {"input_tokens": usage[0], "output_tokens": usage[1]} if usage else {}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5",
        "content": [] if text is None else [{"type": "text", "text": text}],
        "stop_reason": stop,
        "usage": counts,
        **more,
    }


def gemini(text: str | None = "forty-two", finish: Any = "STOP", usage: Any = (12, 3), **more: Any):
    candidate: dict[str, Any] = {"index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    if text is not None:
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    counts = {
        "promptTokenCount": usage[0],
        "candidatesTokenCount": usage[1],
        "totalTokenCount": sum(usage),
    }
    return {
        "candidates": [candidate],
        "usageMetadata": counts,
        "modelVersion": "gemini-2.5-pro",
        "responseId": "resp",
        **more,
    }


TPM = "on tokens per min (TPM): Limit 30000, Requested 36278. The input or output tokens must be"
FREE = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
MINUTE = "GenerateContentInputTokensPerModelPerMinute-FreeTier"
CURRENT_QUOTA = "You exceeded your current quota, please check your plan and billing details."
THINKS = {"completion_tokens_details": {"reasoning_tokens": 100}}

ANSWERS: list[Row] = [
    ("openai", 200, {}, oai(), "answered"),
    ("openai", 200, {}, oai([{"type": "text", "text": "42"}]), "answered"),
    ("openai", 200, {}, oai(finish="eos"), "answered"),
    ("openai", 200, {}, oai(finish="length"), "truncated"),
    ("openai", 200, {}, oai(finish="model_length"), "truncated:context_window"),
    ("openai", 200, {}, oai("", finish="length"), "truncated_reasoning"),
    ("openai", 200, {}, oai(None, finish="length", usage=None), "truncated_reasoning"),
    ("openai", 200, {}, oai("", finish="length", usage=(9, 0)), "empty:length"),
    ("openai", 200, {}, oai(""), "empty"),
    ("openai", 200, {}, oai(" \n\t"), "empty"),
    ("openai", 200, {}, oai(None), "empty"),
    ("openai", 200, {}, oai("", reasoning_content="hm"), "empty:reasoning_only"),
    ("openai", 200, {}, oai("", reasoning="hm"), "empty:reasoning_only"),
    ("openai", 200, {}, oai(None, refusal="I can't help with that."), "refused"),
    ("openai", 200, {}, oai(None, finish="refusal"), "refused"),
    ("openai", 200, {}, oai("some", finish="content_filter"), "blocked_output:content_filter"),
    ("openai", 200, {}, oai(None, finish="content-filter"), "blocked_output:content_filter"),
    ("openai", 200, {}, oai(None, finish="tool_calls"), "empty:tool_call"),
    ("openai", 200, {}, oai("text", finish="tool_calls"), "malformed:finish_reason"),
    ("openai", 200, {}, oai("text", finish="no such word"), "malformed:finish_reason"),
    ("openai", 200, {}, oai("text", finish=None), "answered:no_finish_reason"),
    ("openai", 200, {}, oai("partial", finish="error"), "transient"),
    ("openai", 200, {}, oai("partial", finish="abort"), "transient"),
    ("anthropic", 200, {}, claude(), "answered"),
    ("anthropic", 200, {}, claude(stop="stop_sequence"), "answered"),
    ("anthropic", 200, {}, claude(stop="max_tokens"), "truncated"),
    ("anthropic", 200, {}, claude(None, stop="max_tokens"), "truncated_reasoning"),
    (
        "anthropic",
        200,
        {},
        claude(stop="model_context_window_exceeded"),
        "truncated:context_window",
    ),
    ("anthropic", 200, {}, claude(None), "empty"),
    ("anthropic", 200, {}, claude(None, stop="refusal"), "refused"),
    (
        "anthropic",
        200,
        {},
        claude(None, "refusal", stop_details={"type": "refusal", "category": "bio"}),
        "refused:bio",
    ),
    ("anthropic", 200, {}, claude(None, stop="tool_use"), "empty:tool_call"),
    ("anthropic", 200, {}, claude(stop="pause_turn"), "malformed:finish_reason"),
    ("anthropic", 200, {}, claude(stop=None), "answered:no_finish_reason"),
    ("google", 200, {}, gemini(), "answered"),
    ("google", 200, {}, gemini(finish="MAX_TOKENS"), "truncated"),
    ("google", 200, {}, gemini(None, finish="MAX_TOKENS"), "truncated_reasoning"),
    ("google", 200, {}, gemini(None), "empty"),
    ("google", 200, {}, gemini(None, finish="SAFETY"), "blocked_output:safety"),
    ("google", 200, {}, gemini("a few words", finish="RECITATION"), "blocked_output:recitation"),
    ("google", 200, {}, gemini(finish="PROHIBITED_CONTENT"), "blocked_output:prohibited_content"),
    ("google", 200, {}, gemini(finish="SPII"), "blocked_output:spii"),
    ("google", 200, {}, gemini(finish="OTHER"), "blocked_output:other"),
    ("google", 200, {}, gemini(finish="MALFORMED_RESPONSE"), "malformed:finish_reason"),
    ("google", 200, {}, gemini(None, finish="UNEXPECTED_TOOL_CALL"), "empty:tool_call"),
    (
        "google",
        200,
        {},
        gemini(None, finish="PUP_LIMITED_DISABLED"),
        "bad_key:pup_limited_disabled",
    ),
    ("google", 200, {}, gemini(finish=None), "answered:no_finish_reason"),
    (
        "google",
        200,
        {},
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}},
        "blocked_input:prohibited_content",
    ),
    ("google", 200, {}, {"usageMetadata": {"promptTokenCount": 9}}, "malformed:no_candidates"),
    ("google", 200, {}, {}, "malformed:no_candidates"),
]

SHAPES: list[Row] = [
    (wire, 200, {}, body, outcome)
    for wire in ("openai", "anthropic", "google")
    for body, outcome in (
        (b"", "malformed:bad_json"),
        (b"<html>ok</html>", "malformed:bad_json"),
        (b'{"id": "chatcmpl-1", "cho', "malformed:bad_json"),
        (b"\xff\xfe\x00", "malformed:bad_json"),
        ({"error": {"message": "upstream broke", "code": 502}}, "transient:http_502"),
        ({"error": {"message": "upstream broke"}}, "transient:error_in_200"),
        ({"error": "boom"}, "transient:error_in_200"),
        ({"error": {"message": "Rate limit exceeded", "code": 429}}, "rate_limited"),
        ({"error": {"message": "slow", "code": "rate_limit_exceeded"}}, "rate_limited"),
        ({"error": {"message": "The model is overloaded"}}, "overloaded"),
        ({"error": {"message": "prompt is too long: 9 tokens"}}, "over_context"),
    )
]
SHAPES += [
    ("openai", 200, {}, [], "malformed:no_message"),
    ("openai", 200, {}, 17, "malformed:no_message"),
    ("openai", 200, {}, {"choices": []}, "malformed:no_message"),
    (
        "openai",
        200,
        {},
        {"choices": [{"text": "completion", "finish_reason": "stop"}]},
        "answered",
    ),
    (
        "openai",
        200,
        {},
        {"choices": [{"error": {"code": 502, "message": "x"}}]},
        "transient:http_502",
    ),
    ("openai", 200, {}, {"object": "error", "message": "bad", "code": 500}, "transient:http_500"),
    ("openai", 204, {}, b"", "malformed:bad_json"),
    ("anthropic", 200, {}, {"content": "text"}, "malformed:no_finish_reason"),
    ("anthropic", 200, {}, {"content": 7}, "malformed:no_message"),
    ("anthropic", 200, {}, "text", "malformed:no_message"),
    ("google", 200, {}, [{"error": {"code": 503, "message": "x"}}], "overloaded"),
    ("openai", 301, {"location": "/elsewhere"}, b"", "invalid_request:http_301"),
]

ERRORS: list[Row] = [
    # over_context, each vendor's words
    (
        "openai",
        400,
        {},
        oai_error("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        "over_context",
    ),
    (
        "openai",
        400,
        {},
        oai_error("Your input exceeds the context window of this model."),
        "over_context",
    ),
    (
        "openai",
        400,
        {},
        oai_error("Please reduce the length of the messages or completion."),
        "over_context",
    ),
    (
        "compat",
        400,
        {},
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
            "type": "BadRequestError",
            "code": 400,
        },
        "over_context",
    ),
    (
        "compat",
        400,
        {},
        {
            "error": {
                "code": 400,
                "message": "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 4390,
                "n_ctx": 4096,
            }
        },
        "over_context",
    ),
    (
        "compat",
        500,
        {},
        {
            "error": {
                "code": 500,
                "message": "Context size has been exceeded.",
                "type": "server_error",
            }
        },
        "over_context",
    ),
    (
        "compat",
        400,
        {},
        {
            "object": "error",
            "message": "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            "type": "invalid_request_error",
            "code": "3051",
        },
        "over_context",
    ),
    (
        "compat",
        422,
        {},
        {"error": "Input validation error: `inputs` tokens + max_new_tokens must be <= 4096"},
        "over_context",
    ),
    (
        "compat",
        400,
        {},
        {
            "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
        },
        "over_context",
    ),
    (
        "compat",
        400,
        {},
        {"detail": "Requested tokens (2285) exceed context window of 2048"},
        "over_context",
    ),
    (
        "anthropic",
        400,
        {},
        claude_error("invalid_request_error", "prompt is too long: 214850 tokens > 200000 maximum"),
        "over_context",
    ),
    (
        "anthropic",
        400,
        {},
        claude_error(
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
        ),
        "invalid_request:max_tokens",
    ),
    (
        "anthropic",
        413,
        {},
        claude_error("request_too_large", "Request exceeds the maximum size"),
        "over_context:request_bytes",
    ),
    (
        "google",
        400,
        {},
        google_error(
            400,
            "INVALID_ARGUMENT",
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        ),
        "over_context",
    ),
    # one request larger than the tier
    (
        "openai",
        429,
        {},
        oai_error(
            f"Request too large for gpt-4o in organization org-x {TPM}",
            "rate_limit_exceeded",
            "tokens",
        ),
        "too_large_for_tier",
    ),
    (
        "compat",
        413,
        {},
        oai_error(
            "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 7000",
            "rate_limit_exceeded",
            "tokens",
        ),
        "too_large_for_tier",
    ),
    (
        "openai",
        429,
        {},
        oai_error(
            "Rate limit reached for gpt-4 on tokens per min: Limit: 10,000 / min. Requested: 12,500.",
            "rate_limit_exceeded",
        ),
        "too_large_for_tier",
    ),
    (
        "anthropic",
        429,
        {},
        claude_error("rate_limit_error", "Extra usage is required for long context requests."),
        "too_large_for_tier",
    ),
    (
        "anthropic",
        400,
        {},
        claude_error(
            "invalid_request_error",
            "The long context beta is not yet available for this subscription.",
        ),
        "too_large_for_tier",
    ),
    # money
    (
        "openai",
        429,
        {},
        oai_error(CURRENT_QUOTA, "insufficient_quota", "insufficient_quota"),
        "out_of_credit",
    ),
    ("openai", 429, {}, oai_error(CURRENT_QUOTA, None, ""), "out_of_credit"),
    (
        "openai",
        429,
        {},
        oai_error("Your account is not active", "billing_not_active"),
        "out_of_credit",
    ),
    ("compat", 402, {}, oai_error("Insufficient Balance"), "out_of_credit"),
    (
        "compat",
        402,
        {},
        {
            "error": {
                "code": 402,
                "message": "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens",
            }
        },
        "out_of_credit",
    ),
    (
        "compat",
        403,
        {},
        {"error": {"code": 403, "message": "Key limit exceeded (total limit)"}},
        "out_of_credit",
    ),
    (
        "anthropic",
        400,
        {},
        claude_error(
            "invalid_request_error", "Your credit balance is too low to access the Anthropic API."
        ),
        "out_of_credit",
    ),
    ("anthropic", 402, {}, claude_error("billing_error", "payment"), "out_of_credit"),
    (
        "anthropic",
        429,
        {},
        claude_error(
            "rate_limit_error", "limit", details={"error_code": "enforced_spend_limit_reached"}
        ),
        "out_of_credit",
    ),
    (
        "google",
        429,
        {},
        google_error(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
        "out_of_credit",
    ),
    (
        "google",
        429,
        {},
        google_error(
            429,
            "RESOURCE_EXHAUSTED",
            f"{CURRENT_QUOTA} * Quota exceeded for metric: x, limit: 0",
            *quota(FREE),
        ),
        "out_of_credit:no_quota",
    ),
    # keys
    (
        "openai",
        401,
        {},
        oai_error("Incorrect API key provided: sk-ab***yz.", "invalid_api_key"),
        "bad_key",
    ),
    (
        "openai",
        403,
        {},
        oai_error(
            "Country, region, or territory not supported", "unsupported_country_region_territory"
        ),
        "bad_key",
    ),
    ("compat", 403, {}, b"<html><title>403 Forbidden</title></html>", "transient:forbidden_page"),
    ("compat", 403, {}, {"message": "Forbidden"}, "bad_key:forbidden"),
    ("anthropic", 401, {}, claude_error("authentication_error", "invalid x-api-key"), "bad_key"),
    (
        "anthropic",
        400,
        {},
        claude_error(
            "invalid_request_error", "held", details={"error_code": "organization_on_hold"}
        ),
        "bad_key",
    ),
    (
        "google",
        400,
        {},
        google_error(
            400,
            "INVALID_ARGUMENT",
            "API key not valid. Please pass a valid API key.",
            {"reason": "API_KEY_INVALID"},
        ),
        "bad_key",
    ),
    (
        "google",
        403,
        {},
        google_error(403, "PERMISSION_DENIED", "Your API key was reported as leaked."),
        "bad_key",
    ),
    (
        "google",
        400,
        {},
        google_error(400, "FAILED_PRECONDITION", "API key expired. Please renew the API key."),
        "bad_key",
    ),
    (
        "openai",
        403,
        {},
        oai_error("Project `p` does not have access to model `gpt-9`", "model_not_found"),
        "invalid_request:model_not_found",
    ),
    # limits per day
    (
        "openai",
        429,
        {},
        oai_error(
            "Rate limit reached for gpt-4 on requests per day (RPD): Limit 200, Used 200, Requested 1.",
            "rate_limit_exceeded",
            "requests",
        ),
        "daily_limit",
    ),
    (
        "compat",
        429,
        {},
        {"error": {"message": "Rate limit exceeded: free-models-per-day", "code": 429}},
        "daily_limit",
    ),
    (
        "anthropic",
        429,
        {},
        claude_error(
            "rate_limit_error", "Number of request tokens has exceeded your daily rate limit"
        ),
        "daily_limit",
    ),
    (
        "google",
        429,
        {},
        google_error(429, "RESOURCE_EXHAUSTED", CURRENT_QUOTA, *quota(MINUTE, FREE)),
        "daily_limit",
    ),
    (
        "google",
        429,
        {},
        google_error(429, "RESOURCE_EXHAUSTED", CURRENT_QUOTA, *quota(MINUTE)),
        "rate_limited",
    ),
    (
        "google",
        429,
        {},
        google_error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        "rate_limited",
    ),
    # filters
    (
        "openai",
        400,
        {},
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        "blocked_input:content_filter",
    ),
    ("compat", 400, {}, oai_error("Content Exists Risk"), "blocked_input:content_filter"),
    (
        "compat",
        403,
        {},
        {
            "error": {
                "code": 403,
                "message": "Input was flagged by moderation",
                "metadata": {"reasons": ["violence"]},
            }
        },
        "blocked_input:content_filter",
    ),
    (
        "compat",
        400,
        {},
        oai_error("inappropriate", "data_inspection_failed"),
        "blocked_input:content_filter",
    ),
    (
        "anthropic",
        400,
        {},
        claude_error("invalid_request_error", "Output blocked by content filtering policy"),
        "blocked_output:content_filter",
    ),
    # waiting helps
    (
        "openai",
        429,
        {},
        oai_error(
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms.",
            "rate_limit_exceeded",
            "tokens",
        ),
        "rate_limited",
    ),
    ("openai", 429, {}, b"", "rate_limited"),
    (
        "compat",
        429,
        {},
        {"statusCode": 429, "message": "Rate limit is exceeded. Try again in 12 seconds."},
        "rate_limited",
    ),
    (
        "anthropic",
        429,
        {},
        claude_error(
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 40,000 input tokens per minute",
        ),
        "rate_limited",
    ),
    ("openai", 503, {}, oai_error("Slow Down", "slow_down", "server_error"), "overloaded"),
    (
        "openai",
        429,
        {},
        oai_error("The engine is currently overloaded, please try again later"),
        "overloaded",
    ),
    (
        "openai",
        500,
        {},
        oai_error("That model is currently overloaded with other requests."),
        "overloaded",
    ),
    ("compat", 498, {}, oai_error("flex tier capacity exceeded"), "overloaded"),
    (
        "compat",
        503,
        {},
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
        "overloaded",
    ),
    ("anthropic", 529, {}, claude_error("overloaded_error", "Overloaded"), "overloaded"),
    (
        "google",
        503,
        {},
        google_error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        "overloaded",
    ),
    # trying again helps
    (
        "openai",
        500,
        {},
        oai_error("The server had an error", None, "server_error"),
        "transient:http_500",
    ),
    (
        "openai",
        502,
        {},
        b"<html><head><title>502 Bad Gateway</title></head></html>",
        "transient:http_502",
    ),
    ("openai", 524, {}, b"error code: 524", "transient:http_524"),
    ("openai", 408, {}, b"", "transient:http_408"),
    ("openai", 409, {}, oai_error("conflict"), "transient:http_409"),
    ("compat", 500, {}, {"error": "rate limit reached upstream"}, "rate_limited"),
    (
        "anthropic",
        500,
        {},
        claude_error("api_error", "Internal server error"),
        "transient:http_500",
    ),
    (
        "google",
        504,
        {},
        google_error(504, "DEADLINE_EXCEEDED", "Deadline expired"),
        "transient:http_504",
    ),
    # the request's own fault
    (
        "openai",
        404,
        {},
        oai_error("The model `gpt-9` does not exist", "model_not_found"),
        "invalid_request:model_not_found",
    ),
    ("openai", 404, {}, b"Not Found", "invalid_request:http_404"),
    (
        "openai",
        400,
        {},
        oai_error(
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens"
        ),
        "invalid_request:max_tokens",
    ),
    (
        "anthropic",
        400,
        {},
        claude_error(
            "invalid_request_error",
            "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
        ),
        "invalid_request:max_tokens",
    ),
    (
        "openai",
        400,
        {},
        oai_error(
            "Could not finish the message because max_tokens or model output limit was reached."
        ),
        "truncated_reasoning",
    ),
    (
        "compat",
        422,
        {},
        {"detail": [{"msg": "field required", "loc": ["body", "model"]}]},
        "invalid_request:http_422",
    ),
]

UNSUPPORTED: list[tuple[str, int, Any, str]] = [
    (
        "openai",
        400,
        oai_error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "unsupported_parameter",
            param="max_tokens",
        ),
        "max_tokens",
    ),
    (
        "openai",
        400,
        oai_error(
            "Unsupported value: 'temperature' does not support 0 with this model.",
            "unsupported_value",
            param="temperature",
        ),
        "temperature",
    ),
    (
        "openai",
        400,
        oai_error("Unsupported parameter: 'stop' is not supported with this model."),
        "stop",
    ),
    ("openai", 400, oai_error("Unrecognized request argument supplied: seed"), "seed"),
    ("compat", 400, {"error": "Argument not supported on this model: stop"}, "stop"),
    (
        "compat",
        400,
        {"error": "Model grok-4 does not support parameter reasoningEffort."},
        "reasoning_effort",
    ),
    ("compat", 422, {"detail": "Unknown field: top_k"}, "top_k"),
    (
        "anthropic",
        400,
        claude_error("invalid_request_error", "`temperature` is deprecated for this model."),
        "temperature",
    ),
    (
        "anthropic",
        400,
        claude_error("invalid_request_error", "seed: Extra inputs are not permitted"),
        "seed",
    ),
    (
        "anthropic",
        400,
        claude_error(
            "invalid_request_error",
            "`temperature` and `top_p` cannot both be specified for this model.",
        ),
        "top_p",
    ),
    (
        "google",
        400,
        google_error(
            400,
            "INVALID_ARGUMENT",
            "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config'",
        ),
        "seed",
    ),
    (
        "google",
        400,
        google_error(400, "INVALID_ARGUMENT", "Thinking level is not supported for this model."),
        "reasoning_effort",
    ),
]

# What vendors and servers say in their own dialects: a whole reply, and what it must become.
WITHOUT_ERROR = (
    {},
    "",
    "None",
    0,
    [],
    False,
    {"message": "", "type": "", "code": None},
    {"message": "", "code": 0, "details": []},
    "null",
    {"code": "0", "message": "success"},
)
DIALECTS: list[Row] = [
    *((("openai", 200, {}, oai() | {"error": nothing}, "answered")) for nothing in WITHOUT_ERROR),
    *(
        (("anthropic", 200, {}, claude() | {"error": nothing}, "answered"))
        for nothing in WITHOUT_ERROR
    ),
    *(
        (("google", 200, {}, gemini() | {"error": nothing}, "answered"))
        for nothing in WITHOUT_ERROR
    ),
    (
        "openai",
        200,
        {},
        oai() | {"base_resp": {"status_code": 0, "status_msg": "success"}},
        "answered",
    ),
    *(
        ("openai", 200, {}, oai(finish=word), "answered")
        for word in (
            "eos_token",
            "STOP",
            "stop_sequence",
            "end_turn",
            "COMPLETE",
            "eos_found",
            "stop_str",
            "finished",
            "FINISH_REASON_STOP",
            {"type": "stop", "matched": 128009},
            {"reason": "stop"},
            ["stop"],
        )
    ),
    *(
        ("openai", 200, {}, oai(finish=word), "answered:no_finish_reason")
        for word in (None, "", "null", {}, [], False)
    ),
    *(
        ("openai", 200, {}, oai(finish=word), "truncated")
        for word in (
            "max_tokens",
            "MAX_TOKENS",
            "max_output_tokens",
            "max_length",
            "token_limit",
            {"type": "length", "length": 64},
        )
    ),
    *(
        ("openai", 200, {}, oai(finish=word), "truncated:context_window")
        for word in (
            "model_length",
            "model_context_window_exceeded",
            "ERROR_LIMIT",
            "contextLengthReached",
            "context_length_exceeded",
        )
    ),
    *(
        ("openai", 200, {}, oai(None, finish=word), f"blocked_output:{word.lower()}")
        for word in (
            "sensitive",
            "ERROR_TOXIC",
            "content_filtered",
            "guardrail_intervened",
            "moderation",
            "unsafe_content",
            "prohibited_content",
            "policy_violation",
            "SAFETY",
            "censored",
        )
    ),
    *(
        ("openai", 200, {}, oai(finish=word), "transient")
        for word in (
            "insufficient_system_resource",
            "network_error",
            "error",
            "abort",
            "ERROR",
            "cancelled",
            "timeout",
        )
    ),
    *(
        ("openai", 200, {}, oai(None, finish=word), "refused")
        for word in ("refusal", "refused", "model_refusal")
    ),
    ("openai", 200, {}, oai(finish="compaction"), "malformed:finish_reason"),
    (
        "anthropic",
        200,
        {},
        claude(None, stop="guardrail_intervened"),
        "blocked_output:guardrail_intervened",
    ),
    ("anthropic", 200, {}, claude(stop="length"), "truncated"),
    ("anthropic", 200, {}, claude(stop={"type": "end_turn"}), "answered"),
    ("anthropic", 200, {}, claude(None, stop="pause_turn"), "empty:tool_call"),
    ("anthropic", 200, {}, claude() | {"content": "forty-two"}, "answered"),
    ("google", 200, {}, gemini(finish="stop"), "answered"),
    ("google", 200, {}, gemini(None, finish="MODEL_ARMOR"), "blocked_output:model_armor"),
    ("google", 200, {}, gemini(finish="FINISH_REASON_UNSPECIFIED"), "answered:no_finish_reason"),
    *(
        ("openai", 200, {}, oai(content), "answered")
        for content in (
            [{"type": "output_text", "text": "42"}],
            [{"text": "42"}],
            ["42"],
            {"type": "text", "text": "42"},
            [{"type": "text", "text": {"value": "42"}}],
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "42"},
            ],
            [{"type": "markdown", "content": "42"}],
        )
    ),
    ("openai", 200, {}, oai([{"type": "tool_result", "text": "42"}]), "empty"),
    ("openai", 200, {}, oai([{"type": "refusal", "refusal": "no"}]), "refused"),
    ("openai", 200, {}, oai([{"type": "thinking", "thinking": "hm"}]), "empty:reasoning_only"),
    # errors in disguise
    (
        "openai",
        200,
        {},
        {"base_resp": {"status_code": 1002, "status_msg": "limit"}, "choices": None},
        "rate_limited",
    ),
    (
        "openai",
        200,
        {},
        {"base_resp": {"status_code": 1004, "status_msg": "login fail"}},
        "bad_key",
    ),
    (
        "openai",
        200,
        {},
        {"base_resp": {"status_code": 1008, "status_msg": "balance"}},
        "out_of_credit",
    ),
    (
        "openai",
        200,
        {},
        {"base_resp": {"status_code": 1026, "status_msg": "input"}},
        "blocked_input:content_filter",
    ),
    (
        "openai",
        200,
        {},
        {"base_resp": {"status_code": 1027, "status_msg": "output"}},
        "blocked_output:content_filter",
    ),
    (
        "openai",
        200,
        {},
        {"code": 400, "msg": "the prompt is too long: 9 tokens", "data": None},
        "over_context",
    ),
    (
        "openai",
        200,
        {},
        {"success": False, "message": "This model's maximum context length is 8192 tokens"},
        "over_context",
    ),
    ("openai", 200, {}, {"detail": "Rate limit exceeded"}, "rate_limited"),
    (
        "openai",
        200,
        {},
        {"errors": [{"message": "Prompt is too long for requested model"}]},
        "over_context",
    ),
    ("openai", 200, {}, b"Error: context size has been exceeded", "over_context"),
    (
        "openai",
        200,
        {},
        b'{"id": "c", "choices": [{"message": {"content": "the maximum context length is',
        "malformed:bad_json",
    ),
    (
        "google",
        200,
        {},
        {
            "type": "error",
            "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        },
        "over_context",
    ),
    # overflows
    *(
        ("compat", 400, {}, body, "over_context")
        for body in (
            oai_error("[input_too_large] too large"),
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 100 `max_new_tokens`"
            },
            oai_error("Current length is 9000 while limit is 8192"),
            oai_error(
                "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"
            ),
            {"error": {"code": "1261", "message": "Prompt \u8d85\u957f"}},
            {
                "error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"
            },
            {"error": "Reached context length of 4096 tokens with model"},
            oai_error("litellm.ContextWindowExceededError: litellm.BadRequestError"),
            {"message": "Input Tokens Exceeded: Number of input tokens exceeds maximum length."},
            {
                "message": "Malformed input request: expected maxLength: 100, actual: 200, please reformat"
            },
            oai_error("prompt tokens (9000) exceed model maximum (8192)"),
            oai_error(
                "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (9000 in the messages, 500 in the completion)."
            ),
            {
                "object": "error",
                "message": "input too large for model",
                "type": "invalid_request_error",
            },
        )
    ),
    # the output cap is not the prompt
    *(
        ("compat", 400, {}, body, "invalid_request:max_tokens")
        for body in (
            {
                "object": "error",
                "message": "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 700 input tokens (9000 > 8192 - 700).",
                "param": "max_tokens",
                "code": 400,
            },
            oai_error(
                "This model's maximum context length is 8192 tokens. However, you requested 9192 tokens (1192 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
                "context_length_exceeded",
            ),
            oai_error(
                "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model"
            ),
            oai_error("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 500 `inputs` tokens and 4000 `max_new_tokens`"
            },
            {"message": "max tokens must be less than or equal to 4096"},
            google_error(
                400,
                "INVALID_ARGUMENT",
                "Unable to submit request because it has a maxOutputTokens value of 99999 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
            ),
        )
    ),
    (
        "compat",
        422,
        {},
        {"error": ["Error in `parameters.max_new_tokens`: must be <= 250"]},
        "invalid_request:max_tokens",
    ),
    (
        "compat",
        413,
        {},
        b"<html><head><title>413 Request Entity Too Large</title></head></html>",
        "invalid_request:request_bytes",
    ),
    ("compat", 413, {}, {"message": "request body too large"}, "invalid_request:request_bytes"),
    # a 403 is read
    *(
        ("compat", 403, {}, body, "blocked_input:content_filter")
        for body in (
            {
                "code": "The caller does not have permission to execute the specified operation",
                "error": "Content violates usage guidelines. Team: t, API key ID: k, Failed check: SAFETY_CHECK_TYPE_CYBER",
            },
            {"code": "permission-denied", "error": "Content violates usage guidelines. Model: m"},
            oai_error("Your prompt was flagged by our moderation system"),
            oai_error(
                "The request was rejected because it violates our content policy",
                "content_policy_violation",
            ),
            {"message": "Guardrail intervened"},
        )
    ),
    (
        "compat",
        403,
        {},
        oai_error("Your account was suspended for violating our usage policies"),
        "bad_key:forbidden",
    ),
    *(
        ("compat", 400, {}, body, "blocked_input:content_filter")
        for body in (
            {
                "contentFilter": [{"level": 1}],
                "error": {
                    "code": "1301",
                    "message": "\u7cfb\u7edf\u68c0\u6d4b\u5230\u654f\u611f\u5185\u5bb9",
                },
            },
            {
                "error": {
                    "message": "Input data may contain inappropriate content.",
                    "code": "DataInspectionFailed",
                }
            },
            {"error": {"message": "\u8f93\u5165\u5185\u5bb9\u5305\u542b\u8fdd\u89c4\u4fe1\u606f"}},
            oai_error("blocked", "invalid_prompt"),
        )
    ),
    # the account and its limits
    (
        "compat",
        429,
        {},
        {"error": {"type": "exceeded_current_quota_error", "message": "out"}},
        "out_of_credit",
    ),
    (
        "compat",
        429,
        {},
        {"message": "You are using a Trial key, which is limited to 1000 API calls / month."},
        "daily_limit",
    ),
    ("compat", 429, {}, {"errors": [{"message": "slow down"}]}, "rate_limited"),
    (
        "compat",
        429,
        {"x-amzn-errortype": "ModelNotReadyException:http://x"},
        {"message": "wait"},
        "overloaded",
    ),
    (
        "compat",
        400,
        {"x-amzn-errortype": "ServiceQuotaExceededException"},
        {"message": "quota"},
        "rate_limited",
    ),
    (
        "compat",
        424,
        {"x-amzn-errortype": "ModelErrorException"},
        {"message": "model"},
        "transient:http_424",
    ),
]
