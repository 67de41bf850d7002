"""The official SDK in one TaskGroup, as many at once as asked."""

import asyncio
import json
import sys
import time
from pathlib import Path

import openai


async def main(base: str, prompts: list[str], at_once: int) -> None:
    client = openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="none", max_retries=0)
    gate = asyncio.Semaphore(at_once)

    async def one(prompt: str) -> None:
        async with gate:
            reply = await client.chat.completions.create(
                model="fast", messages=[{"role": "user", "content": prompt}], temperature=0
            )
            assert reply.choices[0].message.content

    startup, wall = time.process_time(), time.monotonic()
    async with asyncio.TaskGroup() as group:
        for prompt in prompts:
            group.create_task(one(prompt))
    cpu, wall = time.process_time() - startup, time.monotonic() - wall
    said = {"version": f"openai {openai.__version__}", "startup_s": startup}
    print(json.dumps({**said, "wall_s": wall, "cpu_s": cpu}))


asyncio.run(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), int(sys.argv[3])))
