"""The simulated provider without a socket: headers, bills, caches, windows, keys, scripts."""

from typing import Any

import orjson
import pytest

from runner.simulator.core import MARK, Simulator
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from runner.simulator.traffic.exchange import Arrival, SimulatedExchange
from tasks.sample import user_prompt
from tests.fakes.simulator import make_settings, make_simulator

PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}
DIALECTS = tuple(PATHS)


def arrival(
    dialect: str = "openai",
    prompt: str = "hello",
    *,
    key: str = "",
    max_tokens: int = 100,
    stream: bool = False,
    **extra: Any,
) -> Arrival:
    if dialect == "gemini":
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {"maxOutputTokens": max_tokens},
        }
    else:
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "stream": stream,
        }
    return Arrival(
        method="POST",
        path=PATHS[dialect],
        headers={"authorization": f"Bearer {key}"} if key else {},
        body=orjson.dumps(body | extra),
    )


def ask(simulator: Simulator, *args: Any, finish: bool = True, **kwargs: Any) -> SimulatedExchange:
    exchange = simulator.respond(arrival(*args, **kwargs))
    if finish:
        simulator.finish(exchange.entry)
    return exchange


def body_of(exchange: SimulatedExchange) -> Any:
    return orjson.loads(exchange.body)


def test_the_log_holds_the_hash_that_a_trial_holds():
    simulator, _ = make_simulator(make_settings())
    ask(simulator, "anthropic", "question", system="be brief")
    ask(simulator, "openai", "question")
    first, second = simulator.log.entries
    assert first.prompt_hash == user_prompt("question", system="be brief").hash()
    assert second.prompt_hash == user_prompt("ques", "tion").hash()


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


def test_slots_are_free_again_when_a_reply_has_ended():
    simulator, _ = make_simulator(make_settings(limits={"concurrency": 1}))
    first = ask(simulator, finish=False)
    assert ask(simulator).status == 429
    simulator.finish(first.entry)
    assert ask(simulator).status == 200
    assert simulator.log.in_flight == 0
    assert simulator.log.max_in_flight == 2


WINDOW_WORDS = {
    "openai": "maximum context length is 50 tokens",
    "anthropic": "prompt is too long",
    "gemini": "exceeds the maximum number of tokens allowed (50)",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_over_context(dialect: str):
    simulator, _ = make_simulator(make_settings(context_window=50))
    refused = ask(simulator, dialect, "long words " * 100)
    assert refused.status == 400
    assert WINDOW_WORDS[dialect] in body_of(refused)["error"]["message"]
    assert simulator.log.bill().billed == 0
    assert ask(simulator, dialect, "short", max_tokens=10).status == 200


def test_anthropic_keeps_room_for_the_reply():
    simulator, _ = make_simulator(make_settings(context_window=50))
    message = body_of(ask(simulator, "anthropic", "short", max_tokens=100))["error"]["message"]
    assert "exceed context limit" in message


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


def test_the_cache_reads_common_prefixes_until_they_expire():
    cache = {"min_tokens": 128, "step_tokens": 128, "ttl_s": 300}
    simulator, clock = make_simulator(make_settings(cache=cache, limits={"itpm": 100_000}))
    prefix = "the same beginning " * 500
    usages = []
    for at_s, end in ((0, "a"), (1, "b"), (400, "c")):
        clock.now_s = at_s
        usages.append(body_of(ask(simulator, prompt=prefix + end))["usage"])
    cached = [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages]
    assert cached[0] == cached[2] == 0
    assert cached[1] % 128 == 0
    assert usages[1]["prompt_tokens"] - 300 < cached[1] <= usages[1]["prompt_tokens"]
    tally = simulator.log.entries[1].tally
    assert (tally.cache_read, tally.input) == (cached[1], usages[1]["prompt_tokens"] - cached[1])


def test_an_account_ends_with_its_credit():
    settings = SimulatorSettings(
        keys={"k": {"credit_usd": "0.00001"}},  # type: ignore[dict-item]
        default_model=ModelSettings.model_validate({"reply": "OK", "price": {"input": 1}}),
    )
    simulator, _ = make_simulator(settings)
    statuses = [ask(simulator, key="k").status for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    assert body_of(ask(simulator, key="k"))["error"]["code"] == "insufficient_quota"


def test_the_key_is_kept_nowhere():
    simulator, _ = make_simulator(make_settings(script=["bad key", "ok", "500"]))
    exchanges = [ask(simulator, key="canary-key") for _ in range(3)]
    exchanges.append(simulator.respond(Arrival(method="GET", path="/simulator/log")))
    assert "canary-key" not in repr(exchanges) + repr(simulator.log.entries)


def test_pages_are_not_counted_as_requests():
    simulator, _ = make_simulator(make_settings())
    ask(simulator)
    for path in ("/v1/models", "/v1/models/m", "/v1beta/models"):
        exchange = simulator.respond(Arrival(method="GET", path=path))
        simulator.finish(exchange.entry)
        assert exchange.status == 200
    lost = simulator.respond(Arrival(method="GET", path="/nowhere"))
    simulator.finish(lost.entry)
    assert lost.status == 404
    bill = body_of(simulator.respond(Arrival(method="GET", path="/simulator/bill")))
    assert (bill["requests"], bill["simulated"]) == (1, True)


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


def test_latency_is_seeded_and_grows_with_tokens():
    latency = {"first_token_s": 0.5, "per_token_s": 0.1, "sigma": 0.3}
    settings = make_settings(latency=latency, reply="one two three four")
    times = []
    for _ in range(2):
        simulator, _clock = make_simulator(settings)
        times.append([ask(simulator, prompt=str(n)).duration_s for n in range(200)])
    assert times[0] == times[1]
    assert len(set(times[0])) > 150
    plain, _clock = make_simulator(make_settings(latency=latency | {"sigma": 0}, reply="a" * 40))
    output = ask(plain).entry
    assert output is not None
    whole = 0.5 + 0.1 * output.tally.total_output
    assert ask(plain).duration_s == pytest.approx(whole)
    streamed = ask(plain, stream=True)
    assert streamed.pieces[0].delay_s == pytest.approx(0.5)
    assert streamed.duration_s == pytest.approx(whole)
