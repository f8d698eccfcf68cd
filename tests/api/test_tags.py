"""Tags. Source: docs/platform/tags.md, docs/platform/errors.md."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, Outcome, invalid, names, outcome, refusal, resource_not_found
from tests.api.test_branches import bad_request
from tests.signals import SentSignals

SITE = "projects/acme%2Fsite"
TAGS = f"{SITE}/repository/tags"
FIELDS = {"name", "message", "target", "commit", "release", "protected"}


def create_tag(fake: Fakeplat, name: str, ref: str = "master", by: str = "dev", **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(TAGS, json={"tag_name": name, "ref": ref, **body})
    assert 201 == reply.status, reply.text
    tag: dict[str, Any] = reply.json()
    return tag


def list_names(fake: Fakeplat, query: str = "") -> list[Any]:
    return names(fake.as_user("rep").get(f"{TAGS}?{query}").json(), "name")


def test_a_lightweight_tag(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """A lightweight tag has no message and points to the commit."""
    tag = create_tag(fakeplat, "v1.1", "feature")
    commit = fakeplat.as_user("rep").get(f"{SITE}/repository/branches/feature").json()["commit"]

    assert FIELDS == set(tag)
    assert {
        "name": "v1.1",
        "message": None,
        "target": commit["id"],
        "commit": commit,
        "release": None,
        "protected": False,
    } == tag
    assert (200, tag) == outcome(fakeplat.as_user("rep").get(f"{TAGS}/v1.1"))
    pushes = sent_signals.list_records("ref_moved")
    assert [("refs/tags/v1.1", "0" * 40, commit["id"])] == [(push.ref, push.before, push.after) for push in pushes]


def test_an_annotated_tag(fakeplat: Fakeplat) -> None:
    """A tag with a message is an object of its own that leads to the commit."""
    tag = create_tag(fakeplat, "v1.1", message="Second release\n\nWith a menu.")

    assert "Second release\n\nWith a menu." == tag["message"]
    assert tag["target"] != tag["commit"]["id"]
    assert tag["commit"]["id"] == create_tag(fakeplat, "v1.2", "v1.1")["target"]


def test_a_message_of_nothing_makes_no_object(fakeplat: Fakeplat) -> None:
    """An empty message creates a lightweight tag."""
    tag = create_tag(fakeplat, "v1.1", message="")
    assert (None, tag["commit"]["id"]) == (tag["message"], tag["target"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["b-new", "v1.0", "a-old"]),
        ("sort=asc", ["a-old", "v1.0", "b-new"]),
        ("order_by=name", ["v1.0", "b-new", "a-old"]),
        ("order_by=name&sort=asc", ["a-old", "b-new", "v1.0"]),
        ("order_by=name&sort=asc&search=%5Ea", ["a-old"]),
        ("search=new%24", ["b-new"]),
        ("search=1.", ["v1.0"]),
        ("order_by=name&sort=asc&per_page=2&page=2", ["v1.0"]),
    ],
)
def test_the_order_of_tags(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Tags are listed by their commits' time, newest first, by default."""
    first = fakeplat.as_user("rep").get(f"{SITE}/repository/commits").json()[-1]["id"]
    create_tag(fakeplat, "a-old", first)
    create_tag(fakeplat, "b-new", "master")

    assert expected == list_names(fakeplat, query)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order_by=size", invalid("order_by does not have a valid value")),
        ("sort=up", invalid("sort does not have a valid value")),
    ],
)
def test_an_order_that_there_is_not(fakeplat: Fakeplat, query: str, expected: Outcome) -> None:
    """Unknown orders of tags are refused."""
    assert expected == refusal(fakeplat, "rep", "GET", f"{TAGS}?{query}")


