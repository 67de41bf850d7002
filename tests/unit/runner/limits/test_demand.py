import pytest

from runner.limits.demand import Demand, Dimension
from runner.limits.limiter import Limiter
from tests.fakes.virtual_loop import run_virtual


def test_a_grant_is_settled_and_released_once():
    async def main() -> tuple[float, float]:
        limiter = Limiter(slots=2, limits={Dimension.INPUT_TOKENS: 60_000})
        grant = await limiter.acquire(Demand(input_tokens=10_000))
        grant.settle(4_000, None)
        once = limiter.statistics().levels["input_tokens"]
        grant.settle(0, None)
        grant.release(input_tokens=0)
        with pytest.raises(AssertionError, match="released once"):
            grant.release()
        assert limiter.slots == 2
        return once, limiter.statistics().levels["input_tokens"]

    once, twice = run_virtual(main())
    assert once == twice
