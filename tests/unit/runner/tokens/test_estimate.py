from hypothesis import given
from hypothesis import strategies as st

from runner.tokens.estimate import ENVELOPE_TOKENS, TRUST_AFTER, Estimator, utf8_bytes
from runner.tokens.regression import TokenRegression
from tasks.facts import TextKind
from tasks.sample import Sample, user_prompt
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


def uuids(pairs: int) -> Sample:
    return sample("Read this and answer in one word. " * 15 + TEXT.prompt.messages[0].text * pairs)


def bill(prompt: Sample) -> int:
    """A vocabulary in which a frame and a haystack differ."""
    chars = prompt.prompt.chars
    return round(0.22 * 510 + 0.94 * (chars - 510)) + 4


def taught(*prompts: Sample) -> Estimator:
    estimator = Estimator("mystery", None)
    for prompt in prompts * TRUST_AFTER:
        estimator.observe("uuid", estimator.units(prompt), bill(prompt))
    return estimator


def test_short_prompts_do_not_lower_the_bound_of_long_ones():
    estimator = taught(sample(uuids(1).prompt.messages[0].text[:1500]))
    long = uuids(40)
    assert estimator.estimate(long).worst >= bill(long)


def test_two_lengths_are_enough_for_a_third():
    estimator = taught(uuids(1), uuids(3))
    long = uuids(100)
    assert abs(estimator.estimate(long).expected - bill(long)) < bill(long) * 0.001
    assert estimator.estimate(long).worst >= utf8_bytes(long.prompt)
    near = uuids(10)
    assert bill(near) <= estimator.estimate(near).worst < bill(near) * 1.12 + ENVELOPE_TOKENS


def test_earlier_bills_count_until_there_are_new_ones():
    earlier, now = taught(uuids(1)), taught(uuids(1))
    line = TokenRegression()
    for pairs in (1, 2, 4) * 2:
        line = line.seen(uuids(pairs).prompt.chars, 2 * bill(uuids(pairs)))
    earlier = Estimator("mystery", None)
    earlier.learn_earlier({"uuid": line})
    assert abs(earlier.estimate(uuids(3)).expected - 2 * bill(uuids(3))) <= 1
    now.learn_earlier({"uuid": line})
    assert abs(now.estimate(uuids(1)).expected - bill(uuids(1))) <= 1


def test_earlier_bills_correct_a_vocabulary_that_is_not_the_servers():
    estimator = Estimator("compat-model", exact_counter("o200k_base"))
    before = estimator.estimate(TEXT)
    line = TokenRegression()
    for length in (1000, 4000) * 3:
        line = line.seen(length, length * 0.94)
    estimator.learn_earlier({"uuid": line})
    after = estimator.estimate(TEXT)
    assert before.expected < after.expected
    assert abs(after.expected - 0.94 * TEXT.prompt.chars) <= 1
