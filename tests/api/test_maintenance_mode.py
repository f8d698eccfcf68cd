"""Maintenance mode: reads go on, writes are refused.

Source: docs/platform/settings.md; lib/gitlab/middleware/read_only and ee/lib/ee/gitlab/git_access.rb of the platform.
"""

from base64 import b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MAINTENANCE_MODE
from tests.api.oauth import Browser
from tests.by_release import by_release
from tests.worlds import create_site

pytestmark = pytest.mark.fakeplat(
    scenario={
        "extends": "starter",
        "instance": {"tier": "premium", "version": "13.6.0"},
        "settings": {"maintenance_mode": True},
    }
)
READ_ONLY = {"message": "You cannot perform write operations on a read-only instance"}
SITE = "projects/acme%2Fsite"


@pytest.mark.parametrize(
    ("method", "path"), [("POST", f"{SITE}/issues"), ("PUT", SITE), ("DELETE", SITE), ("POST", "jobs/request")]
)
def test_writes_are_refused(fakeplat: Fakeplat, method: str, path: str) -> None:
    """In maintenance mode writes are refused before authentication."""
    body = {"title": "x"}
    replies = [fakeplat.as_user(name).request(method, path, json=body) for name in ("root", None)]
    assert [(403, READ_ONLY)] * 2 == [(reply.status, reply.json()) for reply in replies]


def test_a_write_without_json_is_redirected(fakeplat: Fakeplat) -> None:
    """In maintenance mode a write without JSON redirects to its referer or the home page."""
    ada = fakeplat.as_user("ada")
    replies = [ada.delete(SITE), ada.delete(SITE, headers={"Referer": f"{fakeplat.url}/acme"})]
    home = fakeplat.url.rstrip("/")
    assert [(301, f"{home}/"), (301, f"{fakeplat.url}/acme")] == [
        (reply.status, reply.headers["Location"]) for reply in replies
    ]
    assert 200 == ada.get(SITE).status


@by_release(MAINTENANCE_MODE, "status", {"13.5": 201, "13.6": 403})
def test_the_mode_came_with_13_6(fakeplat: Fakeplat, status: int) -> None:
    """There is no maintenance mode before 13.6."""
    assert status == fakeplat.as_user("root").post(f"{SITE}/issues", json={"title": "x"}).status


def test_reads_go_on(fakeplat: Fakeplat) -> None:
    """In maintenance mode reads and GraphQL queries are answered."""
    assert 200 == fakeplat.as_user("ada").get(SITE).status
    query = {"query": "{ currentUser { username } }"}
    reply = fakeplat.as_user("ada").post(f"{fakeplat.url}/api/graphql", json=query)
    assert {"data": {"currentUser": {"username": "ada"}}} == reply.json()


def test_mutations_are_refused(fakeplat: Fakeplat) -> None:
    """In maintenance mode GraphQL mutations are refused with the text of other writes."""
    issue = fakeplat.as_user("ada").get(f"{SITE}/issues").json()[0]
    mutation = 'mutation { issueSetLocked(input: {projectPath: "acme/site", iid: "%s", locked: true}) { errors } }'
    reply = fakeplat.as_user("ada").post(f"{fakeplat.url}/api/graphql", json={"query": mutation % issue["iid"]})
    assert [READ_ONLY["message"]] == [error["message"] for error in reply.json()["errors"]]


def get_refs(fake: Fakeplat, path: str, service: str) -> Any:
    headers = {"Authorization": f"Basic {b64encode(b'ada:ada-token').decode()}"}
    return fake.as_user(None).get(f"{fake.url}/{path}/info/refs?service={service}", headers=headers)


@pytest.mark.parametrize("path", ["acme/site.git", "acme/site.wiki.git", "acme/new.git"])
def test_pushes_are_refused(fakeplat: Fakeplat, path: str) -> None:
    """In maintenance mode pushes are refused with a text, and no project is created."""
    reply = get_refs(fakeplat, path, "git-receive-pack")
    text = "Git push is not allowed because this GitLab instance is currently in (read-only) maintenance mode."
    assert (403, text) == (reply.status, reply.text)
    assert 404 == fakeplat.as_user("ada").get("projects/acme%2Fnew").status


def test_fetches_go_on(fakeplat: Fakeplat) -> None:
    """In maintenance mode repositories can be fetched."""
    assert 200 == get_refs(fakeplat, "acme/site.git", "git-upload-pack").status


def test_users_can_sign_in(fakeplat: Fakeplat) -> None:
    """Administrators must be able to end the mode."""
    walk = Browser(fakeplat)
    assert 302 == walk.sign_in("ada").status
    assert "Signed in as ada" in walk.open("").text


def test_administrators_end_it(fakeplat: Fakeplat) -> None:
    """Administrators end maintenance mode, and then writes succeed again."""
    assert 200 == fakeplat.as_user("root").put("application/settings", json={"maintenance_mode": False}).status
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "x"}).status


@pytest.mark.parametrize(("tier", "version"), [("free", "13.6.0"), ("premium", "13.5.0")])
def test_it_is_a_paid_setting_of_later_releases(tier: str, version: str) -> None:
    """Elsewhere it has no effect."""
    site = create_site(settings={"maintenance_mode": True}, tier=tier, version=version)
    assert 201 == site.ask("POST", f"{SITE}/issues", "ada", json={"title": "x"}).status
