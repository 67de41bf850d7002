"""A thousand kills, each followed by two more while the file recovers; then the books.

Run: `python -m tests.bench kills [KILLS] [--seed SEED]`. What is wrong ends it; its folder stays.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.fakes.kills import rounds


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(sys.argv[2:])
    folder, begun = Path(tempfile.mkdtemp(prefix="kills-")), time.monotonic()
    tally = None
    for number, tally in enumerate(rounds(folder, asked.kills, asked.seed)):
        shutil.rmtree(folder / f"round-{number}")
        took = time.monotonic() - begun
        died = sum(tally.kills.values())
        print(f"{took:>6.0f} s  {died:,} died, {sum(tally.missed.values()):,} did not", flush=True)
    shutil.rmtree(folder)
    if tally is not None:
        for name, count in sorted(tally.kills.items()):
            print(f"{count:>5} {name} (missed {tally.missed[name]})")
        print(
            f"{tally.trials:,} trials, {tally.requests:,} requests,"
            f" {tally.killed_calls:,} calls cut off: no row lost, nothing paid twice"
        )


if __name__ == "__main__":
    main()
