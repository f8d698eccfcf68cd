"""Badges of projects and groups."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.asking import LONG_AGO, STALE, Outcome, faulty, invalid, names, refusal
from tests.api.planning import ACME, DOCS, KIT, MISSING, SITE, TOOLS, made, shown
from tests.api.small_town import TOWN

pytestmark = pytest.mark.fakeplat(scenario=TOWN)
LINK, IMAGE = (
    "https://ci.example.test/%{project_path}?ref=%{default_branch}",
    "https://ci.example.test/%{project_id}.svg",
)
NAMED = (("outer", ACME), ("inner", TOOLS), ("own", KIT))
BLOCKED = ["is blocked: Only allowed schemes are http, https"]


def badge(fake: Fakeplat, place: str, **more: Any) -> dict[str, Any]:
    return made(fake, f"{place}/badges", **{"link_url": LINK, "image_url": IMAGE, **more})


def test_addresses_are_rendered_for_the_project(fakeplat: Fakeplat) -> None:
    """Its path, number and branch stand in them; unknown placeholders stay."""
    one = badge(fakeplat, DOCS, name="state", link_url=f"{LINK}&x=%{{other}}&n=%{{project_name}}")
    number = fakeplat.world.project("acme/docs").id

    assert {
        "name": "state",
        "link_url": f"{LINK}&x=%{{other}}&n=%{{project_name}}",
        "image_url": IMAGE,
        "rendered_link_url": "https://ci.example.test/acme/docs?ref=&x=%{other}&n=docs",
        "rendered_image_url": f"https://ci.example.test/{number}.svg",
        "id": one["id"],
        "kind": "project",
    } == one
    assert one == shown(fakeplat, f"{DOCS}/badges/{one['id']}", None)


def test_projects_show_the_badges_of_their_groups(fakeplat: Fakeplat) -> None:
    """Those of the outermost group first; a group shows its own, as they are written."""
    outer, inner, own = (badge(fakeplat, place, name=name) for name, place in NAMED)
    rows = shown(fakeplat, f"{KIT}/badges")

    assert [one["id"] for one in (outer, inner, own)] == names(rows, "id")
    assert ["group", "group", "project"] == names(rows, "kind")
    assert "https://ci.example.test/acme/tools/kit?ref=" == rows[0]["rendered_link_url"]
    assert LINK == outer["rendered_link_url"]
    assert [outer] == shown(fakeplat, f"{ACME}/badges")
    assert [own["id"]] == names(shown(fakeplat, f"{KIT}/badges?name=own"), "id")


def test_badges_are_changed_and_deleted_where_they_belong(fakeplat: Fakeplat) -> None:
    """A group's badge is no project's to change: 403 with key error."""
    outer, own = badge(fakeplat, ACME), badge(fakeplat, SITE)
    mia = fakeplat.as_user("mia")
    for method, verb in (("PUT", "edit"), ("DELETE", "delete")):
        refused = refusal(fakeplat, "mia", method, f"{SITE}/badges/{outer['id']}", json={"name": "x"})
        assert (403, {"error": f"To {verb} a Group badge please use the Group endpoint"}) == refused
    changed = mia.put(f"{SITE}/badges/{own['id']}", json={"name": "x", "link_url": "http://x.test"}).json()

    assert ("x", "http://x.test", IMAGE) == (changed["name"], changed["link_url"], changed["image_url"])
    assert STALE == refusal(fakeplat, "mia", "DELETE", f"{SITE}/badges/{own['id']}", headers=LONG_AGO)
    assert 204 == mia.delete(f"{SITE}/badges/{own['id']}").status
    assert MISSING == refusal(fakeplat, "mia", "GET", f"{SITE}/badges/{own['id']}")


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", "badges", {}, invalid("link_url is missing, image_url is missing")),
        ("POST", "badges", {"link_url": "x", "image_url": "ftp://x.test"}, faulty(link_url=BLOCKED, image_url=BLOCKED)),
        ("POST", "badges", {"link_url": "", "image_url": "http://x.test"}, faulty(link_url=["can't be blank"])),
        ("PUT", "badges/{own}", {"link_url": "x"}, faulty(link_url=BLOCKED)),
        (
            "PUT",
            "badges/{own}",
            {},
            invalid("link_url, image_url, name are missing, at least one parameter must be provided"),
        ),
        ("GET", "badges/1", None, MISSING),
        ("DELETE", "badges/1", None, MISSING),
        ("GET", "badges/x", None, invalid("badge_id is invalid")),
    ],
)
def test_what_is_wrong_is_refused(fakeplat: Fakeplat, method: str, path: str, body: Any, expected: Outcome) -> None:
    """With the platform's own bodies, and nothing changes."""
    own = badge(fakeplat, SITE)["id"]
    assert expected == refusal(fakeplat, "mia", method, f"{SITE}/{path.format(own=own)}", json=body)


def test_badges_go_with_their_place_and_kept_ones_follow_it(fakeplat: Fakeplat) -> None:
    """A renamed project is in the addresses; a deleted one leaves none."""
    badge(fakeplat, DOCS)
    assert "acme/docs" in shown(fakeplat, f"{DOCS}/badges")[0]["rendered_link_url"]
    number = fakeplat.world.project("acme/docs").id
    fakeplat.as_user("ada").put(DOCS, json={"path": "texts"})
    assert "acme/texts" in shown(fakeplat, f"projects/{number}/badges")[0]["rendered_link_url"]
    fakeplat.as_user("ada").delete(f"projects/{number}")

    assert 0 == len(fakeplat.bench.platform.view.badges)
