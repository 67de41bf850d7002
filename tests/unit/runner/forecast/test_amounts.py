import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.config.models import LimitsConfig
from runner.forecast.amounts import Amount
from runner.forecast.forecast import ModelForecast, TaskForecast, reach, total
from runner.forecast.walltime import HOSTED, Load, Pace, WallTime, wall_time

QUICK = Pace(first_token_s=2.0, per_input_token_s=0, per_output_token_s=0, source="a test")


def task(*, usd: float | None, to_send: int = 10) -> TaskForecast:
    return TaskForecast(
        task="t",
        planned=to_send,
        done=0,
        over_window=0,
        to_send=to_send,
        input_tokens=Amount(low=1, expected=2, worst=3),
        output_tokens=Amount(),
        usd=None if usd is None else Amount(low=usd / 2, expected=usd, worst=usd * 2),
    )


def model(name: str, *, usd: float, seconds: float) -> ModelForecast:
    wall = WallTime(
        seconds=seconds, binding="requests", by_limit={}, slots=1, slots_assumed=False, pace=QUICK
    )
    return ModelForecast(
        model=name,
        simulated=False,
        tasks=[task(usd=usd)],
        notes=[],
        wall=wall,
        price_source="",
        tokens_source="",
        missing=None,
    )


def load(trials: float, input_tokens: float = 0, output_tokens: float = 0) -> Load:
    return Load(trials=trials, input_tokens=input_tokens, output_tokens=output_tokens)


def test_each_limit_can_bind():
    def binding(**limits: int) -> str:
        given = LimitsConfig.model_validate({"concurrency": 1000, **limits})
        return wall_time(load(6000, 12_000_000, 600_000), given, None, QUICK).binding

    assert binding(rpm=60) == "requests"
    assert binding(itpm=100_000) == "input tokens"
    assert binding(otpm=5000) == "output tokens"
    assert binding(tpm=100_000) == "tokens"
    assert binding(rpd=1000) == "requests per day"
    assert binding() == "slots x latency"


def test_a_full_bucket_is_free():
    limits = LimitsConfig.model_validate({"rpm": 60, "concurrency": 100})
    assert wall_time(load(58), limits, None, QUICK).by_limit["requests"] == pytest.approx(2)
    assert wall_time(load(118.8), limits, None, QUICK).by_limit["requests"] == pytest.approx(62)


def test_slots_and_latency():
    limits = LimitsConfig.model_validate({"concurrency": 4})
    assert wall_time(load(40), limits, None, QUICK).seconds == pytest.approx(20)
    assert wall_time(load(40), limits, 8, QUICK).seconds == pytest.approx(10)
    assert wall_time(load(3), limits, None, QUICK).seconds == pytest.approx(2)


def test_nothing_takes_no_time():
    found = wall_time(load(0), LimitsConfig(rpm=1), None, HOSTED)
    assert found.seconds == 0


def test_a_budget_reaches_by_time():
    # The quick one is through after 10 s and $10; the slow one spends $1 a second for 100 s.
    models = [model("quick", usd=10, seconds=10), model("slow", usd=100, seconds=100)]
    found = reach(60, 10, models)
    assert found.shares == {"quick": 1.0, "slow": pytest.approx(0.4)}
    assert found.seconds == pytest.approx(40)
    assert found.share == pytest.approx(0.7)


@given(
    st.floats(0, 1000),
    st.lists(st.tuples(st.floats(0, 100), st.floats(0.1, 1e5)), min_size=1, max_size=6),
)
def test_what_is_reached_costs_no_more_than_there_is(
    budget: float, models: list[tuple[float, float]]
):
    named = [model(str(n), usd=usd, seconds=s) for n, (usd, s) in enumerate(models)]
    found = reach(budget, 0, named)
    spent = sum(usd * found.shares[str(n)] for n, (usd, _) in enumerate(models))
    assert spent <= budget * (1 + 1e-9) + 1e-9 or found.share == 0
    assert spent == pytest.approx(min(budget, sum(usd for usd, _ in models)), rel=1e-6, abs=1e-6)


def test_an_unknown_price_makes_the_sum_unknown():
    assert total("all", [task(usd=1), task(usd=None)]).usd is None
    assert total("all", [task(usd=1), task(usd=None, to_send=0)]).usd == task(usd=1).usd
