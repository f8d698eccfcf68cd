"""Badges of projects and groups."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import BADGE_URLS_ARE_ESCAPED, BADGES_HAVE_LATER_PLACEHOLDERS
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, DOCS, KIT, MISSING, SITE, TOOLS, create_record, get_json
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
LINK, IMAGE = (
    "https://ci.example.test/%{project_path}?ref=%{default_branch}",
    "https://ci.example.test/%{project_id}.svg",
)
ADDRESSES = "link_url=http%3A%2F%2Fx.test&image_url=http%3A%2F%2Fx.test"
NAMED = (("outer", ACME), ("inner", TOOLS), ("own", KIT))
BLOCKED = ["is blocked: Only allowed schemes are http, https"]


def create_badge(fake: Fakeplat, container: str, **more: Any) -> dict[str, Any]:
    return create_record(fake, f"{container}/badges", **{"link_url": LINK, "image_url": IMAGE, **more})


def test_addresses_are_rendered_for_the_project(fakeplat: Fakeplat) -> None:
    """The URLs of a badge are rendered with the project's path, id and branch."""
    state_badge = create_badge(fakeplat, DOCS, name="state", link_url=f"{LINK}&x=%{{other}}&n=%{{project_name}}")
    number = fakeplat.world.project("acme/docs").id

    assert {
        "name": "state",
        "link_url": f"{LINK}&x=%{{other}}&n=%{{project_name}}",
        "image_url": IMAGE,
        "rendered_link_url": "https://ci.example.test/acme/docs?ref=&x=%{other}&n=docs",
        "rendered_image_url": f"https://ci.example.test/{number}.svg",
        "id": state_badge["id"],
        "kind": "project",
    } == state_badge
    assert state_badge == get_json(fakeplat, f"{DOCS}/badges/{state_badge['id']}", None)


@by_release(
    BADGES_HAVE_LATER_PLACEHOLDERS,
    "expected",
    {
        "17.10": "%{project_namespace}/%{group_name}/%{gitlab_server}/%{gitlab_pages_domain}/%{latest_tag}",
        "17.11": "acme/docs/acme/127.0.0.1/pages.localhost/%{latest_tag}",
    },
)
def test_later_placeholders(fakeplat: Fakeplat, expected: str) -> None:
    """Later releases know the namespace, the group, the hosts and the newest tag, which stays if there is none."""
    names = ("project_namespace", "group_name", "gitlab_server", "gitlab_pages_domain", "latest_tag")
    url = "http://x.test/" + "/".join(f"%{{{name}}}" for name in names)
    assert f"http://x.test/{expected}" == create_badge(fakeplat, DOCS, link_url=url)["rendered_link_url"]


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_the_newest_tag(fakeplat: Fakeplat) -> None:
    """The newest tag is that of the newest commit."""
    tags = fakeplat.as_user("ada").get(f"{SITE}/repository/tags").json()
    newest = max(tags, key=lambda tag: str(tag["commit"]["committed_date"]))["name"]
    badge = fakeplat.as_user("ada").post(
        f"{SITE}/badges", json={"link_url": "http://x.test/%{latest_tag}", "image_url": IMAGE}
    )
    assert f"http://x.test/{newest}" == badge.json()["rendered_link_url"]


@by_release(BADGE_URLS_ARE_ESCAPED, "expected", {"19.1": "http://x.test/?q=a b", "19.2": "http://x.test/?q=a%20b"})
def test_rendered_addresses_are_escaped(fakeplat: Fakeplat, expected: str) -> None:
    """Later releases escape the URLs that they render, and keep what was declared."""
    badge = create_badge(fakeplat, DOCS, link_url="http://x.test/?q=a b")
    assert ("http://x.test/?q=a b", expected) == (badge["link_url"], badge["rendered_link_url"])


def test_projects_show_the_badges_of_their_groups(fakeplat: Fakeplat) -> None:
    """A project lists the badges of its groups, the outermost first; a group lists its own."""
    outer, inner, own = (create_badge(fakeplat, container, name=name) for name, container in NAMED)
    rows = get_json(fakeplat, f"{KIT}/badges")

    assert [row["id"] for row in (outer, inner, own)] == names(rows, "id")
    assert ["group", "group", "project"] == names(rows, "kind")
    assert "https://ci.example.test/acme/tools/kit?ref=" == rows[0]["rendered_link_url"]
    assert [outer] == get_json(fakeplat, f"{ACME}/badges")
    assert [own["id"]] == names(get_json(fakeplat, f"{KIT}/badges?name=own"), "id")


@pytest.mark.parametrize(("viewer", "path"), [("ada", "acme/site"), ("root", "acme/site"), (None, "acme/docs")])
def test_badges_of_a_group_are_rendered_for_its_first_project(
    fakeplat: Fakeplat, viewer: str | None, path: str
) -> None:
    """The oldest one that the caller sees; without any the addresses stay as they are."""
    create_badge(fakeplat, ACME)
    (row,) = get_json(fakeplat, f"{ACME}/badges", viewer)
    empty = create_record(fakeplat, "groups", name="Empty", path="empty")

    assert f"https://ci.example.test/{path}?ref=" == row["rendered_link_url"]
    assert LINK == create_badge(fakeplat, f"groups/{empty['id']}")["rendered_link_url"]


