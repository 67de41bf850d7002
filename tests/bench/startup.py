"""What a user waits for before anything happens: `--help`, and the dry run of 100,000 trials.

CPU and wall time of the child process, median of several; bytecode is made by a first, uncounted
run, as it is after an installation. Run: `python -m tests.bench startup`.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROUNDS = 5
LONG = """
[sweep]
name = "startup"
repeats = 200
[[models]]
id = "openai/gpt-4o-2024-08-06"
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 4000, 8000, 16000, 32000]
depth = [{depths}]
"""
"""One task; five sizes, a hundred depths and two hundred repeats: a hundred thousand trials."""
WIDE = """
[sweep]
name = "startup"
repeats = 20
budget = "500usd"
{models}
[[tasks]]
name = "needle_threading.single_needle"
size = [2000, 8000, 32000, 64000, 128000]
depth = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
[[tasks]]
name = "needle_threading.threading"
size = [2000, 8000, 32000, 64000, 128000]
[[tasks]]
name = "needle_threading.branched_threading"
size = [2000, 8000, 32000, 64000, 128000]
[[tasks]]
name = "needle_threading.multi_threading"
size = [2000, 8000, 32000, 64000, 128000]
[[tasks]]
name = "niah.magic_number"
size = [1000, 2000, 4000, 8000, 16000, 32000, 64000]
[[tasks]]
name = "flenqa.pir"
[[tasks]]
name = "flenqa.ruletaker"
[[tasks]]
name = "needlechain.mixed"
"""
"""Eight tasks under four models: as many trials, and thousands of cells."""
MODELS = (
    "openai/gpt-4o-2024-08-06",
    "openai/gpt-4o-mini-2024-07-18",
    "anthropic/claude-haiku-4-5",
    "google/gemini-2.5-flash",
)
DEPTHS = 100


def configs() -> dict[str, str]:
    """By the name of their file."""
    depths = ", ".join(str(100 * at / DEPTHS) for at in range(DEPTHS))
    models = "".join(f'[[models]]\nid = "{model}"\n' for model in MODELS)
    return {"long.toml": LONG.format(depths=depths), "wide.toml": WIDE.format(models=models)}


def measure(command: list[str], folder: Path, rounds: int = ROUNDS) -> tuple[float, float]:
    """Median wall and CPU seconds of a command that must succeed."""
    walls: list[float] = []
    cpus: list[float] = []
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for turn in range(rounds + 1):
        before, begun = os.times(), time.monotonic()
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, check=False
        )
        wall = time.monotonic() - begun
        after = os.times()
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        if turn == 0:
            continue
        walls.append(wall)
        cpus.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
    return median(walls), median(cpus)


def main() -> None:
    """Measure and print."""
    runner = [sys.executable, "-m", "runner"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, text in configs().items():
            (folder / name).write_text(text)
        dry_run = [*runner, "sweep", "--dry-run"]
        commands = {
            "python -c pass": ([sys.executable, "-c", "pass"], ROUNDS),
            "runner --help": ([*runner, "--help"], ROUNDS),
            "runner sweep --help": ([*runner, "sweep", "--help"], ROUNDS),
            "dry run of one task": ([*dry_run, "long.toml"], ROUNDS),
            "dry run of eight tasks": ([*dry_run, "wide.toml"], ROUNDS),
        }
        for name, (command, rounds) in commands.items():
            wall, cpu = measure(command, folder, rounds)
            print(f"{name:24} {wall:6.2f} s wall {cpu:6.2f} s CPU", flush=True)


if __name__ == "__main__":
    main()
