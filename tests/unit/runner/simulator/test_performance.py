import pytest

from tests.fakes.simulator import make_settings, make_simulator
from tests.unit.runner.simulator.requests import ask


def test_latency_is_seeded_and_grows_with_tokens():
    latency = {"first_token_s": 0.5, "per_token_s": 0.1, "sigma": 0.3}
    settings = make_settings(latency=latency, reply="one two three four")
    times = []
    for _ in range(2):
        simulator, _clock = make_simulator(settings)
        times.append([ask(simulator, prompt=str(n)).duration_s for n in range(200)])
    assert times[0] == times[1]
    assert len(set(times[0])) > 150
    plain, _clock = make_simulator(make_settings(latency=latency | {"sigma": 0}, reply="a" * 40))
    output = ask(plain).entry
    assert output is not None
    whole = 0.5 + 0.1 * output.tally.total_output
    assert ask(plain).duration_s == pytest.approx(whole)
    streamed = ask(plain, stream=True)
    assert streamed.pieces[0].delay_s == pytest.approx(0.5)
    assert streamed.duration_s == pytest.approx(whole)
