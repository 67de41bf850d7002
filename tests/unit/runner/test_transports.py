import importlib.util
from pathlib import Path

import pytest

from runner.clock import SystemClock
from runner.config import parse
from runner.errors import UsageError
from runner.providers.transport import AiohttpTransport
from runner.providers.wreq_transport import WreqTransport
from runner.transports import open_transport, require_transport


def test_transports_open_by_name():
    for name, kind in (("aiohttp", AiohttpTransport), ("wreq", WreqTransport)):
        require_transport(name, "sweep.toml")
        assert isinstance(open_transport(name, SystemClock()), kind)


def test_missing_extra_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    require_transport("aiohttp", "sweep.toml")
    with pytest.raises(UsageError) as caught:
        require_transport("wreq", "sweep.toml")
    text = str(caught.value)
    assert text.startswith("sweep.toml: sweep.transport: ")
    assert "runner[fast]" in text
    assert "\n" not in text


def test_config_names_the_transport():
    text = '[sweep]\ntransport = "{}"\n[[models]]\nid = "sim/x"\n[[tasks]]\nname = "niah.magic_number"\n'
    assert parse(text.format("wreq"), Path("a.toml")).transport == "wreq"
    with pytest.raises(UsageError, match=r"sweep\.transport"):
        parse(text.format("curl"), Path("a.toml"))
