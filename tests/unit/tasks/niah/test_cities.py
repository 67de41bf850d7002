from collections import Counter
from random import Random

import pytest

from tasks.niah.cities import CITIES, draw_city


def test_cities_are_distinct_and_weighted_on_request() -> None:
    assert len(set(CITIES)) == len(CITIES) == 69
    rng = Random(0)
    plain = Counter(draw_city(rng, weighted=False) for _ in range(20_000))
    weighted = Counter(draw_city(rng, weighted=True) for _ in range(20_000))
    assert plain["Chicago"] == pytest.approx(20_000 / 69, rel=0.25)
    assert weighted["Chicago"] == pytest.approx(20_000 * 4 / 100, rel=0.1)
    assert weighted["Kigali"] == pytest.approx(20_000 * 3 / 100, rel=0.15)
    assert weighted["Warsaw"] == pytest.approx(20_000 * 1 / 100, rel=0.25)
