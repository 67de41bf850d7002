"""What a user waits for before anything happens: `--help`, and the dry run of 100,000 trials.

CPU and wall time of the child process, median of several. Run: `python -m tests.bench startup`.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROUNDS = 5
CONFIG = """
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
DEPTHS = 100
"""Times five sizes and two hundred repeats: a hundred thousand trials."""


def measure(command: list[str], folder: Path, rounds: int = ROUNDS) -> tuple[float, float]:
    """Median wall and CPU seconds of a command that must succeed."""
    walls: list[float] = []
    cpus: list[float] = []
    for _ in range(rounds):
        before, begun = os.times(), time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        walls.append(time.monotonic() - begun)
        after = os.times()
        cpus.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
    return median(walls), median(cpus)


def main() -> None:
    """Measure and print."""
    runner = [sys.executable, "-m", "runner"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        depths = ", ".join(str(100 * at / DEPTHS) for at in range(DEPTHS))
        (folder / "sweep.toml").write_text(CONFIG.format(depths=depths))
        commands = {
            "python -c pass": ([sys.executable, "-c", "pass"], ROUNDS),
            "runner --help": ([*runner, "--help"], ROUNDS),
            "runner sweep --dry-run": ([*runner, "sweep", "--dry-run"], 3),
        }
        for name, (command, rounds) in commands.items():
            wall, cpu = measure(command, folder, rounds)
            print(f"{name:24} {wall:6.2f} s wall {cpu:6.2f} s CPU", flush=True)


if __name__ == "__main__":
    main()