@pytest.mark.parametrize(("container", "viewer", "path"), [(DOCS, "mia", "acme/docs"), (ACME, "ada", "acme/site")])
def test_a_badge_can_be_previewed(fakeplat: Fakeplat, container: str, viewer: str, path: str) -> None:
    """A preview shows the URLs of a badge as sent and rendered, and stores nothing."""
    target = f"{container}/badges/render?link_url={quote(LINK)}&image_url=http%3A%2F%2Fx.test"

    assert {
        "name": None,
        "link_url": LINK,
        "image_url": "http://x.test",
        "rendered_link_url": f"https://ci.example.test/{path}?ref=",
        "rendered_image_url": "http://x.test",
    } == get_json(fakeplat, target, viewer)
    assert [] == get_json(fakeplat, f"{container}/badges")


@pytest.mark.parametrize(
    ("viewer", "target", "expected"),
    [
        (None, f"{DOCS}/badges/render?{ADDRESSES}", UNAUTHORIZED),
        ("eve", f"{SITE}/badges/render?{ADDRESSES}", resource_not_found("Project")),
        ("dev", f"{SITE}/badges/render?{ADDRESSES}", FORBIDDEN),
        ("mia", f"{ACME}/badges/render?{ADDRESSES}", FORBIDDEN),
        ("mia", f"{SITE}/badges/render", invalid("link_url is missing, image_url is missing")),
        ("ada", f"{ACME}/badges/render?link_url=http%3A%2F%2Fx.test", invalid("image_url is missing")),
        (
            "mia",
            f"{SITE}/badges/render?link_url=whatever&image_url=whatever",
            invalid_record(link_url=BLOCKED, image_url=BLOCKED),
        ),
    ],
)
def test_previewing_a_badge_is_refused(fakeplat: Fakeplat, viewer: str | None, target: str, expected: Outcome) -> None:
    """Previewing a badge requires the right to manage badges and both URLs."""
    assert expected == refusal(fakeplat, viewer, "GET", target)


def test_nothing_to_change_of_a_badge(fakeplat: Fakeplat) -> None:
    """Updating a badge requires no parameter; without any the badge stays as it is."""
    own = create_badge(fakeplat, SITE)

    assert (200, own) == outcome(fakeplat.as_user("mia").put(f"{SITE}/badges/{own['id']}", json={}))


def test_badges_are_changed_and_deleted_where_they_belong(fakeplat: Fakeplat) -> None:
    """A group's badge is in the list of a project, but is not found through the project."""
    outer, own = create_badge(fakeplat, ACME), create_badge(fakeplat, SITE)
    mia = fakeplat.as_user("mia")
    for method in ("GET", "PUT", "DELETE"):
        assert MISSING == refusal(fakeplat, "mia", method, f"{SITE}/badges/{outer['id']}", json={"name": "x"})
    changed = mia.put(f"{SITE}/badges/{own['id']}", json={"name": "x", "link_url": "http://x.test"}).json()

    assert ("x", "http://x.test", IMAGE) == (changed["name"], changed["link_url"], changed["image_url"])
    assert STALE == refusal(fakeplat, "mia", "DELETE", f"{SITE}/badges/{own['id']}", headers=LONG_AGO)
    assert 204 == mia.delete(f"{SITE}/badges/{own['id']}").status
    assert MISSING == refusal(fakeplat, "mia", "GET", f"{SITE}/badges/{own['id']}")


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", "badges", {}, invalid("link_url is missing, image_url is missing")),
        (
            "POST",
            "badges",
            {"link_url": "x", "image_url": "ftp://x.test"},
            invalid_record(link_url=BLOCKED, image_url=BLOCKED),
        ),
        ("POST", "badges", {"link_url": "", "image_url": "http://x.test"}, invalid_record(link_url=["can't be blank"])),
        ("PUT", "badges/{own}", {"link_url": "x"}, invalid_record(link_url=BLOCKED)),
        ("GET", "badges/1", None, MISSING),
        ("DELETE", "badges/1", None, MISSING),
        ("GET", "badges/x", None, invalid("badge_id is invalid")),
    ],
)
def test_invalid_badges_are_refused(fakeplat: Fakeplat, method: str, path: str, body: Any, expected: Outcome) -> None:
    """Invalid badges are refused with the platform's bodies and change nothing."""
    own = create_badge(fakeplat, SITE)["id"]
    assert expected == refusal(fakeplat, "mia", method, f"{SITE}/{path.format(own=own)}", json=body)


def test_badges_are_deleted_and_renamed_with_their_container(fakeplat: Fakeplat) -> None:
    """A renamed project is in the addresses; a deleted one leaves none."""
    create_badge(fakeplat, DOCS)
    assert "acme/docs" in get_json(fakeplat, f"{DOCS}/badges")[0]["rendered_link_url"]
    number = fakeplat.world.project("acme/docs").id
    fakeplat.as_user("ada").put(DOCS, json={"path": "texts"})
    assert "acme/texts" in get_json(fakeplat, f"projects/{number}/badges")[0]["rendered_link_url"]
    fakeplat.as_user("ada").delete(f"projects/{number}")

    assert 0 == len(fakeplat.bench.platform.view.badges)
