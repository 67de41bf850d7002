from tests.fakes.simulator import make_settings, make_simulator
from tests.unit.runner.simulator.requests import ask, body_of


def test_the_cache_reads_common_prefixes_until_they_expire():
    cache = {"min_tokens": 128, "step_tokens": 128, "ttl_s": 300}
    simulator, clock = make_simulator(make_settings(cache=cache, limits={"itpm": 100_000}))
    prefix = "the same beginning " * 500
    usages = []
    for at_s, end in ((0, "a"), (1, "b"), (400, "c")):
        clock.now_s = at_s
        usages.append(body_of(ask(simulator, prompt=prefix + end))["usage"])
    cached = [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages]
    assert cached[0] == cached[2] == 0
    assert cached[1] % 128 == 0
    assert usages[1]["prompt_tokens"] - 300 < cached[1] <= usages[1]["prompt_tokens"]
    tally = simulator.log.entries[1].tally
    assert (tally.cache_read, tally.input) == (cached[1], usages[1]["prompt_tokens"] - cached[1])
