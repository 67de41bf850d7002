from runner.simulator.traffic.exchange import Arrival
from tasks.sample import user_prompt
from tests.fakes.simulator import make_settings, make_simulator
from tests.unit.runner.simulator.requests import ask


def test_the_log_holds_the_hash_that_a_trial_holds():
    simulator, _ = make_simulator(make_settings())
    ask(simulator, "anthropic", "question", system="be brief")
    ask(simulator, "openai", "question")
    first, second = simulator.log.entries
    assert first.prompt_hash == user_prompt("question", system="be brief").hash()
    assert second.prompt_hash == user_prompt("ques", "tion").hash()


def test_the_key_is_kept_nowhere():
    simulator, _ = make_simulator(make_settings(script=["bad key", "ok", "500"]))
    exchanges = [ask(simulator, key="canary-key") for _ in range(3)]
    exchanges.append(simulator.respond(Arrival(method="GET", path="/simulator/log")))
    assert "canary-key" not in repr(exchanges) + repr(simulator.log.entries)
