"""Runs one bench by name: `uv run python -m tests.bench whole_path`.

`--smoke` runs a tiny form of each, to see that they still work.
"""

import importlib
import sys
from collections.abc import Sequence

from tests.bench import smoke

BENCHES = {
    "coverage": "tests.bench.coverage",
    "limits": "tests.bench.limits",
    "stalls": "tests.bench.stalls",
    "generation": "tests.bench.generation",
    "kills": "tests.bench.kills",
    "long_texts": "tests.bench.long_texts",
    "peers": "tests.bench.peers",
    "prose": "tests.bench.prose",
    "resume": "tests.bench.resume",
    "scale": "tests.bench.scale",
    "simulator": "tests.bench.simulator",
    "startup": "tests.bench.startup",
    "storage": "tests.bench.storage",
    "transport": "tests.bench.transport",
    "views": "tests.bench.views",
    "whole_path": "tests.bench.whole_path",
}


def run(arguments: Sequence[str]) -> None:
    """One bench with its own flags, which it reads from the command line."""
    sys.argv[1:] = arguments
    importlib.import_module(BENCHES[arguments[0]]).main()


def main() -> int:
    arguments = sys.argv[1:]
    if arguments == ["--smoke"]:
        smoke.main()
    elif arguments and arguments[0] in BENCHES:
        run(arguments)
    else:
        names = ",".join(BENCHES)
        print(f"usage: python -m tests.bench {{{names}}} [FLAGS] | --smoke", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
