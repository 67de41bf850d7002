"""What a user would pick instead, on the same prompts and server, end to end.

Each peer runs in an environment of its own, which uv makes from the package registry, on the core
that we use. Ratios are of CPU time per request. Run: `python -m tests.bench peers`.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson
import uvloop

from tasks.needle_threading.pairs import build
from tests.bench.fast_server import fast_server
from tests.bench.whole_path import Load, Spent, make_config, whole

SCRIPTS = Path(__file__).with_name("peer_scripts")
PEERS: Mapping[str, tuple[str, ...]] = {
    "openai_sdk": ("openai",),
    "cookbook_style": ("aiohttp",),
    "lm_eval_api": ("lm_eval[api]",),
    "inspect_eval": ("inspect-ai", "openai"),
}
AT_ONCE = 64


def run_peer(name: str, base: str, prompts: Path, requests: int) -> tuple[str, Spent] | str:
    """Version and cost, or why it did not run."""
    needs = [flag for package in PEERS[name] for flag in ("--with", package)]
    command = ["uv", "run", "--quiet", "--no-project", "--isolated", *needs, "python"]
    script = [str(SCRIPTS / f"{name}.py"), base, str(prompts), str(AT_ONCE)]
    done = subprocess.run([*command, *script], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    said = orjson.loads(done.stdout.strip().splitlines()[-1])
    return said["version"], Spent(requests=requests, wall_s=said["wall_s"], cpu_s=said["cpu_s"])


async def ours(base: str, chars: int, trials: int, folder: Path) -> Spent:
    """The whole path, once to warm up and once to measure."""
    for count in (200, trials):
        load = Load(chars=chars, in_flight=AT_ONCE, trials=count)
        spent = await whole(make_config(base, load), folder)
    return spent


def compare(chars: int, peers: Sequence[str], trials: int, folder: Path) -> None:
    """One size: ours, then each peer."""
    cores = sorted(os.sched_getaffinity(0))
    with (
        fast_server(folder, core=cores[-1]) as base,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop,
    ):
        os.sched_setaffinity(0, {cores[0]})
        mine = loop.run(ours(base, chars, trials, folder))
        print(f"{chars:,} chars: runner {mine.us:,.0f} us, {mine.per_s:,.0f}/s", flush=True)
        for name in peers:
            requests = max(32, trials // 20)
            text = build(1, chars // 80).text.text
            prompts = folder / "prompts.json"
            prompts.write_bytes(orjson.dumps([f"{n} {text}" for n in range(requests)]))
            came = run_peer(name, base, prompts, requests)
            if isinstance(came, str):
                print(f"  {name:15} did not run: {came[:160]}", flush=True)
                continue
            version, spent = came
            print(
                f"  {name:15} {version:20} {spent.us:>9,.0f} us {spent.per_s:>7,.0f}/s"
                f"   {spent.us / mine.us:6.1f} times our CPU",
                flush=True,
            )
        os.sched_setaffinity(0, set(cores))


def main() -> None:
    """Parse flags and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 400_000])
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--trials", type=int, default=10_000)
    flags = sys.argv[1:]
    options = parser.parse_args(flags[1:] if flags[:1] == ["peers"] else flags)
    with tempfile.TemporaryDirectory() as temporary:
        for chars in options.sizes:
            trials = options.trials if chars < 100_000 else options.trials // 5
            compare(chars, options.peers, trials, Path(temporary))


if __name__ == "__main__":
    main()
