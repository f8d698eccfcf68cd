"""Pages that are served beside the API. Source: docs/contract.md ('URLs')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import NO_ROUTE, names, refusal

pytestmark = pytest.mark.every_release

RECORDS = ["users/2", "groups/acme", "groups/acme%2Ftools", "projects/acme%2Fdocs", "projects/acme%2Fsite"]


@pytest.mark.parametrize("record", RECORDS)
def test_every_web_url_is_a_page(fakeplat: Fakeplat, record: str) -> None:
    """A small HTML page names the record and links its address in the API."""
    calls = fakeplat.as_user("ada")
    record_view = calls.get(record).json()
    page = calls.get(record_view["web_url"])
    kind = record.partition("/")[0]

    assert (200, "text/html; charset=utf-8") == (page.status, page.headers["Content-Type"])
    assert record_view["name"] in page.text
    assert f'href="{fakeplat.url}/api/v4/{kind}/{record_view["id"]}"' in page.text


@pytest.mark.parametrize(
    ("viewer", "path", "seen"),
    [
        (None, "acme/docs", True),
        (None, "acme/docs.git", True),
        (None, "groups/acme", True),
        (None, "acme", True),
        (None, "ada", True),
        (None, "acme/site", False),
        (None, "acme/tools/kit", False),
        (None, "groups/acme/tools", False),
        ("eve", "acme/site", False),
        ("eve", "acme/tools/kit", True),
        ("gus", "acme/site", True),
        ("mia", "ada/notes", False),
        ("root", "ada/notes", True),
        ("root", "nothing", False),
        ("root", "acme/nothing", False),
        ("root", "groups/ada", False),
    ],
)
def test_pages_have_the_permissions_of_their_records(
    fakeplat: Fakeplat, viewer: str | None, path: str, seen: bool
) -> None:
    """Whoever sees the record sees its page; for others there is none."""
    if seen:
        assert 200 == fakeplat.as_user(viewer).get(f"{fakeplat.url}/{path}").status
    else:
        assert NO_ROUTE == refusal(fakeplat, viewer, "GET", f"{fakeplat.url}/{path}")


@pytest.mark.parametrize("path", ["users?per_page=100", "groups/acme/members", "namespaces?search=ada"])
def test_every_avatar_url_is_a_picture(fakeplat: Fakeplat, path: str) -> None:
    """Every `avatar_url` is a picture under the client's origin, drawn if none was uploaded."""
    for url in names(fakeplat.as_user("root").get(path).json(), "avatar_url"):
        assert url.startswith(f"{fakeplat.url}/")
        first, second = (fakeplat.as_user(None).get(url) for _ in range(2))
        assert (200, "image/png") == (first.status, first.headers["Content-Type"])
        assert b"\x89PNG\r\n\x1a\n" == first.content[:8]
        assert first.content == second.content


def test_different_people_have_different_pictures(fakeplat: Fakeplat) -> None:
    """Each address has a different drawn picture."""
    urls = names(fakeplat.as_user("root").get("users").json(), "avatar_url")

    assert len(urls) == len({fakeplat.as_user(None).get(url).content for url in urls})


def test_without_the_service_there_are_no_pictures(fakeplat: Fakeplat) -> None:
    """With Gravatar disabled `avatar_url` is null without an upload (a choice)."""
    fakeplat.load({"settings": {"gravatar_enabled": False}})

    assert {None} == set(names(fakeplat.as_user("root").get("users").json(), "avatar_url"))


@pytest.mark.parametrize(
    "path", ["project/avatar/1/x.png", "user/avatar/999/x.png", "snippet/avatar/1/x.png", "group/avatar/1/x.png"]
)
def test_there_is_no_such_picture(fakeplat: Fakeplat, path: str) -> None:
    """An upload that was never made is not found."""
    expected = (404, {"message": "404 Not Found"})
    assert expected == refusal(fakeplat, "root", "GET", f"{fakeplat.url}/uploads/-/system/{path}")


@pytest.mark.parametrize(("method", "path"), [("POST", "/acme/docs"), ("DELETE", "/ada"), ("PUT", "/-/health")])
def test_pages_are_only_read(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Another method on a page changes nothing."""
    status, _ = refusal(fakeplat, "root", method, f"{fakeplat.url}{path}")

    assert status in (404, 405)


@pytest.mark.parametrize("name", ['<script>alert("1")</script>', "A & B"])
def test_names_in_pages_are_text(fakeplat: Fakeplat, name: Any) -> None:
    """Names are escaped in pages."""
    fakeplat.as_user("root").put("users/2", json={"name": name})

    assert name not in fakeplat.as_user(None).get(f"{fakeplat.url}/ada").text


SITE = "projects/acme%2Fsite"
ANSWERS = [
    "projects?per_page=100",
    "groups?per_page=100",
    "users?per_page=100",
    "namespaces",
    "issues?scope=all",
    "merge_requests?scope=all",
    "todos",
    "events",
    "groups/acme/milestones",
    "groups/acme/issues?scope=all",
    f"{SITE}/issues/2",
    f"{SITE}/milestones",
    f"{SITE}/members",
    f"{SITE}/merge_requests/1",
    f"{SITE}/repository/branches",
    f"{SITE}/repository/commits",
    f"{SITE}/issues/2/notes",
    f"{SITE}/snippets",
]


def urls_in(value: Any) -> list[str]:
    """Every address of a page in an answer, however deep."""
    if isinstance(value, list):
        return [url for part in value for url in urls_in(part)]
    if not isinstance(value, dict):
        return []
    own = [text for name, text in value.items() if name in ("web_url", "target_url") and isinstance(text, str)]
    return [*own, *(url for part in value.values() for url in urls_in(part))]


@pytest.mark.parametrize("path", ANSWERS)
def test_every_address_of_a_page_leads_to_one(fakeplat: Fakeplat, path: str) -> None:
    """Whoever is shown a page's URL in an answer may open the page."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{SITE}/snippets", json={"title": "s", "file_name": "a", "content": "b", "visibility": "private"})
    mentioned = ada.post(f"{SITE}/issues/2/notes", json={"body": "@ada look"})
    answer = ada.get(path)
    assert (201, 200) == (mentioned.status, answer.status)
    urls = dict.fromkeys(urls_in(answer.json()))
    assert dict.fromkeys(urls, 200) == {url: ada.get(url).status for url in urls}


@pytest.mark.parametrize("kind", ["issues", "milestones"])
def test_pages_of_what_is_planned_are_hidden_with_it(fakeplat: Fakeplat, kind: str) -> None:
    """Pages of issues and milestones in private projects, or unknown ones, are not found."""
    assert 200 == fakeplat.as_user("dev").get(f"{fakeplat.url}/acme/site/-/{kind}/1").status
    assert NO_ROUTE == refusal(fakeplat, "eve", "GET", f"{fakeplat.url}/acme/site/-/{kind}/1")
    assert NO_ROUTE == refusal(fakeplat, "dev", "GET", f"{fakeplat.url}/acme/site/-/{kind}/99")
    assert NO_ROUTE == refusal(fakeplat, "dev", "GET", f"{fakeplat.url}/groups/none/-/milestones/1")


def test_confidential_issues_have_no_page_for_guests(fakeplat: Fakeplat) -> None:
    """The page of a confidential issue is not found for Guests."""
    reply = fakeplat.as_user("dev").post(f"{SITE}/issues", json={"title": "Secret", "confidential": True}).json()
    assert 200 == fakeplat.as_user("rep").get(reply["web_url"]).status
    assert NO_ROUTE == refusal(fakeplat, "gus", "GET", reply["web_url"])
