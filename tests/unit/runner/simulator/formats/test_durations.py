import pytest

from runner.simulator.formats.durations import go_duration, rfc3339, whole_seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.12, "120ms"), (0.0001, "1ms"), (1.5, "1.5s"), (360, "6m0s"), (3603, "1h0m3s")],
)
def test_a_duration_is_spelt_as_in_go(seconds: float, text: str):
    assert go_duration(seconds) == text


def test_a_moment_is_whole_seconds_in_utc():
    assert rfc3339(0, 61.5) == "1970-01-01T00:01:01Z"


def test_seconds_are_rounded_up_and_never_none():
    assert [whole_seconds(s) for s in (0, 0.2, 1.0, 1.01)] == ["1", "1", "1", "2"]
