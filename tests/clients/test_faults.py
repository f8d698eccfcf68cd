"""Each kind of fault as real clients meet it, over real sockets: python-gitlab, on requests, and aiohttp."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp
import gitlab
import pytest
import requests

from fakeplat.harness.fake import Fakeplat
from tests.clients.server import serving

SITE = "acme/site"
CREATED = {"title": "Made under a fault"}


def build_client(fakeplat: Fakeplat, **options: Any) -> gitlab.Gitlab:
    """A python-gitlab that neither waits nor tries again."""
    return gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("ada"), **options)


def list_titles(fakeplat: Fakeplat) -> list[str]:
    return [issue.title for issue in fakeplat.world.project(SITE).issues]


def create_issue(fakeplat: Fakeplat, **options: Any) -> Any:
    return build_client(fakeplat, **options).projects.get(SITE, lazy=True).issues.create(CREATED)


STATUSES: list[tuple[int, str]] = [
    (400, "400 (Bad request)"),
    (401, "401 Unauthorized"),
    (403, "403 Forbidden"),
    (404, "404 Not Found"),
    (405, "405 Method Not Allowed"),
    (409, "409 Conflict"),
    (412, "412 Precondition Failed"),
    (422, "422 Unprocessable Entity"),
    (500, "500 Internal Server Error"),
]


@pytest.mark.parametrize(("status", "text"), STATUSES)
def test_python_gitlab_meets_a_status_with_the_platforms_text(fakeplat: Fakeplat, status: int, text: str) -> None:
    """A status fault raises the client's error with the platform's text, without a write."""
    fakeplat.faults.add(operation="create_issue", status=status, nth=1)
    with pytest.raises(gitlab.GitlabError) as met:
        create_issue(fakeplat)
    assert (status, text) == (met.value.response_code, str(met.value.error_message))
    assert CREATED["title"] not in list_titles(fakeplat)
    assert create_issue(fakeplat).title == CREATED["title"]


@pytest.mark.parametrize("status", [502, 503, 504])
def test_python_gitlab_meets_the_front_proxys_page(fakeplat: Fakeplat, status: int) -> None:
    """A fault of the front proxy has an HTML page as its body."""
    fakeplat.faults.add(operation="create_issue", status=status)
    with pytest.raises(gitlab.GitlabError) as met:
        create_issue(fakeplat)
    assert status == met.value.response_code
    assert met.value.response_body is not None
    assert met.value.response_body.startswith(b"<html>")


def test_python_gitlab_waits_for_retry_after_and_tries_again(fakeplat: Fakeplat) -> None:
    """The client repeats a request after a 429 with Retry-After."""
    fakeplat.faults.add(operation="create_issue", status=429, retry_after=0, nth=1)
    assert CREATED["title"] == create_issue(fakeplat).title
    assert [429, 201] == [entry.status for entry in fakeplat.requests.find(operation="create_issue")]


def test_python_gitlab_tries_again_after_a_transient_error(fakeplat: Fakeplat) -> None:
    """With retry_transient_errors the client repeats a request after each of two 503."""
    fakeplat.faults.add(operation="get_current_user", status=503, retry_after=0, nth=1)
    fakeplat.faults.add(operation="get_current_user", status=503, retry_after=0, nth=2)
    gl = build_client(fakeplat, retry_transient_errors=True)
    gl.auth()
    assert [503, 503, 200] == [entry.status for entry in fakeplat.requests.find(operation="get_current_user")]


@pytest.mark.parametrize(
    ("connection", "raised"),
    [
        ("reset", requests.ConnectionError),
        ("lost_reply", requests.ConnectionError),
        ("truncated", (requests.ConnectionError, requests.exceptions.ChunkedEncodingError)),
        ("timeout", requests.exceptions.ReadTimeout),
    ],
)
def test_python_gitlab_meets_a_broken_connection(fakeplat: Fakeplat, connection: str, raised: Any) -> None:
    """A broken connection raises the error of requests, and the write is done only if the response was lost."""
    fakeplat.faults.add(operation="create_issue", connection=connection)
    with pytest.raises(raised):
        create_issue(fakeplat, timeout=0.5)
    assert (connection in ("lost_reply", "truncated")) == (CREATED["title"] in list_titles(fakeplat))


def test_a_reset_is_reported_as_a_connection_error(fakeplat: Fakeplat) -> None:
    """A reset is reported as reset by the peer, and a lost reply as closed without a response."""
    fakeplat.faults.add(operation="create_issue", connection="reset", nth=1)
    fakeplat.faults.add(operation="create_issue", connection="lost_reply")
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        create_issue(fakeplat)
    with pytest.raises(requests.ConnectionError, match="without response"):
        create_issue(fakeplat)


def test_python_gitlab_meets_another_content_type(fakeplat: Fakeplat) -> None:
    """A response with the content type HTML is returned unparsed by the client."""
    fakeplat.faults.add(operation="get_version", content_type="text/html")
    got = build_client(fakeplat).http_get("/version")
    assert isinstance(got, requests.Response)
    assert "text/html" == got.headers["Content-Type"]


def test_a_late_answer_is_late_for_its_client_alone(fakeplat: Fakeplat) -> None:
    """A delayed request times out for its client, is done nevertheless, and does not block others."""
    fakeplat.faults.add(operation="create_issue", latency="30s")
    with pytest.raises(requests.exceptions.ReadTimeout):
        create_issue(fakeplat, timeout=0.3)
    assert CREATED["title"] in [
        issue.title for issue in build_client(fakeplat).projects.get(SITE).issues.list(get_all=True)
    ]


def test_a_short_delay_only_delays(fakeplat: Fakeplat) -> None:
    """A short delay does not change the response, and the journal names it."""
    fakeplat.faults.add(operation="create_issue", latency=0.01)
    assert CREATED["title"] == create_issue(fakeplat).title
    assert "fault 1: latency 0.01" == fakeplat.requests.one(operation="create_issue").reason


async def get_with_retries(fakeplat: Fakeplat, patience: float = 10.0) -> tuple[int, Any]:
    headers = {"PRIVATE-TOKEN": fakeplat.token("ada")}
    async with (
        aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(patience)) as session,
        session.post(f"{fakeplat.api_url}/projects/acme%2Fsite/issues", json=CREATED) as answer,
    ):
        return answer.status, await answer.json()


AIOHTTP: list[tuple[Mapping[str, Any], Any, bool]] = [
    ({"connection": "reset"}, aiohttp.ClientOSError, False),
    ({"connection": "lost_reply"}, aiohttp.ServerDisconnectedError, True),
    ({"connection": "truncated"}, aiohttp.ClientPayloadError, True),
    ({"connection": "timeout"}, TimeoutError, False),
    ({"latency": "30s"}, TimeoutError, True),
    ({"content_type": "text/html"}, aiohttp.ContentTypeError, True),
    ({"status": 502}, aiohttp.ContentTypeError, False),
]


@pytest.mark.parametrize(("fault", "raised", "done"), AIOHTTP)
async def test_aiohttp_meets_a_fault(fakeplat: Fakeplat, fault: Mapping[str, Any], raised: Any, done: bool) -> None:
    """A connection fault raises an error of aiohttp, and the kind of fault decides whether the write is done."""
    fakeplat.faults.add(operation="create_issue", **fault)
    with pytest.raises(raised):
        await get_with_retries(fakeplat, patience=0.5)
    assert done == (CREATED["title"] in list_titles(fakeplat))
    fakeplat.faults.clear()
    assert 201 == (await get_with_retries(fakeplat))[0]


@pytest.mark.parametrize(("status", "text"), STATUSES)
async def test_aiohttp_meets_a_status(fakeplat: Fakeplat, status: int, text: str) -> None:
    """aiohttp gets the status of a fault with the platform's own body."""
    fakeplat.faults.add(operation="create_issue", status=status)
    assert (status, {"message": text}) == await get_with_retries(fakeplat)


