"""Fault texts, settings files and their complaints."""

from pathlib import Path

import pytest

from runner.errors import UsageError
from runner.simulator.spec.faults import FAULT_NAMES, FaultError, InjectedFault, parse_fault
from runner.simulator.spec.settings import load_settings


@pytest.mark.parametrize("name", FAULT_NAMES)
def test_every_name_is_a_fault(name: str):
    assert parse_fault(name) == InjectedFault(name=name)  # type: ignore[arg-type]


def test_options():
    assert parse_fault("429 retry-after=1.5 delay=2 billed=yes header.x-a=b") == InjectedFault(
        name="429", retry_after="1.5", delay_s=2.0, billed=True, headers={"x-a": "b"}
    )
    assert parse_fault("502 html status=599 body-delay=1") == InjectedFault(
        name="502 html", status=599, body_delay_s=1.0
    )


@pytest.mark.parametrize(
    "text", ["", "430", "ok now", "429 wait=1", "429 delay=x", "ok billed=maybe"]
)
def test_what_cannot_be_read_is_named(text: str):
    with pytest.raises(FaultError):
        parse_fault(text)


FULL = """
seed = 3
time_scale = 100
[keys.alpha]
credit_usd = 5
[default_model]
script = ["429 retry-after=1", "ok"]
faults = { "429" = 0.1, "cut gzip" = 0.01 }
limits = { rpm = 60, itpm = 1000 }
price = { input = 1.25, output = 10, tiers = [{ above = 200000, input = 2.5, output = 15 }] }
[models.small]
context_window = 8192
reader = { ability = { frontier_chars = 4000 }, abilities = { niah = { frontier_chars = 9000 } } }
"""


def test_a_settings_file(tmp_path: Path):
    path = tmp_path / "simulator.toml"
    path.write_text(FULL, encoding="utf-8")
    settings = load_settings(path)
    assert settings.default_model.script[0] == InjectedFault(name="429", retry_after="1")
    assert settings.models["small"].reader.abilities["niah"].frontier_chars == 9000
    assert settings.default_model.faults["cut gzip"] == 0.01


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[default_model]\nscript = ['430']", ["default_model.script.0", "no fault '430'"]),
        ("sed = 1", ["sed", "Extra"]),
        ("[default_model.limits]\nrpm = 0", ["default_model.limits.rpm", "greater than 0"]),
        ("[keys.sk-secret]\nstate = 'x'", ["keys.....state"]),
        ("time_scale = ", ["not TOML"]),
    ],
)
def test_complaints_name_file_and_key(tmp_path: Path, text: str, words: list[str]):
    path = tmp_path / "simulator.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_settings(path)
    for word in [str(path), *words]:
        assert word in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(UsageError, match="No such file"):
        load_settings(tmp_path / "absent.toml")
