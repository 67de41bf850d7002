"""Servers of other projects: started on free ports of the loopback, stopped with the test."""

import asyncio
import shutil
import socket
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where servers are installed; a user's own PATH often leaves it out."""
START_S = 30.0


class DidNotStartError(Exception):
    """The process ended, or did not listen in time; with what it said."""


def installed(name: str) -> str:
    """The path of a program; skips the test, with the reason, where there is none."""
    found = shutil.which(name) or shutil.which(name, path=SYSTEM_PATH)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def free_port() -> int:
    """A port of the loopback on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@asynccontextmanager
async def running(
    command: Sequence[str | Path],
    port: int,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    start_s: float = START_S,
) -> AsyncGenerator[Process]:
    """A process that listens on `port` of the loopback; it must stay in the foreground."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=STDOUT, env=env, cwd=cwd
    )
    said = bytearray()
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(_read(process, said))
        try:
            await _listens(process, port, said, start_s)
            yield process
        finally:
            await _stop(process)
            await reading


async def _read(process: Process, said: bytearray) -> None:
    """Take what it prints, so that it never waits for a full pipe."""
    assert process.stdout is not None
    while chunk := await process.stdout.read(65_536):
        said += chunk
        del said[:-10_000]


async def _listens(process: Process, port: int, said: bytearray, start_s: float) -> None:
    end_s = asyncio.get_running_loop().time() + start_s
    while process.returncode is None and asyncio.get_running_loop().time() < end_s:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return
    raise DidNotStartError(said.decode(errors="replace"))


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(5.0):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
