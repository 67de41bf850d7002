import pytest

from runner.providers.formats.capabilities import SAMPLING, capability, fit, substitute

ALL = {
    "temperature": 0,
    "top_p": 0.9,
    "top_k": 5,
    "max_tokens": 64,
    "seed": 1,
    "stop": ["x"],
    "reasoning_effort": "low",
}


@pytest.mark.parametrize(
    ("provider", "model", "cap", "dropped", "reasoning"),
    [
        ("openai", "gpt-4o-2024-08-06", "max_tokens", (), False),
        ("openai", "gpt-4.1-mini", "max_tokens", (), False),
        ("openai", "gpt-3.5-turbo", "max_tokens", (), False),
        ("openai", "chatgpt-4o-latest", "max_tokens", (), False),
        ("openai", "ft:gpt-4o-mini:org::id", "max_tokens", (), False),
        ("openai", "gpt-5-chat-latest", "max_completion_tokens", (), False),
        ("openai", "gpt-5.2-chat-latest", "max_completion_tokens", (), False),
        ("openai", "o1", "max_completion_tokens", (*sorted(SAMPLING), "stop"), True),
        ("openai", "o3-mini", "max_completion_tokens", (*sorted(SAMPLING), "stop"), True),
        ("openai", "gpt-5.4-nano", "max_completion_tokens", (*sorted(SAMPLING), "stop"), True),
        ("openai", "gpt-6-astra", "max_completion_tokens", (*sorted(SAMPLING), "stop"), True),
        ("openai", "something-else", "max_completion_tokens", (), False),
        ("anthropic", "claude-3-5-sonnet-20241022", "max_tokens", ("seed",), False),
        ("anthropic", "claude-sonnet-4-20250514", "max_tokens", ("seed",), False),
        ("anthropic", "claude-haiku-4-5-20251001", "max_tokens", ("seed", "top_p"), False),
        ("anthropic", "claude-opus-4-6", "max_tokens", ("seed", "top_p"), False),
        ("anthropic", "claude-opus-4-7", "max_tokens", (*sorted(SAMPLING), "seed"), True),
        ("anthropic", "claude-opus-5-5", "max_tokens", (*sorted(SAMPLING), "seed"), True),
        ("anthropic", "claude-sonnet-5", "max_tokens", (*sorted(SAMPLING), "seed"), True),
        ("anthropic", "claude-mythos-preview", "max_tokens", (*sorted(SAMPLING), "seed"), True),
        ("google", "gemini-1.5-pro", "maxOutputTokens", (), False),
        ("google", "models/gemini-2.5-pro", "maxOutputTokens", (), True),
        ("google", "gemini-3-pro", "maxOutputTokens", (), True),
        ("compat", "o3-mini", "max_tokens", (), True),
        ("compat", "openai/o3", "max_tokens", (), True),
        ("compat", "openai/gpt-oss-120b:free", "max_tokens", (), True),
        ("compat", "deepseek-reasoner", "max_tokens", (), True),
        ("compat", "moonshotai/Kimi-K2-Thinking", "max_tokens", (), True),
        ("compat", "openai/gpt-5-chat", "max_tokens", (), False),
        ("compat", "meta-llama/llama-3.1-70b-instruct", "max_tokens", (), False),
        ("compat", "o31b", "max_tokens", (), False),
        ("local", "anything", "max_tokens", (), False),
    ],
)
def test_what_a_model_takes(
    provider: str, model: str, cap: str, dropped: tuple[str, ...], reasoning: bool
):
    known = capability(provider, model)
    fitted = fit(known, ALL)
    assert known.cap_name == cap
    assert sorted(ALL.keys() - fitted) == sorted(dropped)
    assert known.reasoning is reasoning
    assert fitted == {key: ALL[key] for key in ALL if key not in dropped}


def test_one_of_two_that_exclude_each_other_may_stay_alone():
    known = capability("anthropic", "claude-haiku-4-5")
    assert fit(known, {"top_p": 0.9}) == {"top_p": 0.9}


def test_unset_parameters_are_not_sent():
    assert fit(capability("openai", "gpt-4o"), {"temperature": None}) == {}


def test_sampling_comes_back_when_reasoning_is_off():
    known = capability("openai", "gpt-5.4")
    params = {"temperature": 0, "top_p": 1, "reasoning_effort": "none"}
    assert fit(known, params) == params


def test_refused_parameter_is_left_out_and_the_cap_renamed():
    known = capability("compat", "m")
    assert fit(substitute(known, "seed"), {"seed": 1, "temperature": 0}) == {"temperature": 0}
    renamed = substitute(known, "max_tokens")
    assert renamed.cap_name == "max_completion_tokens"
    assert substitute(renamed, "max_tokens").cap_name == "max_tokens"
    assert fit(renamed, {"max_tokens": 5}) == {"max_tokens": 5}
