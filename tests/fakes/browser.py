"""A headless Chromium driven over its own debugging protocol: pages, clicks, console, requests."""

import asyncio
import base64
import itertools
import shutil
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--window-size=1200,900",
)


@dataclass
class Page:
    """One tab: what it printed, asked for, and threw is kept."""

    socket: aiohttp.ClientWebSocketResponse
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    async def call(self, method: str, **params: Any) -> Any:
        number = next(self.numbers)
        await self.socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self.socket.receive_json()
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            self.note(message)

    def note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Runtime.consoleAPICalled" and params["type"] in {"error", "warning"}:
            words = [arg.get("value", arg.get("description")) for arg in params["args"]]
            self.errors.append(str(words))
        if method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    async def open(self, path: Path) -> None:
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.call(f"{domain}.enable")
        await self.call("Page.navigate", url=path.as_uri())

    async def run(self, script: str) -> Any:
        """The value of a script; a promise is waited for."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def wait_for(self, condition: str) -> None:
        """Until a condition holds, looked at on each of the page's own frames."""
        await self.run(
            "new Promise((done) => { const look = () => "
            f"({condition}) ? done(true) : setTimeout(look, 50); look(); }})"
        )

    async def screenshot(self, path: Path, clip: dict[str, float] | None = None) -> None:
        params: dict[str, Any] = {"captureBeyondViewport": True}
        if clip is not None:
            params["clip"] = {**clip, "scale": 1}
        shot = await self.call("Page.captureScreenshot", **params)
        path.write_bytes(base64.b64decode(shot["data"]))  # noqa: ASYNC240


@asynccontextmanager
async def browser(profile: Path):
    """A page of a browser that is gone afterwards."""
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *FLAGS,
        f"--user-data-dir={profile}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        port = await _port(process)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as reply:
                tabs = await reply.json()
            url = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
            async with session.ws_connect(url, max_msg_size=0) as socket:
                yield Page(socket)
    finally:
        process.kill()
        await process.wait()


async def _port(process: asyncio.subprocess.Process) -> int:
    assert process.stderr is not None
    async for line in process.stderr:
        text = line.decode()
        if "DevTools listening on" in text:
            return int(text.split("127.0.0.1:")[1].split("/")[0])
    raise AssertionError("chromium did not start")
