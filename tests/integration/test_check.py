"""`runner check` against servers that answer, refuse, lie about the time, or are not there."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from runner.commands.setup import check
from runner.simulator.server import serve
from runner.simulator.spec.settings import SimulatorSettings

pytestmark = pytest.mark.loopback

CANARY = "canary-key-0123456789"


class Endpoint(BaseHTTPRequestHandler):
    body: ClassVar[bytes] = b'{"data": [{"id": "llama"}, {"id": "qwen-2026-01-01"}]}'
    status: ClassVar[int] = 200
    date: ClassVar[str | None] = None
    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization")))
        self.send_response_only(self.status)
        self.send_header("Date", self.date or self.date_time_string())
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def endpoint(**settings: object) -> Iterator[tuple[str, list]]:
    handler = type("Handler", (Endpoint,), {**settings, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", handler.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def checked(
    folder: Path, url: str, *, model: str = "llama", extra: str = "", size: int = 2000
) -> int:
    path = folder / "sweep.toml"
    path.write_text(
        f"""
        [[models]]
        id = "compat/{model}"
        base_url = "{url}"
        {extra}
        [[tasks]]
        name = "needle_threading.single_needle"
        size = [800, {size}]
        depth = 50
        """
    )
    return check.run(path)


GOOD = "price = 0\ncontext_window = 100_000"


def test_a_sweep_that_could_start_is_all_ok(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", CANARY)
    with endpoint() as (url, asked):
        assert checked(tmp_path, url, extra=f'{GOOD}\napi_key_env = "MY_KEY"') == 0
    shown = capsys.readouterr().out
    assert "0 to fix, 0 to know" in shown
    assert asked == [("/v1/models", f"Bearer {CANARY}")]
    assert CANARY not in shown


def test_a_dated_name_answers_for_its_family(tmp_path: Path) -> None:
    with endpoint() as (url, _):
        assert checked(tmp_path, url, model="qwen", extra=GOOD) == 0


@pytest.mark.parametrize(
    ("settings", "says", "fix"),
    [
        ({"status": 401}, "key refused (401)", "put a valid key"),
        ({"status": 503}, "answers 503", "wait"),
        ({"body": b'{"data": [{"id": "lama"}]}'}, "no model 'llama' there", "did you mean 'lama'"),
        ({"date": "Mon, 30 Nov 2020 08:00:00 GMT"}, "s ahead of the endpoints", "time sync"),
    ],
)
def test_what_the_endpoint_says_is_a_line_with_its_fix(
    settings: dict, says: str, fix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with endpoint(**settings) as (url, _):
        assert checked(tmp_path, url, extra=GOOD) == 2
    shown = capsys.readouterr().out
    assert says in shown
    assert f"fix: {fix}" in shown or fix in shown
    assert "1 to fix" in shown


def test_a_server_without_a_list_is_only_worth_knowing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with endpoint(status=404, body=b"nope") as (url, _):
        assert checked(tmp_path, url, extra=GOOD) == 0
    assert "does not list its models" in capsys.readouterr().out


def test_nobody_there_a_missing_key_and_no_price_are_all_found_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        assert checked(tmp_path, url, extra='api_key_env = "MY_KEY"') == 2
    shown = capsys.readouterr().out
    assert "the environment variable MY_KEY is not set" in shown
    assert "fix: export MY_KEY=..." in shown
    assert "cannot be reached" in shown
    assert "price: compat/llama: unknown" in shown
    assert "2 to fix, 2 to know" in shown


def test_a_window_smaller_than_a_size_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with endpoint() as (url, _):
        extra = "price = 0\ncontext_window = 4096"
        assert checked(tmp_path, url, extra=extra, size=80_000) == 0
    shown = capsys.readouterr().out
    assert "1 of 2 cells can never be sent" in shown
    assert "keep size below 80,000" in shown


def test_a_full_disk_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 10}))
    with endpoint() as (url, _):
        assert checked(tmp_path, url, extra=GOOD) == 2
    assert "0 MB are free" in capsys.readouterr().out


def _only_by_name(self: Endpoint) -> None:
    """Lists nothing, and knows one model."""
    known = self.path == "/v1/models/llama"
    type(self).body = b'{"id": "llama"}' if known else b'{"data": []}'
    Endpoint.do_GET(self)


def test_a_model_that_is_in_no_list_is_asked_for_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with endpoint(do_GET=_only_by_name) as (url, asked):
        assert checked(tmp_path, url, extra=GOOD) == 0
        assert [path for path, _ in asked] == ["/v1/models", "/v1/models/llama"]
        assert "0 to fix, 0 to know" in capsys.readouterr().out
        assert checked(tmp_path, url, model="qwen", extra=GOOD) == 0
    assert "lists no model and does not know 'qwen'" in capsys.readouterr().out


SIMULATED = """
[[models]]
id = "openai/gpt-4o-mini-2024-07-18"
base_url = "{openai_url}"
[[models]]
id = "anthropic/claude-haiku-4-5"
base_url = "{origin}"
[[models]]
id = "google/gemini-2.5-flash"
base_url = "{origin}"
[[tasks]]
name = "needle_threading.single_needle"
size = 2000
depth = 50
"""


async def test_the_simulator_has_every_model_in_all_three_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{name}_API_KEY", CANARY)
    path = tmp_path / "sweep.toml"
    async with serve(SimulatorSettings()) as running:
        path.write_text(SIMULATED.format(openai_url=running.openai_url, origin=running.origin))
        assert await asyncio.to_thread(check.run, path) == 0
    shown = capsys.readouterr().out
    assert shown.count("answers, and has it") == 3
    assert "0 to fix" in shown


async def test_a_simulator_that_is_strict_about_names_lacks_the_others(tmp_path: Path) -> None:
    settings = SimulatorSettings.model_validate({"strict_models": True, "models": {"lama": {}}})
    async with serve(settings) as running:
        assert await asyncio.to_thread(checked, tmp_path, running.openai_url, extra=GOOD) == 2
