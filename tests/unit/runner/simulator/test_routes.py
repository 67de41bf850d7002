import pytest

from runner.simulator.routes import Route, route
from runner.simulator.traffic.exchange import Arrival


def routed(method: str, path: str, **headers: str) -> Route:
    return route(Arrival(method=method, path=path, headers=headers, body=b""))


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/v1/chat/completions", Route(page="chat")),
        ("POST", "/v1/messages", Route(page="chat", dialect="anthropic")),
        ("GET", "/v1/chat/completions", Route(page="none")),
        ("GET", "/v1/models", Route(page="models")),
        ("GET", "/elsewhere", Route(page="none")),
        (
            "POST",
            "/v1beta/models/m:generateContent",
            Route(page="chat", dialect="gemini", target="m:generateContent"),
        ),
        (
            "GET",
            "/v1beta/models/m:generateContent",
            Route(page="none", dialect="gemini", target="m:generateContent"),
        ),
    ],
)
def test_method_and_path_say_page_and_format(method: str, path: str, found: Route):
    assert routed(method, path) == found


def test_two_vendors_list_models_at_one_path():
    assert routed("GET", "/v1/models", **{"x-api-key": "k"}).dialect == "anthropic"