REFUSED: list[tuple[str | None, dict[str, Any], Outcome]] = [
    ("dev", {}, invalid("tag_name is missing, ref is missing")),
    ("dev", {"tag_name": "x"}, invalid("ref is missing")),
    ("dev", {"ref": "master"}, invalid("tag_name is missing")),
    ("dev", {"tag_name": "v1.0", "ref": "master"}, bad_request("Tag v1.0 already exists")),
    ("dev", {"tag_name": "x", "ref": "gone"}, bad_request("Target gone is invalid")),
    ("dev", {"tag_name": "a b", "ref": "master"}, bad_request("Tag name invalid")),
    ("dev", {"tag_name": "", "ref": "master"}, bad_request("Tag name invalid")),
    ("dev", {"tag_name": "HEAD", "ref": "master"}, bad_request("Tag name invalid")),
    ("dev", {"tag_name": "v1.0/rc", "ref": "master"}, bad_request("Tag name invalid")),
    (
        "dev",
        {"tag_name": "safe-1", "ref": "master"},
        bad_request("You are not allowed to create this tag as it is protected."),
    ),
    ("rep", {"tag_name": "x", "ref": "master"}, FORBIDDEN),
    ("gus", {"tag_name": "x", "ref": "master"}, FORBIDDEN),
    ("eve", {"tag_name": "x", "ref": "master"}, resource_not_found("Project")),
    (None, {"tag_name": "x", "ref": "master"}, resource_not_found("Project")),
]


@pytest.mark.parametrize(("who", "body", "expected"), REFUSED)
def test_invalid_tags_are_refused(fakeplat: Fakeplat, who: str | None, body: dict[str, Any], expected: Outcome) -> None:
    """A refused creation of a tag changes nothing."""
    fakeplat.as_user("mia").post(f"{SITE}/protected_tags", json={"name": "safe-*"})
    assert expected == refusal(fakeplat, who, "POST", TAGS, json=body)


def test_users_admitted_by_a_protection(fakeplat: Fakeplat) -> None:
    """May create the tag, and it shows that it is protected."""
    fakeplat.as_user("mia").post(f"{SITE}/protected_tags", json={"name": "safe-*"})
    assert create_tag(fakeplat, "safe-1", by="mia")["protected"]


@pytest.mark.parametrize("name", ["v1.0", "release/1"])
def test_a_tag_is_deleted(fakeplat: Fakeplat, name: str) -> None:
    """A Developer deletes a tag that is not protected."""
    if name != "v1.0":
        create_tag(fakeplat, name)
    path = f"{TAGS}/{quote(name, safe='')}"

    assert 204 == fakeplat.as_user("dev").delete(path).status
    assert resource_not_found("Tag") == outcome(fakeplat.as_user("dev").get(path))


@pytest.mark.parametrize(
    ("who", "name", "expected"),
    [
        ("dev", "gone", resource_not_found("Tag")),
        ("dev", "safe-1", bad_request("Protected tags cannot be deleted.")),
        ("mia", "safe-1", bad_request("Protected tags cannot be deleted.")),
        ("rep", "v1.0", FORBIDDEN),
        ("gus", "v1.0", FORBIDDEN),
        ("eve", "v1.0", resource_not_found("Project")),
        (None, "v1.0", resource_not_found("Project")),
    ],
)
def test_which_tags_stay(fakeplat: Fakeplat, who: str | None, name: str, expected: Outcome) -> None:
    """Protected ones, and those of whom may not push."""
    create_tag(fakeplat, "safe-1")
    fakeplat.as_user("mia").post(f"{SITE}/protected_tags", json={"name": "safe-*"})
    assert expected == refusal(fakeplat, who, "DELETE", f"{TAGS}/{name}")


def test_a_tag_whose_commit_is_younger_stays(fakeplat: Fakeplat) -> None:
    """Deleting a tag compares If-Unmodified-Since with its commit's authored date."""
    assert STALE == refusal(fakeplat, "dev", "DELETE", f"{TAGS}/v1.0", headers=LONG_AGO)


@pytest.mark.parametrize(
    ("who", "expected"),
    [("gus", FORBIDDEN), ("eve", resource_not_found("Project")), (None, resource_not_found("Project"))],
)
def test_guests_of_a_private_project_see_no_tags(fakeplat: Fakeplat, who: str | None, expected: Outcome) -> None:
    """Guests of a private project may not read its code."""
    for path in (TAGS, f"{TAGS}/v1.0"):
        assert expected == refusal(fakeplat, who, "GET", path)


def test_a_description_of_a_release_is_named_once(fakeplat: Fakeplat) -> None:
    """``release_description`` is deprecated: the journal says so, and does not call it unknown beside that."""
    body = {"tag_name": "v9", "ref": "master", "release_description": "New"}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/repository/tags", json=body).status
    expected = ["create_tag: release_description is deprecated; use the releases API"]
    assert expected == list(fakeplat.requests[-1].warnings)
