import resource
from collections.abc import Generator

import pytest

from runner.errors import UsageError
from runner.providers.http.open_files import RESERVED, raise_open_files


@pytest.fixture
def limits() -> Generator[tuple[int, int]]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield before
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_limit_is_raised_to_what_is_needed_and_never_lowered(limits: tuple[int, int]):
    _, hard = limits
    low = 512
    resource.setrlimit(resource.RLIMIT_NOFILE, (low, hard))
    assert raise_open_files(10) == low
    assert raise_open_files(low) == low + RESERVED
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (low + RESERVED, hard)


def test_hard_limit_that_is_too_low_is_one_clear_line(
    limits: tuple[int, int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (512, 1024))
    with pytest.raises(UsageError, match="concurrency = 2000 needs 2128 open files") as caught:
        raise_open_files(2000)
    assert "\n" not in str(caught.value)
