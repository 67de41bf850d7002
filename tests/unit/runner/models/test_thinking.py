import pytest

from runner.config.models import ModelConfig
from runner.errors import UsageError
from runner.models.spec import ModelSpec, resolve
from runner.models.thinking import LEAST_CAP, ROOM, published_cap, refuse_starved, thinks


def spec(id: str, **params: object) -> ModelSpec:
    return resolve(ModelConfig(id=id, params=params), 1_790_000_000_000_000)


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        (spec("openai/o3"), True),
        (spec("openai/gpt-5", reasoning_effort="none"), False),
        (spec("openai/gpt-4o"), False),
        (spec("openai/gpt-5.2"), False),
        (spec("openai/gpt-5.2", reasoning_effort="high"), True),
        (spec("openai/gpt-5.2-pro"), True),
        (spec("google/gemini-2.5-flash-lite"), False),
        (spec("google/gemini-2.5-flash-lite", thinking_budget=512), True),
        (spec("anthropic/claude-opus-4-7"), False),
        (spec("anthropic/claude-opus-5"), True),
        (spec("google/gemini-2.5-flash"), True),
        (spec("google/gemini-2.5-flash", thinking_budget=0), False),
        (spec("google/gemini-2.5-flash", thinking_budget=-1), True),
        (spec("anthropic/claude-opus-4-1"), False),
        (spec("anthropic/claude-opus-4-1", thinking_budget=2000), True),
    ],
    ids=lambda value: getattr(value, "id", value),
)
def test_which_models_think(model: ModelSpec, thinking: bool):
    assert thinks(model) is thinking


def test_a_published_cap_grows_by_what_thinking_takes():
    assert published_cap(spec("openai/gpt-4o"), 256) == 256
    assert published_cap(spec("openai/o3"), 256) == 256 + ROOM
    budgeted = spec("google/gemini-2.5-pro", thinking_budget=20_000)
    assert published_cap(budgeted, 256) == 20_256
    assert published_cap(spec("openai/o3"), 16_384) == 16_384


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (spec("openai/o3", max_tokens=100), LEAST_CAP),
        (spec("anthropic/claude-opus-4-1", max_tokens=2000, thinking_budget=2000), 2001),
        (spec("openai/o3", max_tokens=LEAST_CAP), None),
        (spec("openai/gpt-4o", max_tokens=16), None),
        (spec("openai/gpt-5", max_tokens=16, reasoning_effort="none"), None),
    ],
    ids=lambda value: getattr(value, "id", value),
)
def test_a_cap_that_thinking_uses_up_is_refused(model: ModelSpec, least: int | None):
    if least is None:
        refuse_starved([model], "sweep.toml")
        return
    with pytest.raises(UsageError, match=rf"params\.max_tokens: .* set .* to {least:,} or more"):
        refuse_starved([model], "sweep.toml")
