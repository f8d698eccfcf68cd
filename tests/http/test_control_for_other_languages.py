"""Control routes for tests in other languages: pages of the logs, waits, fragments and ports."""

import asyncio
from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

import httpx
import pytest

from fakeplat.harness.fake import Fakeplat

SITE = "/api/v4/projects/acme%2Fsite"
ADA = {"PRIVATE-TOKEN": "ada-token"}


@pytest.fixture
async def control(fakeplat: Fakeplat) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=fakeplat.url) as client:
        yield client


async def ask(control: httpx.AsyncClient, path: str, **query: Any) -> Any:
    return (await control.get(f"/_fakeplat/{path}", params=query)).json()


async def test_requests_are_listed_in_pages(fakeplat: Fakeplat, control: httpx.AsyncClient) -> None:
    """A limit selects the last requests, or with `after` the first ones after that number."""
    for _ in range(5):
        fakeplat.as_user("ada").get("version")
    fakeplat.as_user("ada").get("user")
    numbers = {
        query: [entry["number"] for entry in await ask(control, "requests", **dict(httpx.QueryParams(query)))]
        for query in ("limit=2", "after=2", "after=2&limit=2", "after=6", "limit=0", "operation=get_version&limit=1")
    }
    assert {
        "limit=2": [5, 6],
        "after=2": [3, 4, 5, 6],
        "after=2&limit=2": [3, 4],
        "after=6": [],
        "limit=0": [],
        "operation=get_version&limit=1": [5],
    } == numbers


async def test_a_request_is_awaited(control: httpx.AsyncClient) -> None:
    """A waiting query for requests is answered as soon as a new matching request has been sent."""
    await control.get("/api/v4/user", headers=ADA)
    waiting = asyncio.create_task(ask(control, "requests", operation="get_user", after=1, wait="30s"))
    other = asyncio.create_task(ask(control, "requests", operation="create_issue", wait="30s"))
    await control.post(f"{SITE}/issues", headers=ADA, json={"title": "x"})
    assert ["create_issue"] == [entry["operation"] for entry in await other]
    assert not waiting.done()
    waiting.cancel()


async def test_a_wait_ends(control: httpx.AsyncClient) -> None:
    """A wait ends with an empty list after its time, or at once if there are matching requests."""
    started = monotonic()
    assert [] == await ask(control, "requests", wait="50ms")
    await control.get("/api/v4/user", headers=ADA)
    assert 1 == len(await ask(control, "requests", wait="60"))
    assert monotonic() - started < 30


async def test_a_delivery_is_awaited(control: httpx.AsyncClient) -> None:
    """A waiting query for deliveries is answered as soon as a matching delivery has ended."""
    await control.post(f"{SITE}/hooks", headers=ADA, json={"url": "https://bot.example.test", "issues_events": True})
    waiting = asyncio.create_task(ask(control, "deliveries", trigger="issue", wait="30s"))
    await control.post(f"{SITE}/issues", headers=ADA, json={"title": "x"})
    assert [("issue_hooks", "held_back")] == [(each["trigger"], each["state"]) for each in await waiting]
    assert [] == await ask(control, "deliveries", after=1)
    assert [1] == [each["id"] for each in await ask(control, "deliveries", limit=3)]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("after=x", "after: 'x' is not a number"),
        ("limit=-1", "limit: '-1' is not a number"),
        ("wait=soon", "wait: 'soon' is not a duration; write 1h30m, 2s or 250ms"),
        ("wait=2m", "wait: at most 60s, not 2m; repeat the request instead"),
        ("waits=2s", "query: unknown key 'waits'; did you mean wait?"),
    ],
)
@pytest.mark.parametrize("path", ["requests", "deliveries"])
async def test_a_wrong_page(control: httpx.AsyncClient, path: str, query: str, error: str) -> None:
    """A wrong page gets 400 and a message that says what is wrong."""
    response = await control.get(f"/_fakeplat/{path}?{query}")
    assert (400, {"error": error}) == (response.status_code, response.json())


async def test_a_fragment_is_loaded(fakeplat: Fakeplat, control: httpx.AsyncClient) -> None:
    """Loading a fragment adds records to the running world and names them in the response."""
    fragment = {"projects": [{"path_with_namespace": "acme/site", "labels": [{"name": "stale", "color": "#cccccc"}]}]}
    response = await control.post("/_fakeplat/load", json=fragment)
    assert (200, {"labels": ["acme/site~stale"]}) == (response.status_code, response.json()["created"])
    assert fakeplat.world.project("acme/site").label("stale")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("[]", "the body is not a JSON object"),
        ('{"projcts": []}', "$.projcts: unknown key 'projcts', did you mean 'projects'?"),
        ('{"seed": 7}', "$.seed: 'seed' cannot be changed after the world has started"),
    ],
)
async def test_a_wrong_fragment(fakeplat: Fakeplat, control: httpx.AsyncClient, body: str, error: str) -> None:
    """A wrong fragment gets 400 and changes nothing."""
    with fakeplat.changes() as changes:
        response = await control.post("/_fakeplat/load", content=body)
    assert (400, {"error": error}, False) == (response.status_code, response.json(), bool(changes))


async def test_a_world_on_a_chosen_port(control: httpx.AsyncClient, unused_tcp_port: int) -> None:
    """A world can be opened on a chosen port, and a port in use is a conflict."""
    response = await control.post("/_fakeplat/worlds", json={"port": unused_tcp_port})
    assert (201, f"http://127.0.0.1:{unused_tcp_port}") == (response.status_code, response.json()["url"])
    response = await control.post("/_fakeplat/worlds", json={"port": unused_tcp_port})
    taken = f"port: Address already in use: 127.0.0.1:{unused_tcp_port}; port 0 selects a free one"
    assert (409, {"error": taken}) == (response.status_code, response.json())
    response = await control.post("/_fakeplat/worlds", json={"port": "x"})
    assert (400, {"error": "fakeplat: port must be a number from 0 to 65535, not 'x'"}) == (
        response.status_code,
        response.json(),
    )


async def test_a_key_of_the_instance_in_the_wrong_place(control: httpx.AsyncClient) -> None:
    """The error for a misplaced key of the instance says where it belongs."""
    response = await control.post("/_fakeplat/worlds", json={"tier": "premium"})
    assert {"error": "body: unknown key 'tier'; it is a key of 'instance'"} == response.json()


async def test_an_unknown_route(control: httpx.AsyncClient) -> None:
    """The error for an unknown control route names the closest one, or where all are described."""
    errors = [(await control.get(f"/_fakeplat/{path}")).json()["error"] for path in ("request", "xyz")]
    assert [
        "no control route /_fakeplat/request; did you mean /_fakeplat/requests?",
        "no control route /_fakeplat/xyz; /_fakeplat/openapi.json describes all",
    ] == errors
