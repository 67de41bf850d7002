"""Long texts: how much memory it takes to store them, and to ask each command about them.

Prints the peak memory of the process that stores, and then of each command over its file.
Run: `python -m tests.bench long_texts [REPLIES] [CHARS] [--prompts]`; 80,000 of 64,000 make 5 GB.
"""

import asyncio
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from queries.catalog import install
from state.records import PromptRow, Row
from state.stores.duck import DuckStore
from tests.fakes import rows

REPLIES, CHARS = 5_000, 64_000
IN_FLIGHT = 64
WORDS = 20_000
MIB = 1 << 20
COMMANDS: Sequence[tuple[str, ...]] = (
    ("status", "{db}"),
    ("report", "{db}"),
    ("sql", "{db}", "select count(*), sum(length(text)) from completions"),
    ("sql", "{db}", "from completions", "--format", "csv"),
    ("sql", "{db}", "from prompts", "--format", "json"),
    ("show", "00000001", "{db}"),
    ("rescore", "{db}"),
    ("export", "{db}", "{folder}/exported"),
)


class Texts:
    """Texts that compress about as well as a model's."""

    def __init__(self, chars: int) -> None:
        luck = random.Random(1)
        self._words = [luck.randbytes(4).hex() for _ in range(WORDS)]
        self._luck, self._count = luck, chars // 9

    def make(self) -> str:
        """Another one."""
        return " ".join(self._luck.choices(self._words, k=self._count))


async def store(path: Path, replies: int, texts: Texts, *, prompts: bool) -> None:
    """Write trials as a sweep does, so many at a time."""
    file = DuckStore.open(path, install_views=install, create=True)
    await file.append(rows.sweep(), rows.cell(), rows.sweep_cell(repeats=replies))
    numbers = iter(range(replies))

    async def slot() -> None:
        for number in numbers:
            trial, attempt = f"{number:08x}", f"{number:08x}.1"
            target = '{"mode":"single","expected":["x"],"queries":[]}'
            begun: list[Row] = [rows.start(attempt, trial_id=trial)]
            begun.append(rows.trial(trial, repeat=number, target=target, prompt_hash=""))
            if prompts:
                messages = f'[{{"role":"user","text":"{texts.make()}"}}]'
                begun.append(PromptRow(trial_id=trial, messages=messages))
            await file.append(*begun)
            text = "x" if prompts else texts.make()
            file.enqueue(
                rows.attempt(attempt, trial_id=trial),
                rows.completion(trial_id=trial, attempt_id=attempt, text=text),
                rows.score(trial_id=trial),
            )

    async with asyncio.TaskGroup() as slots:
        for _ in range(IN_FLIGHT):
            slots.create_task(slot())
    await file.aclose()


def peak() -> float:
    """MB that this process ever had in use."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def ask(command: Sequence[str]) -> None:
    """Run a command, and print what it took."""
    begun = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "runner", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stderr is not None
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - begun
    line = " ".join(word for word in command if "/" not in word)
    print(f"  {used.ru_maxrss / 1024:>6.0f} MB {took:>6.1f} s  exit {child.returncode}  {line}")
    if child.returncode:
        print(said)


def make(db: Path, replies: int, chars: int, prompts: bool) -> None:
    """Store, in a process of its own, and open what was stored as a resume does."""
    begun = time.monotonic()
    asyncio.run(store(db, replies, Texts(chars), prompts=prompts))
    took, size = time.monotonic() - begun, db.stat().st_size / MIB
    print(f"{replies:,} of {chars:,} characters stored in {took:.0f} s, file {size:.0f} MB")
    print(f"  {peak():>6.0f} MB to store them", flush=True)


def resume(db: Path) -> None:
    """Open it as a sweep does that goes on."""
    begun = time.monotonic()
    DuckStore.open(db, install_views=install, create=True).close()
    print(f"  {peak():>6.0f} MB {time.monotonic() - begun:>6.1f} s  resume", flush=True)


def alone(work: Callable[..., None], *arguments: object) -> None:
    """In a process of its own, so that its peak is its own too."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    process.start()
    process.join()


def main() -> None:
    """Run and print."""
    numbers = [int(flag) for flag in sys.argv[1:] if flag.isdigit()]
    replies, chars = (*numbers, *(REPLIES, CHARS)[len(numbers) :])[:2]
    with tempfile.TemporaryDirectory() as temporary:
        db = Path(temporary) / "long.duckdb"
        alone(make, db, replies, chars, "--prompts" in sys.argv)
        alone(resume, db)
        for command in COMMANDS:
            ask([word.format(db=db, folder=temporary) for word in command])


if __name__ == "__main__":
    main()
