import socket
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from genai_prices import data_snapshot

from runner.config.models import ModelConfig
from runner.config.sweep import parse
from runner.errors import UsageError
from runner.models.spec import ModelSpec, require_prices, resolve, resolve_all
from runner.money.price_list import entries, look_up, newest_change, our_id

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NOW_US = int(NOW.timestamp() * 1e6)


def spec(id: str, **settings) -> ModelSpec:
    return resolve(ModelConfig(id=id, **settings), NOW_US)


def test_a_dated_name_finds_its_price_window_and_vocabulary() -> None:
    model = spec("openai/gpt-4o-2024-08-06", params={"max_tokens": 99})
    assert model.price is not None
    assert (model.price.input, model.price.output) == (2_500_000, 10_000_000)
    assert model.price.cache_read == 1_250_000
    assert model.price.batch is not None
    assert model.price.batch.input == 1_250_000
    assert (model.context_window, model.max_output) == (128_000, 99)
    assert model.tokenizer == "o200k_base"
    assert model.base_url == "https://api.openai.com/v1"
    assert model.api_key_env == "OPENAI_API_KEY"
    assert "genai-prices" in model.price_source
    assert "gpt-4o" in model.price_source


def test_long_context_tiers_come_along() -> None:
    price = spec("google/gemini-2.5-pro").price
    assert price is not None
    assert [price.at(n).input for n in (200_000, 200_001)] == [1_250_000, 2_500_000]
    assert [price.at(n).cache_read for n in (200_000, 200_001)] == [125_000, 250_000]
    assert spec("google/gemini-2.5-pro").context_window == 1_048_576


def test_the_config_wins_over_the_table() -> None:
    model = spec(
        "openai/gpt-4o",
        price={"input": 9.0, "output": 9.0},
        context_window=5000,
        base_url="http://127.0.0.1:1/v1",
        api_key_env="MINE",
        tokenizer="cl100k_base",
    )
    assert model.price is not None
    assert (model.price.input, model.price_source) == (9_000_000, "config")
    assert (model.context_window, model.api_key_env) == (5000, "MINE")
    assert (model.base_url, model.tokenizer) == ("http://127.0.0.1:1/v1", "cl100k_base")


def test_a_compat_server_is_priced_by_who_it_is() -> None:
    mistral = spec("compat/mistral-large-latest", base_url="https://api.mistral.ai/v1")
    assert mistral.price is not None
    assert mistral.api_key_env is None
    own = spec("compat/mistral-large-latest", base_url="http://127.0.0.1:8000/v1")
    assert own.price is None


def test_of_prices_through_the_day_the_dearest_counts() -> None:
    by_day = look_up("compat", "deepseek-chat", "https://api.deepseek.com", NOW)
    by_night = look_up("compat", "deepseek-chat", "https://api.deepseek.com", NOW.replace(hour=20))
    assert by_day is not None
    assert by_day.price is not None
    assert by_day == by_night
    assert by_day.price.input == 270_000


def test_a_price_changes_on_its_date() -> None:
    before = look_up("openai", "o3", None, datetime(2025, 6, 9, tzinfo=UTC))
    after = look_up("openai", "o3", None, datetime(2025, 6, 10, tzinfo=UTC))
    assert before is not None
    assert after is not None
    assert before.price is not None
    assert after.price is not None
    assert (before.price.input, after.price.input) == (10_000_000, 2_000_000)
    assert (before.since, after.since) == (None, date(2025, 6, 10))
    assert after.source.endswith(", since 2025-06-10")


def test_the_table_says_how_fresh_it_is() -> None:
    fresh = newest_change(NOW.date())
    assert fresh is not None
    assert date(2026, 1, 1) < fresh <= NOW.date()


def test_every_entry_of_the_table_is_read() -> None:
    listed = entries(NOW)
    assert len(listed) > 1000
    assert sum(entry.price is not None for entry in listed) > 900
    assert {our_id(entry).partition("/")[0] for entry in listed} == {
        "openai",
        "anthropic",
        "google",
        "compat",
    }


def test_own_servers_are_free_and_keep_their_identity_over_restarts() -> None:
    local, sim = spec("local/smollm2-135m-instruct"), spec("sim/anything")
    for model in (local, sim):
        assert model.price is not None
        assert model.price.free
        assert model.api_key_env is None
        assert model.base_url.endswith("://")
    assert (local.simulated, sim.simulated) == (False, True)
    assert local.context_window == 8192


def test_a_budget_needs_every_price() -> None:
    known, unknown = spec("openai/gpt-4o"), spec("openai/nonesuch")
    require_prices([known], "sweep.toml")
    with pytest.raises(UsageError) as caught:
        require_prices([known, unknown], "sweep.toml")
    assert "sweep.toml: models[openai/nonesuch].price: is unknown" in str(caught.value)
    assert "price = 0" in str(caught.value)


def test_models_of_one_key_share_an_account() -> None:
    config = parse(
        """
        [[models]]
        id = "openai/gpt-4o"
        [[models]]
        id = "openai/gpt-4o-mini"
        [[models]]
        id = "openai/gpt-4.1"
        api_key_env = "OTHER"
        [[tasks]]
        name = "needle_threading.single_needle"
        """,
        Path("sweep.toml"),
    )
    first, second, third = resolve_all(config, NOW_US)
    assert first.account == second.account != third.account


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("a look-up opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    data_snapshot._bundled_snapshot.cache_clear()
    assert spec("openai/gpt-4o").price is not None
    assert not data_snapshot.get_snapshot().from_auto_update
