from http.client import HTTPConnection
from typing import Any

import pytest

from tests.http.conftest import Ask


def test_an_answer_carries_the_platforms_headers(ask: Ask) -> None:
    """A response has a content type, weak ETag, caching, request id, runtime and the security headers."""
    got = ask("GET", "/api/v4/version", Private_Token="ada-token")
    assert 200 == got.status
    assert "application/json" == got.headers["content-type"]
    assert got.headers["etag"].startswith('W/"')
    assert "max-age=0, private, must-revalidate" == got.headers["cache-control"]
    assert ("SAMEORIGIN", "nosniff") == (got.headers["x-frame-options"], got.headers["x-content-type-options"])
    assert {"x-request-id", "x-runtime"} <= got.headers.keys()


def test_a_tag_that_is_known_gets_304_without_a_body(ask: Ask) -> None:
    """If-None-Match with the ETag of a response gets 304 without a body."""
    first = ask("GET", "/api/v4/user", Private_Token="ada-token")
    again = ask("GET", "/api/v4/user", Private_Token="ada-token", If_None_Match=first.headers["etag"])
    assert (304, b"", first.headers["etag"]) == (again.status, again.content, again.headers["etag"])


def test_head_is_a_get_without_its_body(ask: Ask) -> None:
    """HEAD of a list has the totals and no body."""
    got = ask("HEAD", "/api/v4/projects", Private_Token="ada-token")
    assert (200, b"", "4") == (got.status, got.content, got.headers["x-total"])


def test_urls_start_with_the_origin_that_the_client_used(fakeplat: Any, ask: Ask) -> None:
    """URLs in responses start with the origin of the Host header."""
    port = fakeplat.url.rpartition(":")[2]
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", "some.localhost"):
        got = ask("GET", "/api/v4/projects/acme%2Fdocs", Host=host)
        assert f"http://{host}/acme/docs" == got.json()["web_url"]


def test_the_authority_of_an_absolute_target_beats_the_host_header(ask: Ask) -> None:
    """The authority of an absolute target beats the Host header."""
    got = ask("GET", "http://api.localhost/api/v4/projects/acme%2Fdocs", Host="localhost")
    assert "http://api.localhost/acme/docs" == got.json()["web_url"]


@pytest.mark.parametrize("target", ["/api/v4/version", "/acme/docs", "/_fakeplat/health"])
def test_a_foreign_host_is_refused(ask: Ask, target: str) -> None:
    """A request with a foreign Host header gets 400."""
    got = ask("GET", target, Host="evil.test")
    assert (400, ["error"]) == (got.status, list(got.json()))


@pytest.mark.fakeplat(base_url="https://code.example.test")
def test_a_base_url_beats_the_host_header(fakeplat: Any, ask: Ask) -> None:
    """URLs in responses start with the base URL, whatever the Host header."""
    port = fakeplat.served.port
    got = ask("GET", "/api/v4/projects/acme%2Fdocs", url=f"http://127.0.0.1:{port}")
    assert "https://code.example.test/acme/docs" == got.json()["web_url"]


def test_encoded_slashes_reach_the_platform(ask: Ask) -> None:
    """A full path with encoded slashes is one segment."""
    assert "kit" == ask("GET", "/api/v4/projects/acme%2Ftools%2Fkit", Private_Token="dev-token").json()["path"]


def test_a_trailing_json_is_no_part_of_the_path(ask: Ask) -> None:
    """A trailing `.json` is accepted after fixed text and after an id."""
    assert 200 == ask("GET", "/api/v4/projects.json").status
    number = ask("GET", "/api/v4/projects/acme%2Fdocs").json()["id"]
    assert "docs" == ask("GET", f"/api/v4/projects/{number}.json").json()["path"]


def test_a_body_over_the_limit_is_413(ask: Ask) -> None:
    """A JSON body over 10 MB gets 413."""
    body = b'{"name": "' + b"x" * (10 * 1024 * 1024) + b'"}'
    got = ask("POST", "/api/v4/projects", body, Private_Token="ada-token", Content_Type="application/json")
    assert (413, {"message": "413 Request Entity Too Large"}) == (got.status, got.json())


def test_cross_origin_readers_get_the_exposed_headers(ask: Ask) -> None:
    """A request from another origin is allowed without credentials and gets the exposed headers."""
    foreign = ask("GET", "/api/v4/projects", Origin="http://app.example.test")
    assert "*" == foreign.headers["access-control-allow-origin"]
    assert "Link, X-Total" == foreign.headers["access-control-expose-headers"][:13]
    assert "access-control-allow-credentials" not in foreign.headers


def test_many_requests_share_one_connection(fakeplat: Any) -> None:
    """The server keeps a connection open for further requests."""
    connection = HTTPConnection(fakeplat.url.removeprefix("http://"), timeout=10)
    connection.connect()
    own = connection.sock
    for _ in range(3):
        connection.request("GET", "/api/v4/version", headers={"PRIVATE-TOKEN": "ada-token"})
        connection.getresponse().read()
    assert own is connection.sock
    connection.close()


def test_a_preflight_allows_any_origin(ask: Ask) -> None:
    """A preflight request gets 200 with the allowed origin, methods and headers."""
    asked = {"Origin": "http://app.example.test", "Access_Control_Request_Method": "PUT"}
    got = ask("OPTIONS", "/api/v4/projects/1", Access_Control_Request_Headers="private-token", **asked)
    assert (200, "*") == (got.status, got.headers["access-control-allow-origin"])
    assert "PUT" in got.headers["access-control-allow-methods"].split(", ")
    assert "private-token" == got.headers["access-control-allow-headers"]


def test_bytes_in_headers_that_are_no_text_are_no_bug(ask: Ask) -> None:
    """Headers with bytes that are not UTF-8 cause no 500."""
    strange = {"Origin": b"http://\xff", "X_Fakeplat_Key": b"\xff", "Private_Token": b"\xff"}
    for target in ("/api/v4/projects", "/_fakeplat/health"):
        assert 400 == ask("GET", target, Host=b"\xff.localhost").status
    for name, value in strange.items():
        for target in ("/api/v4/projects", "/_fakeplat/health"):
            assert ask("GET", target, **{name: value}).status in (200, 401, 403)
    asked = {"Origin": "http://a.test", "Access_Control_Request_Method": "PUT"}
    assert 200 == ask("OPTIONS", "/api/v4/projects/1", Access_Control_Request_Headers=b"\xff", **asked).status
