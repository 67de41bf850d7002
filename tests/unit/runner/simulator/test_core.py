"""The simulated provider without a socket: headers, bills, caches, windows, keys, scripts."""

import pytest

from runner.simulator.core import MARK
from runner.simulator.spec.settings import SimulatorSettings
from runner.simulator.traffic.exchange import Arrival
from tests.fakes.simulator import make_settings, make_simulator
from tests.unit.runner.simulator.requests import DIALECTS, PATHS, ask, body_of


@pytest.mark.parametrize("dialect", DIALECTS)
def test_everything_is_marked(dialect: str):
    simulator, _ = make_simulator(make_settings(script=["429"]))
    exchanges = [ask(simulator, dialect) for _ in range(2)]
    for exchange in exchanges:
        assert MARK.items() <= exchange.headers.items()
    assert b"+simulated" in exchanges[1].body


def test_openai_limit_headers_and_refusal():
    simulator, clock = make_simulator(make_settings(limits={"rpm": 1, "tpm": 600}))
    good = ask(simulator)
    assert good.headers["x-ratelimit-limit-requests"] == "1"
    assert good.headers["x-ratelimit-remaining-requests"] == "0"
    assert good.headers["x-ratelimit-reset-requests"] == "1m0s"
    used = 600 - int(good.headers["x-ratelimit-remaining-tokens"])
    assert used == simulator.log.entries[0].tally.total_input + 1
    clock.now_s = 58.5
    refused = ask(simulator)
    assert refused.status == 429
    assert refused.headers["retry-after"] == "2"
    assert refused.headers["retry-after-ms"] == "1500"
    error = body_of(refused)["error"]
    assert error["code"] == "rate_limit_exceeded"
    assert "requests per min (RPM): Limit 1, Used 0, Requested 1" in error["message"]
    assert "try again in 1.5s" in error["message"]
    assert [entry.outcome for entry in simulator.log.entries] == ["replied", "rate_limited"]


def test_anthropic_limit_headers_and_refusal():
    limits = {"rpm": 10, "itpm": 10, "otpm": 60}
    simulator, _ = make_simulator(make_settings(limits=limits))
    good = ask(simulator, "anthropic")
    assert good.headers["anthropic-ratelimit-input-tokens-limit"] == "10"
    assert good.headers["anthropic-ratelimit-output-tokens-remaining"] == "59"
    assert good.headers["anthropic-ratelimit-output-tokens-reset"] == "2023-11-14T22:13:21Z"
    refused = ask(simulator, "anthropic")
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert "10 input tokens per minute" in body_of(refused)["error"]["message"]


def test_gemini_tells_its_limits_in_the_refusal():
    simulator, _ = make_simulator(make_settings(limits={"rpm": 1}))
    good = ask(simulator, "gemini")
    assert not [name for name in good.headers if "ratelimit" in name]
    error = body_of(ask(simulator, "gemini"))["error"]
    quota, retry = error["details"]
    assert error["status"] == "RESOURCE_EXHAUSTED"
    assert "PerMinute" in quota["violations"][0]["quotaId"]
    assert retry["retryDelay"] == "60s"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_daily_limit_says_day(dialect: str):
    simulator, _ = make_simulator(make_settings(limits={"rpd": 1}))
    ask(simulator, dialect)
    refused = ask(simulator, dialect)
    assert refused.status == 429
    assert b"day" in refused.body.lower()


def test_llama_wording():
    simulator, _ = make_simulator(make_settings(context_window=5, wording="llama.cpp"))
    error = body_of(ask(simulator, "openai", "more than five tokens"))["error"]
    assert error["type"] == "exceed_context_size_error"


def test_rejected_parameter():
    simulator, _ = make_simulator(make_settings(rejects=["max_tokens"]))
    error = body_of(ask(simulator))["error"]
    assert (error["code"], error["param"]) == ("unsupported_parameter", "max_tokens")


def test_output_is_cut_at_the_cap():
    simulator, _ = make_simulator(make_settings(reply="word " * 100))
    choice = body_of(ask(simulator, max_tokens=5))["choices"][0]
    assert choice["finish_reason"] == "length"
    assert 0 < len(choice["message"]["content"]) < 50
    assert simulator.log.entries[0].tally.total_output == 5


def test_reasoning_can_use_up_the_cap():
    simulator, _ = make_simulator(make_settings(reasoning={"tokens": 50}))
    body = body_of(ask(simulator, max_tokens=20))
    assert body["choices"][0]["message"]["content"] == ""
    assert body["choices"][0]["finish_reason"] == "length"
    assert body["usage"]["completion_tokens_details"]["reasoning_tokens"] == 20


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"{}", b'{"messages": 7}', b'{"messages": [1]}']
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_nonsense_is_a_bad_request(dialect: str, body: bytes):
    simulator, _ = make_simulator(make_settings())
    exchange = simulator.respond(Arrival(method="POST", path=PATHS[dialect], body=body))
    assert exchange.status == 400
    assert "error" in body_of(exchange)


def test_unknown_models_are_refused_where_models_are_strict():
    settings = SimulatorSettings.model_validate(
        {"strict_models": True, "models": {"m": {"reply": "a"}, "anthropic/m": {"reply": "b"}}}
    )
    simulator, _ = make_simulator(settings)
    assert ask(simulator, model="nobody").status == 404
    assert body_of(ask(simulator))["choices"][0]["message"]["content"] == "a"
    assert body_of(ask(simulator, "anthropic"))["content"][0]["text"] == "b"


@pytest.mark.parametrize("form", ["negative", "text", "null", "low", "high"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_wrong_usage_differs_from_the_bill(dialect: str, form: str):
    simulator, _ = make_simulator(
        make_settings(script=[f"wrong usage form={form}", "ok"], price={"input": 1})
    )
    wrong, right = (body_of(ask(simulator, dialect)) for _ in range(2))
    name = "usageMetadata" if dialect == "gemini" else "usage"
    assert wrong[name] != right[name]
    assert simulator.log.entries[0].cost_pusd == simulator.log.entries[1].cost_pusd > 0


def test_fault_rates_come_out_and_are_the_same_again():
    settings = make_settings(faults={"429": 0.2, "500": 0.1})
    runs = []
    for _ in range(2):
        simulator, _clock = make_simulator(settings)
        runs.append([ask(simulator, prompt=f"prompt {n}").status for n in range(2000)])
    assert runs[0] == runs[1]
    assert 340 < runs[0].count(429) < 460
    assert 150 < runs[0].count(500) < 250
