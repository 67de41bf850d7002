"""nginx and haproxy in front of a simulator: their limits are found over real sockets."""

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import duckdb
import pytest

from tests.fakes.third_party import free_port, installed, running

RATE = 20.0
"""Requests a second that each of them takes."""
SWEPT_S = 40.0
RUNNER = Path(sys.executable).with_name("runner")

NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log /dev/null crit;
events {{}}
http {{
  access_log off; client_max_body_size 50m;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  limit_req_zone $binary_remote_addr zone=all:1m rate=20r/s;
  server {{
    listen 127.0.0.1:{port};
    limit_req zone=all burst=3 nodelay; {status}
    location / {{ proxy_pass http://127.0.0.1:{behind}; }}
  }}
}}
"""
HAPROXY = """
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend all
  bind 127.0.0.1:{port}
  stick-table type integer size 1k expire 30s store http_req_rate(1s)
  http-request track-sc0 int(1)
  http-request deny deny_status 429 if {{ sc_http_req_rate(0) gt 20 }}
  default_backend model
backend model
  server one 127.0.0.1:{behind}
"""


def nginx(folder: Path, port: int, behind: int, status: str = "") -> list[str]:
    conf = folder / f"nginx-{port}.conf"
    own = folder / str(port)
    own.mkdir()
    conf.write_text(NGINX.format(folder=own, port=port, behind=behind, status=status))
    return [installed("nginx"), "-c", str(conf), "-p", str(own)]


def nginx_429(folder: Path, port: int, behind: int) -> list[str]:
    return nginx(folder, port, behind, "limit_req_status 429;")


def haproxy(folder: Path, port: int, behind: int) -> list[str]:
    conf = folder / "haproxy.cfg"
    conf.write_text(HAPROXY.format(port=port, behind=behind))
    return [installed("haproxy"), "-db", "-f", str(conf)]


MODEL = """
[[models]]
id = "compat/m{n}"
base_url = "http://127.0.0.1:{port}/v1"
price = 0
limits = {{ concurrency = 32 }}
"""
TASK = """
[[tasks]]
name = "needle_threading.single_needle"
size = 1000
depth = 50
"""
GATEWAYS: tuple[Callable[[Path, int, int], list[str]], ...] = (nginx, nginx_429, haproxy)


async def sweep_through_all(folder: Path) -> Path:
    """Sweep for a while, a model behind each of them, all at once; the file of results."""
    behind, ports = free_port(), [free_port() for _ in GATEWAYS]
    models = "".join(MODEL.format(n=n, port=port) for n, port in enumerate(ports))
    config = folder / "sweep.toml"
    config.write_text(f"[sweep]\nrepeats = 100000\n{models}{TASK}")
    settings = folder / "sim.toml"
    settings.write_text("[default_model]\nlatency = { first_token_s = 0.5, sigma = 0.2 }\n")
    simulate = [RUNNER, "simulate", "--port", str(behind), "--config", settings]
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running(simulate, behind))
        for make, port in zip(GATEWAYS, ports, strict=True):
            await stack.enter_async_context(running(make(folder, port, behind), port))
        db = folder / "r.duckdb"
        sweep = await asyncio.create_subprocess_exec(
            RUNNER, "sweep", config, "--db", db, "--plain", stdout=asyncio.subprocess.DEVNULL
        )
        try:
            async with asyncio.timeout(SWEPT_S):
                await sweep.wait()
        except TimeoutError:
            sweep.send_signal(signal.SIGINT)
        assert await sweep.wait() == 130
        return db


PER_SECOND = """
with bounds as (select max(finished_at) as stop from attempts where outcome = 'answered')
select model, count(*) filter (where outcome = 'answered') / 12, count(*) filter (where not final)
from attempts join trials using (trial_id) join cells using (cell_id), bounds
where finished_at between stop - interval 14 second and stop - interval 2 second
group by model order by model
"""


def test_limits_of_real_gateways_are_found_and_hardly_exceeded(tmp_path: Path):
    for program in ("nginx", "haproxy"):
        installed(program)
    db = asyncio.run(sweep_through_all(tmp_path))
    with duckdb.connect(db, read_only=True) as connection:
        rows = connection.execute(PER_SECOND).fetchall()
        ended = connection.execute("select distinct outcome from attempts where final").fetchall()
    assert len(rows) == len(GATEWAYS), rows
    for _, answered_per_s, refused in rows:
        # A busy machine sends late: far less than the nine tenths that a quiet one reaches.
        assert answered_per_s >= 0.5 * RATE, rows
        assert refused <= 0.3 * 12 * RATE, rows
    assert ended == [("answered",)], rows


@pytest.fixture(autouse=True)
def _not_on_windows() -> None:
    if sys.platform == "win32":
        pytest.skip("signals are sent to the sweep")
