from runner.limits.slots import AdaptiveConcurrency, AdaptiveSettings


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def saturated_round(controller: AdaptiveConcurrency) -> int:
    """All that were in flight come back, and as many as may go out take their place."""
    for _ in range(controller.limit):
        controller.acquired(controller.limit)
        controller.succeeded()
    return controller.limit


def test_slow_start_doubles_up_to_the_maximum():
    controller = AdaptiveConcurrency(AdaptiveSettings(start=8, maximum=50), Time())
    assert [saturated_round(controller) for _ in range(4)] == [16, 32, 50, 50]


def test_slow_start_adds_one_slot_a_reply_and_never_a_burst():
    controller = AdaptiveConcurrency(AdaptiveSettings(start=8), Time())
    controller.acquired(8)
    assert controller.succeeded() == 9
    assert controller.succeeded() == 9  # the ninth was not used yet


def test_a_round_that_did_not_use_the_limit_does_not_grow():
    controller = AdaptiveConcurrency(AdaptiveSettings(start=8), Time())
    controller.acquired(3)
    for _ in range(8):
        controller.succeeded()
    assert controller.limit == 8


def test_named_slots_grow_without_replies_and_others_wait_for_them():
    named = AdaptiveConcurrency(AdaptiveSettings(start=2, maximum=64, patience_s=1.0), Time())
    elapsed = 0.0
    while (step_s := named.step_s) is not None:
        elapsed += step_s
        named.waited()
    assert named.limit == 64
    assert 3.0 < elapsed < 4.5
    found = AdaptiveConcurrency(AdaptiveSettings(), Time())
    assert (found.step_s, found.waited()) == (None, 2)


def test_a_known_rate_opens_all_slots():
    controller = AdaptiveConcurrency(AdaptiveSettings(maximum=100), Time())
    assert (controller.open(), controller.resumed(3)) == (100, 100)


def test_after_a_pause_slow_start_leads_back_to_what_the_cut_left():
    time = Time()
    controller = AdaptiveConcurrency(AdaptiveSettings(maximum=100), time)
    while controller.limit < 40:
        controller.acquired(controller.limit)
        controller.succeeded()
    controller.acquired(40)
    assert controller.rate_limited(None) == 28
    assert controller.resumed(6) == 7
    assert saturated_round(controller) == 7, "one by one at first"
    time.now = 1.0
    assert [saturated_round(controller) for _ in range(3)] == [14, 28, 28]


def test_a_cut_is_of_what_was_in_flight_not_of_what_might_have_been():
    controller = AdaptiveConcurrency(AdaptiveSettings(maximum=500), Time())
    controller.open()
    controller.acquired(12)
    assert controller.rate_limited(None) == 8


def test_one_cut_per_episode_then_growth_by_one():
    time = Time()
    controller = AdaptiveConcurrency(AdaptiveSettings(start=32, episode_s=10), time)
    assert [controller.rate_limited(None) for _ in range(5)] == [22] * 5
    saturated_round(controller)
    assert controller.limit == 22  # still inside the episode
    time.now = 20.0
    assert saturated_round(controller) == 23
    assert controller.rate_limited(60.0) == 15
    time.now = 70.0
    assert controller.rate_limited(None) == 15  # the episode was stretched by Retry-After


def test_sends_are_spread_over_a_round_trip_while_neither_slots_nor_rate_are_known():
    controller = AdaptiveConcurrency(AdaptiveSettings(start=8, maximum=10), Time())
    assert controller.gap_s == 0.0, "nothing came back yet"
    for _ in range(99):
        controller.took(4.0)
    assert controller.gap_s == 4.0 / 16
    for _ in range(99):
        controller.took(2.0)
    assert round(controller.gap_s, 3) == 2.0 / 16, "the latest ones count"
    saturated_round(controller)
    assert (controller.limit, controller.gap_s) == (10, 0.0), "nothing is left to find out"
    controller.rate_limited(None)
    assert controller.gap_s > 0.0
    controller.open()
    assert controller.gap_s == 0.0


def test_never_below_the_minimum():
    time = Time()
    controller = AdaptiveConcurrency(AdaptiveSettings(start=2), time)
    for step in range(5):
        time.now = step * 100.0
        controller.rate_limited(None)
    assert controller.limit == 1
