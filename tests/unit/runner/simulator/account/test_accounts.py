from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from tests.fakes.simulator import make_simulator
from tests.unit.runner.simulator.requests import ask, body_of


def test_limits_are_apart_for_each_account_and_model():
    settings = SimulatorSettings.model_validate(
        {
            "keys": {"one": {}, "two": {}},
            "default_model": {"reply": "OK", "limits": {"rpm": 1}},
        }
    )
    simulator, _ = make_simulator(settings)
    statuses = [
        ask(simulator, key="one").status,
        ask(simulator, key="two").status,
        ask(simulator, key="one", model="other").status,
        ask(simulator, key="one").status,
        ask(simulator, key="three").status,
    ]
    assert statuses == [200, 200, 200, 429, 401]


def test_models_of_one_group_share_their_buckets_and_slots():
    shared = {"reply": "OK", "limits": {"rpm": 2, "concurrency": 1, "group": "all"}}
    settings = SimulatorSettings.model_validate(
        {"models": {"a": shared, "b": shared}, "default_model": {"reply": "OK"}}
    )
    simulator, _ = make_simulator(settings)
    first = ask(simulator, model="a", finish=False)
    assert [first.status, ask(simulator, model="b").status] == [200, 429]  # the slot is taken
    simulator.finish(first.entry)
    assert [ask(simulator, model=name).status for name in "bab"] == [200, 429, 429]
    assert ask(simulator, model="elsewhere").status == 200


def test_an_account_ends_with_its_credit():
    settings = SimulatorSettings(
        keys={"k": {"credit_usd": "0.00001"}},  # type: ignore[dict-item]
        default_model=ModelSettings.model_validate({"reply": "OK", "price": {"input": 1}}),
    )
    simulator, _ = make_simulator(settings)
    statuses = [ask(simulator, key="k").status for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    assert body_of(ask(simulator, key="k"))["error"]["code"] == "insufficient_quota"
