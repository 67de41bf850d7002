from typing import Any

import pytest

from runner.config.no_keys import refuse_keys
from runner.errors import UsageError


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"sweep": {"api-key": "x"}}, "sweep.api-key"),
        ({"models": [{"id": "a"}, {"Token": 1}]}, r"models\[1\].Token"),
        ({"note": "uses sk-abcdefgh12345"}, "note"),
        ({"headers": {"Authorization": {"a": "b"}}}, "headers.Authorization"),
    ],
)
def test_a_key_is_refused_by_its_place_and_never_shown(document: dict[str, Any], place: str):
    with pytest.raises(UsageError, match=f"c.toml: {place}: keys are never read") as refused:
        refuse_keys(document, "c.toml")
    assert "abcdefgh" not in str(refused.value)


def test_the_name_of_a_variable_is_no_key():
    refuse_keys({"models": [{"api_key_env": "MY_KEY", "params": {"max_tokens": 9}}]}, "c.toml")
