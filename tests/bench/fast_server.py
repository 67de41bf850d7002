"""A loopback model server that costs next to nothing, for measuring what stands before it.

One process, one asyncio.Protocol, a fixed reply with usage in the form of OpenAI, Anthropic or
Gemini (by path), after an optional delay.

Run: `python -m tests.bench.fast_server PORT_FILE [DELAY_S] [TLS_FOLDER]`.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson

from tests.fakes.own_authority import server_context

_ANSWER = "The answer is 9a2b6c1e-5f3d-4d7a-8f0e-1b2c3d4e5f60."
_TOKENS_PER_BYTE = 0.6
"""Of hex digits: a bill far below its text would tell of a prompt that was cut."""
_STEP = 256
"""Bills are rounded to so many tokens, so that few replies are ever made."""


def _openai(tokens: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": _ANSWER, "refusal": None}
    return {
        "id": "chatcmpl-fast",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "fast",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": 16,
            "total_tokens": tokens + 16,
        },
    }


def _anthropic(tokens: int) -> dict[str, Any]:
    return {
        "id": "msg_fast",
        "type": "message",
        "role": "assistant",
        "model": "fast",
        "content": [{"type": "text", "text": _ANSWER}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": tokens, "output_tokens": 16},
    }


def _gemini(tokens: int) -> dict[str, Any]:
    content = {"parts": [{"text": _ANSWER}], "role": "model"}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": tokens,
            "candidatesTokenCount": 16,
            "totalTokenCount": tokens + 16,
        },
    }


def _packed(value: object) -> bytes:
    body = orjson.dumps(value)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"X-Request-Id: fast\r\n\r\n" + body


_FORMATS: Mapping[bytes, Callable[[int], dict[str, Any]]] = {
    b"/chat/completions": _openai,
    b"/v1/messages": _anthropic,
}


@cache
def _reply(make: Callable[[int], dict[str, Any]], steps: int) -> bytes:
    return _packed(make(steps * _STEP))


class FastServer(asyncio.Protocol):
    """Counts body bytes without keeping them, and answers."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._head = b""
        self._left = 0
        self._reply = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self._left:
            self._body(len(data))
            return
        self._head += data
        end = self._head.find(b"\r\n\r\n")
        if end < 0:
            return
        head, extra = self._head[:end], len(self._head) - end - 4
        self._head = b""
        path = head.split(b" ", 2)[1]
        make = next((m for suffix, m in _FORMATS.items() if path.endswith(suffix)), _gemini)
        at = head.lower().find(b"content-length:")
        self._left = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        self._reply = _reply(make, 1 + int(self._left * _TOKENS_PER_BYTE) // _STEP)
        self._body(extra)

    def _body(self, size: int) -> None:
        self._left -= size
        if self._left > 0:
            return
        self._left = 0
        if self._delay_s:
            asyncio.get_running_loop().call_later(self._delay_s, self._answer)
        else:
            self._answer()

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(self._reply)


async def _serve(port_file: Path, delay_s: float, tls: Path | None) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: FastServer(delay_s),
        "127.0.0.1",
        0,
        backlog=8192,
        ssl=None if tls is None else server_context(tls),
    )
    temporary = port_file.with_suffix(".tmp")
    temporary.write_text(str(server.sockets[0].getsockname()[1]))
    temporary.rename(port_file)
    await server.serve_forever()


@contextmanager
def fast_server(
    folder: Path, *, delay_s: float = 0.0, core: int | None = None, tls: Path | None = None
) -> Generator[str]:
    """The base URL (without `/v1`) of a server in its own process, pinned to a core if given.

    With `tls`, a folder that `make_authority` wrote to, it speaks HTTPS only.
    """
    port_file = folder / f"port-{time.monotonic_ns()}"
    command = [sys.executable, "-m", "tests.bench.fast_server", str(port_file), str(delay_s)]
    process = subprocess.Popen([*command, str(tls)] if tls else command)
    try:
        while not port_file.exists():
            if process.poll() is not None:
                raise RuntimeError("the fast server did not start")
            time.sleep(0.01)
        if core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(process.pid, {core})
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port_file.read_text()}"
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Serve until terminated."""
    port_file, delay = Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    tls = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if sys.platform != "win32":
        import uvloop  # noqa: PLC0415  absent on Windows

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    asyncio.run(_serve(port_file, delay, tls))


if __name__ == "__main__":
    main()
