"""Written in the style of the parallel request script that OpenAI's cookbook recommends.

Requests stand in a JSONL file; a loop takes one at a time, counts what it needs (here by length,
which is cheaper than the tokenizer there), waits a millisecond, sends it with aiohttp's `json=`,
and appends request and reply to a file of results.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import aiohttp


async def call(
    session: aiohttp.ClientSession, url: str, request: dict[str, object], out: Path
) -> None:
    async with session.post(url, json=request) as response:
        reply = await response.json()
    with out.open("a") as file:
        file.write(json.dumps([request, reply]) + "\n")


async def main(base: str, prompts: list[str], at_once: int, folder: Path) -> None:
    source, out = folder / "requests.jsonl", folder / "results.jsonl"
    with source.open("w") as file:
        for prompt in prompts:
            messages = [{"role": "user", "content": prompt}]
            file.write(json.dumps({"model": "fast", "messages": messages, "temperature": 0}) + "\n")
    room = 1e12
    wall, cpu = time.monotonic(), time.process_time()
    running: set[asyncio.Task[None]] = set()
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
        with source.open() as lines:
            for line in lines:
                request = json.loads(line)
                room -= sum(len(turn["content"]) // 4 for turn in request["messages"])
                while len(running) >= at_once:  # noqa: ASYNC110  as that script does
                    await asyncio.sleep(0.001)
                task = group.create_task(call(session, f"{base}/v1/chat/completions", request, out))
                running.add(task)
                task.add_done_callback(running.discard)
                await asyncio.sleep(0.001)
    spent = {"wall_s": time.monotonic() - wall, "cpu_s": time.process_time() - cpu}
    print(json.dumps({"version": f"aiohttp {aiohttp.__version__}", **spent}))


with tempfile.TemporaryDirectory() as temporary:
    asyncio.run(
        main(
            sys.argv[1],
            json.loads(Path(sys.argv[2]).read_text()),
            int(sys.argv[3]),
            Path(temporary),
        )
    )
