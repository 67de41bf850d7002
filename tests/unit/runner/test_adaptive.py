from runner.adaptive import AdaptiveConcurrency, AdaptiveSettings


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def saturated_round(controller: AdaptiveConcurrency) -> int:
    limit = controller.limit
    for in_use in range(1, limit + 1):
        controller.acquired(in_use)
    for _ in range(limit):
        controller.succeeded()
    return controller.limit


def test_slow_start_doubles_up_to_the_maximum():
    controller = AdaptiveConcurrency(AdaptiveSettings(start=8, maximum=50), Time())
    assert [saturated_round(controller) for _ in range(4)] == [16, 32, 50, 50]


def test_a_round_that_did_not_use_the_limit_does_not_grow():
    controller = AdaptiveConcurrency(AdaptiveSettings(start=8), Time())
    controller.acquired(3)
    for _ in range(8):
        controller.succeeded()
    assert controller.limit == 8


def test_one_cut_per_episode_then_growth_by_one():
    time = Time()
    controller = AdaptiveConcurrency(AdaptiveSettings(start=32, episode_s=10), time)
    assert [controller.rate_limited(None) for _ in range(5)] == [16] * 5
    saturated_round(controller)
    assert controller.limit == 16  # still inside the episode
    time.now = 20.0
    assert saturated_round(controller) == 17
    assert controller.rate_limited(60.0) == 8
    time.now = 70.0
    assert controller.rate_limited(None) == 8  # the episode was stretched by Retry-After


def test_never_below_the_minimum():
    time = Time()
    controller = AdaptiveConcurrency(AdaptiveSettings(start=2), time)
    for step in range(5):
        time.now = step * 100.0
        controller.rate_limited(None)
    assert controller.limit == 1
