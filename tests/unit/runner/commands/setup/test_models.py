import pytest

from runner.commands.setup import models
from runner.errors import UsageError


def test_models_show_prices_tiers_windows_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert models.run("google/gemini-2.5-pro") == 0
    shown = capsys.readouterr().out
    assert "1,048,576" in shown
    assert "200,000" in shown
    assert "1.25" in shown
    assert "genai-prices" in shown
    assert "newest dated price 20" in shown


def test_without_a_pattern_resold_models_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert models.run(None) == 0
    shown = capsys.readouterr().out
    assert "local/smollm2-135m-instruct" in shown
    assert "anthropic/" in shown
    assert "openrouter" not in shown


def test_an_unknown_model_says_what_to_add() -> None:
    with pytest.raises(UsageError, match=r"price = \{ input = USD, output = USD \}"):
        models.run("no-such-model")
