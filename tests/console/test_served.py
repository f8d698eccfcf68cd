"""The console at the port of a world, through an ASGI application, and where the platform's pages lead to it."""

import re
from html import unescape

import httpx
import pytest

import fakeplat
from fakeplat.harness.fake import Fakeplat
from tests.console.test_requests import REASON

HTML = "text/html; charset=utf-8"


@pytest.mark.parametrize("path", ["/_fakeplat/", "/_fakeplat", "/_fakeplat/?x=1"])
def test_the_console_is_at_the_port_of_each_world(fakeplat: Fakeplat, path: str) -> None:
    """The console is served at the port of each world, with or without a final slash."""
    page = httpx.get(f"{fakeplat.url}{path}")
    assert (200, HTML, True) == (
        page.status_code,
        page.headers["Content-Type"],
        f"{fakeplat.url}/_fakeplat/" in page.text,
    )


def test_its_requests_are_not_those_of_a_client(fakeplat: Fakeplat) -> None:
    """Requests to the console are not in the journal."""
    httpx.get(f"{fakeplat.url}/_fakeplat/console/requests")
    assert 0 == len(fakeplat.requests)


async def test_events_come_through_other_servers() -> None:
    """The ASGI application sends the events so far to a client that does not accept a stream."""
    with fakeplat.start(listen=False) as world:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(world.asgi), base_url="http://localhost") as client:
            await client.get("/api/v4/projects/acme%2Fsite", headers={"private-token": "eve-token"})
            events = await client.get("/_fakeplat/console/events?after=0")
    assert (200, True) == (events.status_code, REASON in events.text)


def test_a_world_without_a_port_has_a_console() -> None:
    """The console of a world without a port says that it has none."""
    with fakeplat.start(listen=False) as world, httpx.Client(transport=world.httpx_transport()) as client:
        page = client.get("http://localhost/_fakeplat/")
    assert (200, True) == (page.status_code, "This world has no port of its own." in page.text)


@pytest.mark.parametrize(
    "path",
    [
        "/acme/site",
        "/acme/site/-/issues/1",
        "/acme/site/-/merge_requests/1",
        "/acme/site/-/milestones/1",
        "/acme/site/-/pipelines/1",
        "/acme/site/-/jobs/1",
        "/acme/site/-/tree/master",
        "/acme/site/-/commit/master",
        "/acme/site/-/alert_management/1/details",
        "/-/snippets/1",
        "/no/such/page",
        "/<script>%3Cscript%3E&%22",
    ],
)
def test_a_browser_that_sees_no_page_is_led_to_the_console(fakeplat: Fakeplat, path: str) -> None:
    """A browser's 404 page links to the sign-in page and the console; programs get the platform's JSON."""
    page = httpx.get(f"{fakeplat.url}{path}", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    links = [unescape(link) for link in re.findall(r'<a href="([^"]*)"', page.text)]
    requested = httpx.URL(f"{fakeplat.url}{path}").raw_path.decode()
    assert (404, HTML, ["/users/sign_in", f"/_fakeplat/at{requested}"]) == (
        page.status_code,
        page.headers["Content-Type"],
        links,
    )
    assert {"error": "404 Not Found"} == httpx.get(f"{fakeplat.url}{path}").json()


def test_who_is_signed_in_is_not_asked_to_sign_in(fakeplat: Fakeplat) -> None:
    """The 404 page of a signed-in user links only to the console."""
    headers = {"accept": "text/html", "private-token": "eve-token"}
    page = httpx.get(f"{fakeplat.url}/acme/site", headers=headers)
    assert ["/_fakeplat/at/acme/site"] == re.findall(r'<a href="([^"]*)"', page.text)


def test_the_sign_in_page_and_the_home_page_lead_to_the_console(fakeplat: Fakeplat) -> None:
    """The home page redirects anonymous users, and the sign-in page links to the console."""
    anonymous = fakeplat.as_user(None)
    home = anonymous.get(f"{fakeplat.url}/")
    sign_in = anonymous.get(f"{fakeplat.url}/users/sign_in")
    assert 302 == home.status
    assert ["/_fakeplat/"] == re.findall(r'<a href="(/_fakeplat/[^"]*)"', sign_in.text)
    assert 'name="viewport"' in sign_in.text
    assert "/_fakeplat/console/static/console.css" in sign_in.text


@pytest.mark.fakeplat(tier="premium")
def test_an_epic_has_a_page_for_those_who_see_it(fakeplat: Fakeplat) -> None:
    """An epic has a page at its `web_url`, and a confidential one is hidden from guests and strangers."""
    calls = fakeplat.as_user("rep")
    epic = calls.post("groups/acme/epics", json={"title": "Fly", "confidential": True}).json()
    assert f"{fakeplat.url}/groups/acme/-/epics/1" == epic["web_url"]
    statuses = {
        user: fakeplat.as_user(user).get(epic["web_url"]).status for user in ("rep", "root", "gus", "eve", None)
    }
    assert {"rep": 200, "root": 200, "gus": 404, "eve": 404, None: 404} == statuses
    page = calls.get(epic["web_url"]).text
    assert "<h1>Epic Fly</h1>" in page
    assert f'href="{fakeplat.url}/api/v4/groups/{epic["group_id"]}/epics/1"' in page


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("path", ["groups/acme/-/epics/1", "groups/acme/-/epics/x", "groups/no/-/epics/1"])
def test_what_is_no_epic_has_no_page(fakeplat: Fakeplat, path: str) -> None:
    """The page of an epic with an unknown number or group is 404."""
    assert 404 == fakeplat.as_user("root").get(f"{fakeplat.url}/{path}").status


def test_epics_have_no_pages_without_their_tier(fakeplat: Fakeplat) -> None:
    """The page of an epic is 404 in the free tier."""
    assert 404 == fakeplat.as_user("root").get(f"{fakeplat.url}/groups/acme/-/epics/1").status
