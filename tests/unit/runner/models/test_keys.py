import pickle

import pytest

from runner.config.models import ModelConfig
from runner.errors import UsageError
from runner.models.keys import read_key, read_keys
from runner.models.spec import resolve
from runner.secret import Secret

CANARY = "canary-0123456789"


def model(id: str, **settings):
    return resolve(ModelConfig(id=id, **settings), 0)


def test_a_key_is_read_by_name() -> None:
    found = read_key(model("openai/gpt-4o"), {"OPENAI_API_KEY": f" {CANARY}\n"}, "s.toml")
    assert found == Secret(CANARY)
    assert found is not None
    assert found.reveal() == CANARY


def test_google_has_two_names() -> None:
    google = model("google/gemini-2.5-pro")
    assert read_key(google, {"GOOGLE_API_KEY": CANARY}, "s.toml") == Secret(CANARY)
    both = {"GOOGLE_API_KEY": "other", "GEMINI_API_KEY": CANARY}
    assert read_key(google, both, "s.toml") == Secret(CANARY)


def test_servers_without_a_key_need_none() -> None:
    for wanted in (
        model("local/smollm2-135m-instruct"),
        model("sim/x"),
        model("compat/x", base_url="http://h/v1"),
    ):
        assert read_key(wanted, {}, "s.toml") is None


@pytest.mark.parametrize("environ", [{}, {"MINE": ""}, {"MINE": "  "}])
def test_a_missing_key_names_file_key_and_variable(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        read_keys([model("openai/gpt-4o", api_key_env="MINE")], environ, "s.toml")
    assert str(caught.value).startswith(
        "s.toml: models[openai/gpt-4o].api_key_env: the environment variable MINE is not set"
    )


def test_a_broken_key_is_refused_without_showing_it() -> None:
    environ = {"OPENAI_API_KEY": f"{CANARY}\nX-Injected: 1"}
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds characters") as caught:
        read_key(model("openai/gpt-4o"), environ, "s.toml")
    assert CANARY not in str(caught.value)


def test_a_secret_never_shows_itself() -> None:
    secret = Secret(CANARY)
    for shown in (repr(secret), str(secret), f"{secret}", f"{[secret]}", f"{({'a': secret},)}"):
        assert CANARY not in shown
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert hash(secret) == hash(Secret(CANARY))


@pytest.mark.parametrize("value", ['"sk-1"', "'sk-1'", "`sk-1`", "sk 1", "sk\u20111"])
def test_quotes_around_a_key_are_told_and_not_sent(value: str) -> None:
    with pytest.raises(UsageError, match=r"quotes\?") as told:
        read_key(model("openai/gpt-4o"), {"OPENAI_API_KEY": value}, "s.toml")
    assert value not in str(told.value)
