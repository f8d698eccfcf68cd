"""The pages of branches, files and commits. Source: docs/contract.md ('URLs')."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import NO_ROUTE, refusal

SITE = "projects/acme%2Fsite"
CODE = f"{SITE}/repository"


def get_page(fake: Fakeplat, url: str, by: str | None = "dev") -> tuple[int, str]:
    reply = fake.as_user(by).get(url)
    return reply.status, reply.text


@pytest.mark.parametrize("name", ["master", "feature", "a/b", "wörk"])
def test_a_branch_has_a_page(fakeplat: Fakeplat, name: str) -> None:
    """The page of a branch names it and links its URL in the API."""
    dev = fakeplat.as_user("dev")
    dev.post(f"{CODE}/branches", json={"branch": name, "ref": "master"})
    api = f"{CODE}/branches/{quote(name, safe='')}"
    status, text = get_page(fakeplat, dev.get(api).json()["web_url"])
    link, console = [part.partition('"')[0] for part in text.split('<a href="')[1:]]

    assert 200 == status
    assert name in text
    assert dev.get(link).json()["name"] == name
    assert console.startswith("/_fakeplat/at/acme/site/-/tree/")


@pytest.mark.parametrize("ref", ["feature", "v1.0"])
def test_a_commit_has_a_page(fakeplat: Fakeplat, ref: str) -> None:
    """The page of a commit is found by hash or tag."""
    commit: dict[str, Any] = fakeplat.as_user("dev").get(f"{CODE}/commits/{ref}").json()
    status, text = get_page(fakeplat, commit["web_url"])

    assert 200 == status
    assert commit["id"] in text
    assert commit["title"] in text
    assert 200 == get_page(fakeplat, f"{fakeplat.url}/acme/site/-/tree/{ref}")[0]


def test_a_readme_and_a_licence_have_pages(fakeplat: Fakeplat) -> None:
    """The URLs of README and licence are pages, also on a branch with a slash."""
    project = fakeplat.as_user("ada").get(f"{SITE}?license=true").json()
    for url, name in ((project["readme_url"], "README.md"), (project["license_url"], "LICENSE")):
        status, text = get_page(fakeplat, url)
        assert (200, True) == (status, name in text)
        link = text.partition('<a href="')[2].partition('"')[0].replace("&amp;", "&")
        assert 200 == fakeplat.as_user("dev").get(link).status
    fakeplat.as_user("dev").post(f"{CODE}/branches", json={"branch": "a/b", "ref": "master"})
    assert 200 == get_page(fakeplat, f"{fakeplat.url}/acme/site/-/blob/a/b/app/server.py")[0]


@pytest.mark.parametrize(
    ("who", "path"),
    [
        (None, "acme/site/-/tree/master"),
        ("eve", "acme/site/-/blob/master/README.md"),
        ("gus", "acme/site/-/tree/master"),
        ("dev", "acme/site/-/tree/gone"),
        ("dev", "acme/site/-/commit/0000000"),
        ("dev", "acme/site/-/blob/master/gone"),
        ("dev", "acme/site/-/blob/master/app"),
        ("dev", "acme/nothing/-/tree/master"),
    ],
)
def test_what_is_hidden_has_no_page(fakeplat: Fakeplat, who: str | None, path: str) -> None:
    """Pages of hidden or missing code are not found."""
    assert NO_ROUTE == refusal(fakeplat, who, "GET", f"{fakeplat.url}/{path}")
