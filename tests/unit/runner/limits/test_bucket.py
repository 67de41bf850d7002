import pytest

from runner.limits.bucket import BURST_SHARE, Bucket


def test_a_bucket_starts_full_and_refills_at_its_rate():
    bucket = Bucket(60, 60.0, 0.0)
    assert bucket.level(0.0) == 60 * BURST_SHARE
    bucket.take(50, 0.0)
    assert bucket.wait_s(20, 0.0) == pytest.approx(20 - (60 * BURST_SHARE - 50))
    assert bucket.level(1000.0) == 60 * BURST_SHARE


def test_an_amount_above_the_capacity_waits_for_a_full_bucket_and_leaves_a_debt():
    bucket = Bucket(100, 60.0, 0.0)
    assert bucket.wait_s(500, 0.0) == 0.0
    bucket.take(500, 0.0)
    assert bucket.level(0.0) == pytest.approx(98 - 500)
    assert bucket.wait_s(1, 0.0) == pytest.approx((500 - 98 + 1) / (100 / 60))


def test_giving_back_never_overfills():
    bucket = Bucket(100, 60.0, 0.0)
    bucket.take(-1000, 0.0)
    assert bucket.level(0.0) == 98


def test_resizing_keeps_what_was_taken():
    bucket = Bucket(100, 60.0, 0.0)
    bucket.take(60, 0.0)
    bucket.resize(1000, 60.0, 0.0)
    assert bucket.level(0.0) == pytest.approx(980 - 60)


def test_a_limit_of_one_is_a_whole_one():
    assert Bucket(1, 60.0, 0.0).wait_s(1, 0.0) == 0.0
