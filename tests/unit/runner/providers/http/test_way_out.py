from pathlib import Path

import pytest
from yarl import URL

from runner.errors import UsageError
from runner.providers.http.way_out import environment_proxy, trusted
from tests.fakes.own_authority import make_authority

API = URL("http://api.example.com/v1")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize("text", ["127.0.0.1:3128", "http://127.0.0.1:3128", " 127.0.0.1:3128 "])
def test_a_proxy_without_a_scheme_is_an_http_proxy(monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setenv("http_proxy", text)
    assert environment_proxy(API) == URL("http://127.0.0.1:3128")


@pytest.mark.parametrize("scheme", ["socks5", "socks5h", "socks4", "socks", "ftp"])
@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy", "http_proxy"])
def test_a_proxy_of_another_kind_is_refused_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, scheme: str
):
    monkeypatch.setenv(variable, f"{scheme}://user:secret@127.0.0.1:1080")
    with pytest.raises(UsageError, match=f"{variable}: {scheme} ") as caught:
        environment_proxy(API)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "url", "direct"),
    [
        ("*", "http://api.example.com", True),
        ("example.com", "http://api.example.com", True),
        (".example.com", "http://api.example.com", True),
        ("*.example.com", "http://api.example.com", True),
        ("EXAMPLE.com", "http://example.com", True),
        ("ample.com", "http://example.com", False),
        ("127.0.0.0/8", "http://127.0.0.1:8000", True),
        ("10.0.0.0/8, 127.0.0.0/8", "http://127.0.0.1:8000", True),
        ("10.0.0.0/8", "http://127.0.0.1:8000", False),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("127.0.0.1:8001", "http://127.0.0.1:8000", False),
        ("localhost:8000 other", "http://localhost:8000", True),
        ("fd00::/8", "http://[fd00::1]:8000", True),
        ("[::1]:8000", "http://[::1]:8000", True),
        ("::1", "http://[::1]:8000", True),
        ("nonsense/99", "http://api.example.com", False),
        ("", "http://api.example.com", False),
    ],
)
def test_no_proxy_is_read_as_other_clients_read_it(
    monkeypatch: pytest.MonkeyPatch, said: str, url: str, direct: bool
):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:3128")
    monkeypatch.setenv("no_proxy", said)
    assert (environment_proxy(URL(url)) is None) is direct


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_an_authority_of_the_environment_is_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
):
    authority = make_authority(tmp_path)
    before = len(trusted().get_ca_certs())
    monkeypatch.setenv(variable, str(authority))
    names = [str(each.get("subject")) for each in trusted().get_ca_certs()]
    assert variable == "SSL_CERT_FILE" or len(names) == before + 1
    monkeypatch.setenv(variable, str(tmp_path / "none.pem"))
    with pytest.raises(UsageError, match=variable):
        trusted()


def test_a_bundle_without_certificates_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("nothing")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with pytest.raises(UsageError, match="REQUESTS_CA_BUNDLE"):
        trusted()
