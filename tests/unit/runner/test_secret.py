import pickle

import pytest

from runner.secret import Secret


def test_a_secret_shows_itself_only_when_asked():
    key = Secret("sk-canary")
    assert "canary" not in f"{key} {key!r} {[key]}"
    assert key.reveal() == "sk-canary"
    assert {key, Secret("sk-canary")} == {key}
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(key)
