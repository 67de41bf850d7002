"""Real `runner sweep` processes against a real `runner simulate` process, to be killed."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

KEY = "CANARY-7f3c9a51d2"
"""Stands for an API key: it must turn up in the simulator and nowhere else."""
PRICE = "{ input = 1.0, output = 2.0 }"
CONFIG = """
[sweep]
name = "killed"
repeats = {repeats}
{budget}
[[models]]
id = "compat/a"
base_url = "{url}/v1"
api_key_env = "CANARY_KEY"
price = {price}
params = {{ max_tokens = 50 }}
limits = {{ concurrency = {concurrency} }}
[[tasks]]
name = "needle_threading.single_needle"
size = {size}
depth = {depth}
"""


def write_config(
    folder: Path,
    url: str,
    *,
    repeats: int = 20,
    size: str = "[1000, 2000]",
    depth: str = "[0, 50]",
    concurrency: int = 8,
    budget: str = "",
) -> Path:
    path = folder / "sweep.toml"
    text = CONFIG.format(
        url=url,
        repeats=repeats,
        size=size,
        depth=depth,
        concurrency=concurrency,
        budget=budget,
        price=PRICE,
    )
    path.write_text(text)
    return path


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "CANARY_KEY": KEY, "NO_COLOR": "1", **more}


def sweep_command(config: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "runner", "sweep", config.name, "--plain", *flags]


def start(config: Path, *flags: str, **options: Any) -> subprocess.Popen[str]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
    return subprocess.Popen(
        sweep_command(config, *flags), cwd=config.parent, env=environment(), text=True, **given
    )


def sweep(config: Path, *flags: str) -> tuple[int, str]:
    """Run to the end: exit code, and all that was printed."""
    with start(config, *flags) as child:
        said, _ = child.communicate(timeout=120)
    return child.returncode, said


Kill = tuple[str, int, bool]
"""A point of `kill_points`, how often it is passed before, and whether the file looks damaged."""


class Server:
    """A simulator in a process of its own, and its books."""

    def __init__(self, origin: str) -> None:
        self.origin = origin

    def _get(self, page: str) -> bytes:
        url = f"{self.origin}/simulator/{page}"
        with urllib.request.urlopen(url, timeout=30) as reply:  # noqa: S310  our own server
            return bytes(reply.read())

    def bill(self) -> dict[str, Any]:
        found = json.loads(self._get("bill"))
        assert isinstance(found, dict)
        return found

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._get("log").splitlines() if line]


@contextmanager
def server(folder: Path, settings: str) -> Iterator[Server]:
    (folder / "simulator.toml").write_text(settings)
    command = [sys.executable, "-m", "runner", "simulate", "--port", "0"]
    with subprocess.Popen(
        [*command, "--config", "simulator.toml"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        found = re.search(r"http://\S+", child.stdout.readline())
        assert found is not None
        try:
            yield Server(found[0])
        finally:
            child.terminate()
            child.stdout.read()


class Forker:
    """Starts sweeps quickly, one after the other, from a process that has imported everything."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process = process
        self._folder = folder
        self.log = folder / "terminal.txt"

    def inside(self, folder: Path) -> "Forker":
        """The same process, for sweeps of another folder."""
        return Forker(self._process, folder)

    def begin(self, *flags: str, kill: Kill | None = None) -> int:
        """Start `runner sweep` in the folder; its process id."""
        return self.command("sweep", "sweep.toml", "--plain", *flags, kill=kill)

    def command(self, *words: str, kill: Kill | None = None) -> int:
        """Start `runner WORDS` in the folder, to be killed where it says; its process id."""
        request = [str(self._folder), str(self.log), kill, *words]
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def wait(self) -> int:
        """Its exit code; minus the signal that ended it."""
        return int(self._line().removeprefix("exit "))

    def run(self, *flags: str) -> int:
        self.begin(*flags)
        return self.wait()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def forker(folder: Path) -> Iterator[Forker]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.sweep_forker"],
        cwd=Path(__file__).parents[2],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            yield Forker(child, folder)
        finally:
            assert child.stdin is not None
            child.stdin.close()