async def test_aiohttp_meets_a_limit(fakeplat: Fakeplat) -> None:
    """A 429 fault has the plain text and the headers of the throttle."""
    fakeplat.faults.add(path="version", status=429, retry_after=7)
    headers = {"PRIVATE-TOKEN": fakeplat.token("ada")}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(f"{fakeplat.api_url}/version") as answer,
    ):
        assert (429, "Retry later\n", "7") == (answer.status, await answer.text(), answer.headers["Retry-After"])
        assert "text/plain" == answer.content_type
        assert "0" == answer.headers["RateLimit-Remaining"]


def test_a_race_is_lost_to_somebody_else(fakeplat: Fakeplat) -> None:
    """An update of an issue that a callback has just deleted gets 404."""
    fakeplat.before("update_issue", lambda world: world.as_user("ada").delete("projects/acme%2Fsite/issues/2"))
    issues = build_client(fakeplat).projects.get(SITE).issues.list(get_all=True)
    (second,) = [issue for issue in issues if issue.iid == 2]
    second.title = "Too late"
    with pytest.raises(gitlab.GitlabUpdateError) as met:
        second.save()
    assert 404 == met.value.response_code
    assert ["delete_issue", "update_issue"] == [entry.operation for entry in fakeplat.requests][-2:]


def test_somebody_changes_what_the_client_has_just_written(fakeplat: Fakeplat) -> None:
    """A callback after an update changes the issue, but not the response of the update."""
    url = "projects/acme%2Fsite/issues/2"
    fakeplat.after("update_issue", lambda world: world.as_user("mia").put(url, json={"title": "Mine"}))
    issue = build_client(fakeplat).projects.get(SITE).issues.get(2)
    issue.title = "Hers"
    issue.save()
    assert "Hers" == issue.title
    assert "Mine" == build_client(fakeplat).projects.get(SITE).issues.get(2).title


def test_a_server_explains_to_everybody(tmp_path: Path) -> None:
    """With `serve --explain` each refusal has its reason in a header."""
    with serving(tmp_path, "--explain") as announced:
        answer = requests.get(f"{announced['api_url']}/projects/acme%2Fsite", timeout=10)
    assert (404, {"message": "404 Project Not Found"}) == (answer.status_code, answer.json())
    reason = "project acme/site (5001) is private and hidden from an anonymous caller"
    assert reason in answer.headers["X-Fakeplat-Reason"]
