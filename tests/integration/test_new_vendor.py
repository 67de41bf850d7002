"""A vendor that speaks a known wire format is one record: everything else follows from it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner import cli
from runner.config.models import ModelConfig
from runner.models.spec import resolve
from runner.vendors import VENDORS, ModelList, Naming, PricedByName, Vendor, Wire
from state.sharing.reading import open_for_reading
from tests.fakes.sweep_process import Server, server

pytestmark = pytest.mark.loopback

KEY = "canary-toy-0123456789"
CONFIG = """
[sweep]
repeats = 2
budget = "1usd"
[[models]]
id = "toy/mistral-large-latest"
params = { max_tokens = 50 }
[[tasks]]
name = "needle_threading.single_needle"
size = [800, 1600]
depth = 50
"""


def toy(origin: str) -> Vendor:
    return Vendor(
        name="toy",
        wire=Wire.OPENAI_CHAT,
        naming=Naming.ANYBODY,
        base_url=f"{origin}/v1",
        other_base_urls=True,
        base_ends_in_v1=True,
        key_variables=("TOY_API_KEY", "TOY_TOKEN"),
        prices=PricedByName("mistral"),
        model_list=ModelList(path="/models", whole=""),
        only_model=None,
        own_server=None,
        takes_any_parameter=False,
        shown_unasked=True,
        concurrency=3,
    )


@pytest.fixture
def vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The toy's server; the one record is all that the program is told of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOY_TOKEN", KEY)
    Path("sweep.toml").write_text(CONFIG)
    with server(tmp_path, "") as running:
        monkeypatch.setitem(VENDORS, "toy", toy(running.origin))
        yield running


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What a command line prints, once it has ended well."""

    def run(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["runner", *words])
        with pytest.raises(SystemExit) as ended:
            cli.run()
        shown = capsys.readouterr()
        assert ended.value.code == 0, shown.out + shown.err
        return shown.out

    return run


def test_it_is_checked_and_listed(vendor: Server, command) -> None:
    said = command("check", "sweep.toml")
    assert "ok    key: toy: TOY_API_KEY is set" in said
    assert f"toy/mistral-large-latest at {vendor.origin}/v1: answers, and has it" in said
    assert "price: toy/mistral-large-latest: genai-prices" in said
    assert "0 to fix" in said
    assert "toy/mistral-large" in command("models")


def test_it_is_foretold_rehearsed_and_swept_and_what_it_bills_is_what_is_paid(
    vendor: Server, command, tmp_path: Path
) -> None:
    foretold = json.loads(command("sweep", "sweep.toml", "--dry-run", "--json"))
    assert foretold["total"]["usd"]["worst"] > 0
    assert "4 trials" in command("sweep", "sweep.toml", "--rehearse")
    assert vendor.bill()["requests"] == 0
    command("sweep", "sweep.toml", "--plain")
    assert vendor.bill()["billed"] == 4
    with open_for_reading(tmp_path / "sweep.duckdb") as reader:
        rows = reader.connection.execute(
            "SELECT provider, base_url, outcome, cost_pusd > 0"
            " FROM attempts JOIN trials USING (trial_id) JOIN cells USING (cell_id)"
        ).fetchall()
    assert rows == [("toy", f"{vendor.origin}/v1", "answered", True)] * 4


def test_its_record_is_all_that_its_models_are_resolved_from(vendor: Server) -> None:
    spec = resolve(ModelConfig(id="toy/mistral-large-latest"), 1_700_000_000_000_000)
    assert (spec.base_url, spec.api_key_env) == (f"{vendor.origin}/v1", "TOY_API_KEY")
    assert spec.limits.concurrency == 3
    assert spec.price is not None
    assert not spec.simulated


def test_its_record_decides_what_a_config_may_say(vendor: Server) -> None:
    with pytest.raises(ValueError, match="unknown parameter"):
        ModelConfig(id="toy/x", params={"grammar": "x"})
    with pytest.raises(ValueError, match="did you mean 'toy'"):
        ModelConfig(id="toi/x")
