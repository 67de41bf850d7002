from dataclasses import replace
from datetime import UTC, datetime

import pytest

from runner.money.price_list import entries, look_up, our_id
from runner.vendors import VENDORS, PricedByName

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("vendor", "name", "url", "seller"),
    [
        ("openai", "gpt-4o", None, "openai"),
        ("openai", "gpt-4o", "http://127.0.0.1:1/v1", "openai"),
        ("anthropic", "claude-haiku-4-5", None, "anthropic"),
        ("google", "gemini-2.5-pro", None, "google"),
        ("compat", "mistral-large-latest", "https://api.mistral.ai/v1", "mistral"),
        ("compat", "gpt-4o", None, None),
        ("compat", "gpt-4o", "http://127.0.0.1:1/v1", None),
        ("sim", "gpt-4o", "sim://", None),
        ("local", "gpt-4o", "local://", None),
    ],
)
def test_who_sells_is_the_vendor_s_record_s_word(
    vendor: str, name: str, url: str | None, seller: str | None
) -> None:
    found = look_up(vendor, name, url, NOW)
    assert (None if found is None else found.provider) == seller


def test_an_entry_s_id_is_its_seller_s_or_any_server_s(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {entry.provider: entry for entry in entries(NOW)}
    assert our_id(listed["openai"]).startswith("openai/")
    assert our_id(listed["mistral"]).startswith("compat/")
    toy = replace(VENDORS["openai"], name="toy", prices=PricedByName("mistral"))
    monkeypatch.setitem(VENDORS, "toy", toy)
    assert our_id(listed["mistral"]).startswith("toy/")
