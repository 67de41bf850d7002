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

    await one(prompts[0])
    wall, cpu = time.monotonic(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for prompt in prompts:
            group.create_task(one(prompt))
    spent = {"wall_s": time.monotonic() - wall, "cpu_s": time.process_time() - cpu}
    print(json.dumps({"version": f"openai {openai.__version__}", **spent}))


asyncio.run(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), int(sys.argv[3])))
