"""Sweeps through servers of other projects, as real processes on the loopback.

They are heavy, so no environment of this project has them: install `litellm[proxy]` and `llmock`
anywhere, and put them on PATH or name their programs in RUNNER_LITELLM and RUNNER_LLMOCK. The proxy
may take a minute to start, so give its test time: `-o faulthandler_timeout=600`.
"""

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path

import duckdb
import orjson
import pytest

from runner.simulator.server import serve
from runner.simulator.spec.settings import SimulatorSettings
from tests.fakes.third_party import free_port, installed, running

pytestmark = pytest.mark.loopback
STARTS_WITHIN_S = 180.0
KEY = "sk-local"
OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "NO_COLOR": "1",
}
PROXIED = (
    ("m", "openai/sim", "/v1"),
    ("claude-sim", "anthropic/claude-sim", ""),
    ("gemini-sim", "gemini/gemini-sim", "/v1beta/models/gemini-sim"),
)
TASK = """
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = [0, 50]
"""


def model(id: str, base_url: str, *more: str) -> str:
    """One model of a sweep."""
    lines = (
        "[[models]]", f'id = "{id}"', f'base_url = "{base_url}"', 'api_key_env = "LOCAL_KEY"',
        "price = { input = 1.0, output = 2.0 }", "params = { max_tokens = 100 }", *more,
    )  # fmt: skip
    return "\n".join(lines)


async def typed(folder: Path, *words: str) -> tuple[int, str]:
    """A command line in a process of its own: exit code, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "runner", *words,
        cwd=folder, env={**os.environ, "LOCAL_KEY": KEY, "NO_COLOR": "1"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


def config(folder: Path, repeats: int, *models: str) -> None:
    head = f'[sweep]\nname = "third"\nrepeats = {repeats}\n'
    (folder / "sweep.toml").write_text("\n".join((head, *models, TASK)))


def ended(folder: Path, columns: str) -> Counter[tuple[object, ...]]:
    """Final attempts by these columns."""
    with duckdb.connect(str(folder / "sweep.duckdb"), read_only=True) as file:
        return Counter(
            file.execute(
                f"select {columns} from attempts join trials using (trial_id)"  # noqa: S608
                " join cells using (cell_id) where final"
            ).fetchall()
        )


async def test_all_dialects_of_a_litellm_proxy(tmp_path: Path):
    program = installed(os.environ.get("RUNNER_LITELLM", "litellm"))
    port = free_port()
    async with serve(SimulatorSettings()) as simulated:
        proxied = [
            {
                "model_name": name,
                "litellm_params": {
                    "model": behind, "api_base": simulated.origin + path, "api_key": "sk-none",
                },
            }
            for name, behind, path in PROXIED
        ]  # fmt: skip
        settings = {
            "model_list": proxied,
            "litellm_settings": {"num_retries": 0, "telemetry": False},
            "general_settings": {"master_key": KEY},
        }
        (tmp_path / "litellm.json").write_bytes(orjson.dumps(settings))
        command = (program, "--config", tmp_path / "litellm.json", "--host", "127.0.0.1",
                   "--port", str(port), "--telemetry", "False")  # fmt: skip
        env = {**os.environ, **OFFLINE}
        async with running(command, port, env=env, cwd=tmp_path, start_s=STARTS_WITHIN_S):
            origin = f"http://127.0.0.1:{port}"
            config(
                tmp_path,
                2,
                model("compat/m", f"{origin}/v1"),
                model("compat/claude-sim", f"{origin}/v1", "stream = true"),
                model("anthropic/claude-sim", origin),
                model("google/gemini-sim", origin, 'api_version = "v1beta"'),
                model("compat/nobody", f"{origin}/v1"),
            )
            checked = await typed(tmp_path, "check", "sweep.toml")
            swept = await typed(tmp_path, "sweep", "sweep.toml", "--plain")
    assert "compat/m at" in checked[1]
    assert "answers, and has it" in checked[1]
    counted = ended(tmp_path, "cells.model, split_part(outcome, ':', 1), input_tokens > 1000")
    nobody = {key: n for key, n in counted.items() if key[0] == "compat/nobody"}
    assert {key[1] for key in nobody} <= {"invalid_request"}, swept[1]
    right = {key: n for key, n in counted.items() if key not in nobody}
    names = ("compat/m", "compat/claude-sim", "anthropic/claude-sim", "google/gemini-sim")
    assert right == {(name, "answered", True): 4 for name in names}, swept[1]


async def test_a_server_that_fails_at_random_is_swept_to_the_end(tmp_path: Path):
    program = installed(os.environ.get("RUNNER_LLMOCK", "llmock"))
    port = free_port()
    command = (program, "serve", "--host", "127.0.0.1", "--port", str(port), "--log-level",
               "warning", "--error-rate", "503=0.1", "--error-rate", "429=0.1",
               "--error-rate", "500=0.1", "--stream-fault", "truncate=0.1")  # fmt: skip
    async with running(command, port, cwd=tmp_path, start_s=STARTS_WITHIN_S):
        origin = f"http://127.0.0.1:{port}"
        config(
            tmp_path,
            10,
            model("compat/m", f"{origin}/v1"),
            model("compat/streamed", f"{origin}/v1", "stream = true"),
            model("anthropic/claude-m", f"{origin}/anthropic"),
            model("google/m", f"{origin}/gemini", "stream = true"),
        )
        code, said = await typed(tmp_path, "sweep", "sweep.toml", "--plain")
    assert code == 0, said
    names = ("compat/m", "compat/streamed", "anthropic/claude-m", "google/m")
    assert ended(tmp_path, "cells.model, outcome") == {(name, "answered"): 20 for name in names}
