import pytest
from pydantic import ValidationError

from runner.config.models import LimitsConfig, ModelConfig, smallest_limits
from runner.vendors import SMOLLM2, VENDORS


@pytest.mark.parametrize("provider", VENDORS)
def test_every_vendor_can_be_named(provider: str) -> None:
    vendor = VENDORS[provider]
    name = "a/b" if vendor.only_model is None else vendor.only_model.name
    url = "http://127.0.0.1:1/v1/" if vendor.base_url is None else None
    model = ModelConfig(id=f"{provider}/{name}", base_url=url)
    assert (model.provider, model.name, model.vendor) == (provider, name, vendor)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"id": "compat/x"}, 'base_url: is missing; compat needs one, like "http://host:8000/v1"'),
        ({"id": "local/x"}, f"no local model 'x'; there is one: local/{SMOLLM2.name}"),
        (
            {"id": f"local/{SMOLLM2.name}", "base_url": "http://127.0.0.1:1/v1"},
            "base_url: local starts its own server; another server is compat/MODEL",
        ),
        ({"id": "nobody/x"}, "other servers are compat/MODEL"),
        ({"id": "openai/x", "params": {"grammar": "x"}}, "params.grammar: unknown parameter"),
        ({"id": "sim/x", "params": {"temprature": 1}}, "did you mean 'temperature'?"),
    ],
)
def test_what_a_vendor_does_not_take_is_said(settings: dict, says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelConfig(**settings)
    assert says in str(caught.value)


def test_a_server_of_the_user_s_own_takes_what_we_have_never_heard_of() -> None:
    assert ModelConfig(id="sim/x", params={"grammar": "x"}).params == {"grammar": "x"}


def test_of_a_group_s_limits_the_smallest_holds() -> None:
    said = (LimitsConfig(rpm=5, tpm=100), LimitsConfig(rpm=3, group="other"), LimitsConfig())
    assert smallest_limits(said, "g") == LimitsConfig(rpm=3, tpm=100, group="g")
