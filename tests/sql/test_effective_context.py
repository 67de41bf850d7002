"""Given curves, expected lengths: interpolation, crossings, the worst depth, caps and zero."""

import pytest

from tests.sql.facts import Facts, view

SINGLE = "needle_threading.single_needle"
MULTI = "needle_threading.multi_needle"
THREADS = "needle_threading.threading"
CHARS_PER_TOKEN = 2


def curve(facts, task, accuracy_by_size, model="alpha", window: int | None = 107_000, **axes):
    """Trials whose scores are the given means; 2 characters per token of returned usage."""
    for size, accuracy in accuracy_by_size.items():
        cell = facts.cell(task, size, model=model, window=window, **axes)
        usage = (size // CHARS_PER_TOKEN, 0, 0, 10, None)
        if accuracy is None:
            facts.trial(cell, outcome="blocked_output", chars=size, tokens=usage)
        else:
            facts.trial(cell, accuracy, chars=size, tokens=usage)
    return facts


def effective(facts, query="select * from effective_context"):
    return view(facts, query)


def test_reka_core_is_read_at_5000_characters():
    facts = Facts().sweep()
    for depth in range(0, 101, 10):
        curve(facts, SINGLE, {2000: 1.0, 4000: 1.0, 8000: 0.0, 16000: 0.0}, depth=depth)
    (row,) = effective(facts)
    assert row["effective_chars"] == pytest.approx(5000)
    assert row["limit_chars"] == pytest.approx(214_000)
    assert row["share"] == pytest.approx(5000 / 214_000)
    assert (row["axis"], row["threshold"], row["never_below"]) == ("depth", 0.75, False)


def test_of_depths_that_are_equally_bad_the_smallest_is_shown():
    facts = Facts().sweep()
    for depth in (100, 30, 0, 70):
        curve(facts, SINGLE, {2000: 1.0, 4000: 1.0, 8000: 0.0}, depth=depth)
    (row,) = effective(facts)
    assert row["axis_value"] == "0"


def test_never_at_the_threshold_is_below_the_shortest_length():
    facts = curve(Facts().sweep(), THREADS, {32_000: 0.74, 64_000: 0.5}, thread_length=5)
    (row,) = effective(facts)
    assert (row["effective_chars"], row["share"]) == (None, None)
    assert (row["effective"], row["bound_low"], row["bound_high"]) == ("< 32000", 0, 32_000)


def test_never_below_is_at_least_what_was_measured():
    facts = curve(Facts().sweep(), THREADS, {2000: 1.0, 2600: 0.9}, thread_length=5)
    (row,) = effective(facts)
    assert (row["effective_chars"], row["share"]) == (None, None)
    assert (row["effective"], row["bound_low"], row["bound_high"]) == (">= 2600", 2600, 107_000 * 2)
    assert (row["never_below"], row["measured_chars"]) == (True, 2600)


def test_a_model_that_holds_up_to_its_limit_has_all_of_it():
    facts = curve(Facts().sweep(), THREADS, {2000: 1.0, 8000: 1.0}, window=4000, thread_length=5)
    (row,) = effective(facts)
    assert (row["effective_chars"], row["share"], row["effective"]) == (8000, 1.0, "8000")


def test_bounds_of_the_worst_depth_are_those_of_any_that_may_be_the_worst():
    facts = Facts().sweep()
    curve(facts, SINGLE, {2000: 1.0, 4000: 1.0, 8000: 0.0}, depth=0)  # falls at 5000
    curve(facts, SINGLE, {2000: 1.0, 2600: 1.0}, depth=50)  # held as far as it was tried
    (row,) = effective(facts)
    assert (row["bound_low"], row["bound_high"]) == (2600, 5000)
    assert (row["effective"], row["effective_chars"]) == ("2600 .. 5000", None)


def test_without_a_known_limit_the_length_is_a_lower_bound_and_the_share_unknown():
    curves = {2000: 1.0, 8000: 0.9}
    facts = curve(Facts().sweep(), THREADS, curves, window=None, thread_length=5)
    (row,) = effective(facts)
    assert (row["effective_chars"], row["limit_chars"], row["share"]) == (None, None, None)
    assert (row["bound_low"], row["bound_high"], row["effective"]) == (8000, None, ">= 8000")


def test_a_crossing_beyond_the_limit_is_capped():
    facts = curve(Facts().sweep(), THREADS, {2000: 1.0, 8000: 0.0}, window=1500, thread_length=5)
    (row,) = effective(facts)
    assert (row["effective_chars"], row["limit_chars"]) == (3000, 3000)


def test_an_initial_low_stretch_is_passed_over_and_the_first_fall_counts():
    sizes = {1000: 0.2, 2000: 1.0, 4000: 0.5, 8000: 1.0, 16000: 0.0}
    for crossing, expected in (("first_down", 3000), ("last_down", 10_000)):
        facts = Facts().sweep(switches={"nt.ecl_crossing": crossing})
        (row,) = effective(curve(facts, THREADS, sizes, thread_length=5))
        assert row["effective_chars"] == pytest.approx(expected)


def test_the_worst_depth_counts():
    facts = Facts().sweep()
    curve(facts, SINGLE, {2000: 1.0, 4000: 1.0, 8000: 0.0}, depth=0)
    curve(facts, SINGLE, {2000: 1.0, 4000: 0.0, 8000: 0.0}, depth=50)
    curve(facts, SINGLE, {2000: 1.0, 4000: 1.0, 8000: 1.0}, depth=100)
    (row,) = effective(facts)
    assert (row["effective_chars"], row["axis_value"]) == (2500, "50")


@pytest.mark.parametrize(
    ("needles", "expected", "read_at"),
    [
        ({10: {2000: 1.0, 4000: 0.0}, 25: {2000: 0.0, 4000: 0.0}}, 2500, "10"),
        ({5: {2000: 1.0, 4000: 1.0}, 15: {2000: 1.0, 4000: 0.0}}, 3000, "10"),
        ({15: {2000: 1.0, 4000: 0.0}, 25: {2000: 0.0, 4000: 0.0}}, 2500, "15"),
        ({2: {2000: 1.0, 4000: 1.0}, 5: {2000: 1.0, 4000: 0.0}}, 2500, "5"),
    ],
)
def test_needles_are_read_at_ten_between_measured_values_or_at_the_nearest(
    needles, expected, read_at
):
    facts = Facts().sweep()
    for count, sizes in needles.items():
        curve(facts, MULTI, sizes, needles=count, placement="random")
    (row,) = effective(facts)
    assert row["effective_chars"] == pytest.approx(expected)
    assert row["axis_value"] == read_at


def test_other_axes_are_averaged_first():
    facts = Facts().sweep()
    curve(facts, THREADS, {2000: 1.0, 4000: 1.0}, thread_length=5, direction="forward")
    curve(facts, THREADS, {2000: 1.0, 4000: 0.0}, thread_length=5, direction="backward")
    (row,) = effective(facts)
    assert row["effective_chars"] == pytest.approx(3000)


def test_unanswered_sizes_are_gaps_but_wrong_in_the_strict_reading():
    sizes = {2000: 1.0, 4000: None, 8000: 1.0}
    facts = curve(Facts().sweep(), THREADS, sizes, thread_length=5)
    (row,) = effective(facts)
    assert row["never_below"]
    assert row["strict_chars"] == pytest.approx(2500)


def test_the_papers_pattern_of_zero_and_full_and_the_frontier_of_every_length():
    facts = Facts().sweep()
    curve(facts, THREADS, {2000: 1.0, 200_000: 0.8}, "strong", 100_000, thread_length=5)
    curve(facts, THREADS, {2000: 0.3, 200_000: 0.0}, model="weak", thread_length=5)
    curve(facts, THREADS, {2000: 1.0, 200_000: 0.0}, "strong", 100_000, thread_length=10)
    rows = effective(facts, "select model, share, effective from effective_context order by model")
    assert rows == [
        {"model": "strong", "share": 1.0, "effective": "200000"},
        {"model": "weak", "share": None, "effective": "< 2000"},
    ]
    at_ten = view(
        facts,
        "select effective_chars from context_frontier"
        " where x = 10 and measure = 'plain' and not is_reference",
    )
    assert at_ten[0]["effective_chars"] == pytest.approx(51_500)


def test_the_threshold_is_a_setting(tmp_path):
    facts = curve(Facts().sweep(), THREADS, {2000: 1.0, 4000: 0.0}, thread_length=5)
    with facts.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.execute(
            "create or replace view settings as select * replace (0.5::double as threshold)"
            " from (select 0.75::double as threshold, 1.96::double as z,"
            " 10::double as reference_needles, 5::double as reference_steps,"
            " 'first_down' as ecl_crossing, 'prompts' as ci_n, 'both' as fisher_alt,"
            " true as dedup, 'readme' as score_scale, 'all' as needlechain_rows,"
            " 'cluster' as interval_kind)"
        )
        found = connection.execute("select threshold, effective_chars from effective_context")
        assert found.fetchall() == [(0.5, 3000.0)]


def test_sizes_in_tokens_are_placed_at_the_length_of_their_prompts():
    facts = Facts().sweep()
    for size, value in ((1000, 1.0), (2000, 0.0)):
        cell = facts.cell("niah.magic_number", size, unit="tokens", depth=0)
        facts.trial(cell, value, chars=size * 4, tokens=(size, 0, 0, 5, None))
    (row,) = effective(facts)
    assert row["effective_chars"] == pytest.approx(5000)
    assert row["limit_chars"] == pytest.approx(4 * 128_000)
