"""Runs one bench by name: `uv run python -m tests.bench generation`."""

import importlib
import sys

BENCHES = {
    "limits": "tests.bench.limits",
    "stalls": "tests.bench.stalls",
    "generation": "tests.bench.generation",
    "prose": "tests.bench.prose",
    "simulator": "tests.bench.simulator",
    "storage": "tests.bench.storage",
    "transport": "tests.bench.transport",
    "views": "tests.bench.views",
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in BENCHES:
        print(f"usage: python -m tests.bench {{{','.join(BENCHES)}}}", file=sys.stderr)
        return 2
    importlib.import_module(BENCHES[sys.argv[1]]).main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
