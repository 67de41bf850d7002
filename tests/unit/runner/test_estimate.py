from hypothesis import given
from hypothesis import strategies as st

from runner.estimate import ENVELOPE_TOKENS, TRUST_AFTER, Estimator, utf8_bytes
from tasks.sample import Sample, TextKind, user_prompt
from tasks.tokens import exact_counter


def sample(text: str, kind: TextKind = "uuid") -> Sample:
    return Sample(prompt=user_prompt(text), target={}, kind=kind)


TEXT = sample("e3e70682-c209-4cac-629f-6fbed82c07cd " * 100)


def test_a_published_vocabulary_is_counted():
    counter = exact_counter("o200k_base")
    estimate = Estimator("gpt-4o", counter).estimate(TEXT)
    counted = TEXT.prompt.tokens(counter)
    assert counted <= estimate.expected <= counted + 10
    assert counted < estimate.worst < counted * 1.02 + ENVELOPE_TOKENS


def test_an_unknown_one_is_bounded_by_bytes_until_it_is_known():
    estimator = Estimator("mystery", None)
    before = estimator.estimate(TEXT)
    assert before.worst >= utf8_bytes(TEXT.prompt)
    assert before.low < before.expected < before.worst
    units = estimator.units(TEXT)
    for _ in range(TRUST_AFTER):
        estimator.observe("uuid", units, units // 2)
    after = estimator.estimate(TEXT)
    assert after.worst < before.worst * 0.6
    assert abs(after.expected - units // 2) <= 10


def test_kinds_are_learned_apart():
    estimator = Estimator("mystery", None)
    for _ in range(TRUST_AFTER):
        estimator.observe("prose", 1000, 200)
    assert estimator.estimate(TEXT) == Estimator("mystery", None).estimate(TEXT)


def test_a_wrong_vocabulary_is_corrected_upwards():
    counter = exact_counter("o200k_base")
    estimator = Estimator("compat-model", counter)
    units = estimator.units(TEXT)
    estimator.observe("uuid", units, int(units * 1.5))
    estimate = estimator.estimate(TEXT)
    assert estimate.worst >= units * 1.5
    assert abs(estimate.expected - units * 1.5) < 20


def test_a_short_prompt_teaches_nothing():
    estimator = Estimator("mystery", None)
    for _ in range(50):
        estimator.observe("uuid", 10, 60)
    assert estimator.estimate(TEXT) == Estimator("mystery", None).estimate(TEXT)


@given(st.text(max_size=300), st.lists(st.tuples(st.integers(256, 10**6), st.floats(0.05, 1.0))))
def test_the_order_of_the_three_numbers(text: str, seen: list[tuple[int, float]]):
    estimator = Estimator("mystery", None)
    for units, ratio in seen:
        estimator.observe("mixed", units, max(1, int(units * ratio)))
    estimate = estimator.estimate(sample(text, "mixed"))
    assert 0 <= estimate.low <= estimate.expected <= estimate.worst
