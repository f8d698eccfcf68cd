"""Archiving, deleting, restoring and starring projects.

Source: docs/platform/projects.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import PROJECT_FULL, PROJECT_PAID
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    UNMODIFIED,
    Outcome,
    form,
    outcome,
    paths,
    refusal,
    resource_not_found,
)

SITE, DOCS, NOTES = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/ada%2Fnotes"
ACCEPTED = (202, {"message": "202 Accepted"})
BELOW_OWNER = [
    (None, UNAUTHORIZED),
    ("eve", resource_not_found("Project")),
    ("gus", FORBIDDEN),
    ("dev", FORBIDDEN),
    ("mia", FORBIDDEN),
]


# archiving


@pytest.mark.parametrize("viewer", ["ada", "root"])
@pytest.mark.parametrize(("verb", "archived"), [("archive", True), ("unarchive", False)])
def test_archiving_answers_the_project(fakeplat: Fakeplat, viewer: str, verb: str, archived: bool) -> None:
    """Archiving and unarchiving answer 201 with the project, also when repeated."""
    calls = fakeplat.as_user(viewer)
    for _ in range(2):
        reply = calls.post(f"{SITE}/{verb}")
        assert (201, archived) == (reply.status, reply.json()["archived"])
        assert PROJECT_FULL == set(reply.json())

    assert archived == fakeplat.as_user("gus").get(SITE).json()["archived"]


@pytest.mark.parametrize("verb", ["archive", "unarchive"])
@pytest.mark.parametrize(("viewer", "expected"), BELOW_OWNER)
def test_archiving_is_for_owners(fakeplat: Fakeplat, verb: str, viewer: str | None, expected: Outcome) -> None:
    """Below Owner archiving is forbidden, and a hidden project is not found."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{SITE}/{verb}")


@pytest.mark.parametrize("viewer", ["dev", "ada", "root"])
def test_an_archived_project_takes_no_issues(fakeplat: Fakeplat, viewer: str) -> None:
    """An archived project can only be read."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert FORBIDDEN == refusal(fakeplat, viewer, "POST", f"{SITE}/issues", json={"title": "Late"})
    assert 200 == fakeplat.as_user("gus").get(f"{SITE}/issues").status


def test_an_unarchived_project_can_be_written_again(fakeplat: Fakeplat) -> None:
    """Unarchiving opens the project again."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    fakeplat.as_user("ada").post(f"{SITE}/unarchive")

    assert 201 == fakeplat.as_user("gus").post(f"{SITE}/issues", json={"title": "In time"}).status


# deleting


@pytest.mark.parametrize("viewer", ["ada", "root"])
def test_a_deleted_project_is_gone_at_once(fakeplat: Fakeplat, viewer: str) -> None:
    """Deleting answers 202 Accepted, and nobody finds the project any more."""
    assert ACCEPTED == outcome(fakeplat.as_user(viewer).delete(SITE))
    assert resource_not_found("Project") == outcome(fakeplat.as_user("root").get(SITE))
    assert "acme/site" not in paths(fakeplat.as_user("root").get("projects"))


def test_deleting_a_project_deletes_its_records(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes all of its records, and its id is not reused."""
    calls, group = fakeplat.as_user("ada"), fakeplat.world.group("acme").id
    calls.post(f"{NOTES}/star")
    calls.post(f"{NOTES}/issues", json={"title": "One", "labels": "new"})
    calls.post(f"{NOTES}/share", json={"group_id": group, "group_access": 10})
    calls.post(f"{NOTES}/members", json={"user_id": 7, "access_level": 10})
    calls.post(f"{NOTES}/uploads", **form(file=("a.txt", "text/plain", b"text")))
    fakeplat.as_user("root").put(f"{NOTES}/custom_attributes/team", json={"value": "red"})
    id_ = calls.get(NOTES).json()["id"]
    calls.delete(NOTES)

    assert [] == paths(calls.get("users/ada/starred_projects"))
    view, own = fakeplat.bench.platform.view, ("project", id_)
    assert [0] * 6 == [
        len(view.stars.ids("project", id_)),
        view.issues.bits("facts", ("project", id_)),
        len(view.labels.ids("source", own)),
        len(view.shares.ids("source", own)),
        len(view.files.ids("owner", own)),
        len(view.custom_attributes.ids("subject", own)),
    ]
    again = calls.post("projects", json={"name": "Notes"}).json()
    assert (True, 0) == (again["id"] > id_, again["star_count"])


@pytest.mark.parametrize(("viewer", "expected"), BELOW_OWNER)
def test_deleting_is_for_owners(fakeplat: Fakeplat, viewer: str | None, expected: Outcome) -> None:
    """Below Owner deleting is forbidden, and a hidden project is not found."""
    assert expected == refusal(fakeplat, viewer, "DELETE", SITE)


def test_deleting_on_condition(fakeplat: Fakeplat) -> None:
    """A project that was changed later than the given date stays; an unreadable date is ignored."""
    assert STALE == refusal(fakeplat, "ada", "DELETE", SITE, headers=LONG_AGO)
    assert 202 == fakeplat.as_user("ada").delete(SITE, headers={"If-Unmodified-Since": "some day"}).status


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("2020-11-20T08:59:59Z", STALE),
        ("2020-11-20T09:59:59+01:00", STALE),
        ("2020-11-19", STALE),
        ("Fri, 20 Nov 2020 08:59:59 GMT", STALE),
        ("2020-11-20T09:00:00.000Z", ACCEPTED),
        ("2020-11-20T10:00:00+01:00", ACCEPTED),
        ("2020-11-21", ACCEPTED),
        ("20th of November", ACCEPTED),
    ],
)
@pytest.mark.fakeplat(clock="virtual", start="2020-11-20T09:00:00Z")
def test_a_condition_may_be_an_iso_date(fakeplat: Fakeplat, header: str, expected: Outcome) -> None:
    """HTTP and ISO 8601 dates are read; what is no date is ignored."""
    assert expected == outcome(fakeplat.as_user("ada").delete(SITE, headers={"If-Unmodified-Since": header}))


# delayed deletion

PAID = pytest.mark.fakeplat(tier="premium", clock="virtual")


@PAID
def test_a_project_of_a_group_is_marked_first(fakeplat: Fakeplat) -> None:
    """On paid tiers deleting a group's project archives and marks it for the configured period."""
    fakeplat.load({"settings": {"deletion_adjourned_period": 7}})
    calls = fakeplat.as_user("ada")
    assert ACCEPTED == outcome(calls.delete(SITE))

    project = calls.get(SITE).json()
    assert ("2020-11-20", "2020-11-20", True) == (
        project["marked_for_deletion_on"],
        project["marked_for_deletion_at"],
        project["archived"],
    )
    fakeplat.clock.advance("6d")
    assert 200 == calls.get(SITE).status
    fakeplat.clock.advance("2d")
    assert resource_not_found("Project") == outcome(calls.get(SITE))


@PAID
def test_marking_again_keeps_the_first_day(fakeplat: Fakeplat) -> None:
    """A second deletion is accepted as well."""
    fakeplat.load({"settings": {"deletion_adjourned_period": 7}})
    calls = fakeplat.as_user("ada")
    calls.delete(SITE)
    fakeplat.clock.advance("2d")

    assert ACCEPTED == outcome(calls.delete(SITE))
    assert "2020-11-20" == calls.get(SITE).json()["marked_for_deletion_on"]


@PAID
@pytest.mark.parametrize(("period", "project"), [(0, SITE), (7, NOTES)])
def test_projects_that_are_deleted_at_once(fakeplat: Fakeplat, period: int, project: str) -> None:
    """Without a period, and in users' namespaces, a project is deleted at once."""
    fakeplat.load({"settings": {"deletion_adjourned_period": period}})
    fakeplat.as_user("ada").delete(project)

    assert resource_not_found("Project") == outcome(fakeplat.as_user("ada").get(project))


def test_on_the_free_tier_nothing_is_delayed(fakeplat: Fakeplat) -> None:
    """The period of the settings means nothing there."""
    fakeplat.load({"settings": {"deletion_adjourned_period": 7}})
    fakeplat.as_user("ada").delete(SITE)

    assert resource_not_found("Project") == outcome(fakeplat.as_user("ada").get(SITE))


@PAID
def test_a_marked_project_can_be_restored(fakeplat: Fakeplat) -> None:
    """Restoring answers 201, takes the day away and unarchives; the project outlives the period."""
    fakeplat.load({"settings": {"deletion_adjourned_period": 7}})
    calls = fakeplat.as_user("ada")
    calls.delete(SITE)
    reply = calls.post(f"{SITE}/restore")

    assert (201, PROJECT_FULL | PROJECT_PAID) == (reply.status, set(reply.json()))
    assert (None, None, False) == tuple(
        reply.json()[name] for name in ("marked_for_deletion_on", "marked_for_deletion_at", "archived")
    )
    fakeplat.clock.advance("30d")
    assert 200 == calls.get(SITE).status


@PAID
@pytest.mark.parametrize(
    ("viewer", "expected"),
    [*BELOW_OWNER, ("ada", (400, {"message": "Project has not been marked for deletion"}))],
)
def test_restoring_is_refused(fakeplat: Fakeplat, viewer: str | None, expected: Outcome) -> None:
    """Only owners restore a project, and only a marked one (the text is a choice)."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{SITE}/restore")


@pytest.mark.parametrize("viewer", ["ada", "root"])
def test_restoring_is_a_paid_feature(fakeplat: Fakeplat, viewer: str) -> None:
    """On the free tier restoring a project is not found."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, viewer, "POST", f"{SITE}/restore")


# stars


def test_a_star_counts_once(fakeplat: Fakeplat) -> None:
    """Starring answers 201 with one star more; a second time nothing changes."""
    reply = fakeplat.as_user("eve").post(f"{DOCS}/star")

    assert (201, 1, PROJECT_FULL) == (reply.status, reply.json()["star_count"], set(reply.json()))
    assert UNMODIFIED == refusal(fakeplat, "eve", "POST", f"{DOCS}/star")
    assert 2 == fakeplat.as_user("gus").post(f"{DOCS}/star").json()["star_count"]


def test_a_star_can_be_taken_back_once(fakeplat: Fakeplat) -> None:
    """Unstarring answers 201 with one star less; a second time nothing changes."""
    calls = fakeplat.as_user("eve")
    assert UNMODIFIED == refusal(fakeplat, "eve", "POST", f"{DOCS}/unstar")
    calls.post(f"{DOCS}/star")
    reply = calls.post(f"{DOCS}/unstar")

    assert (201, 0, PROJECT_FULL) == (reply.status, reply.json()["star_count"], set(reply.json()))
    assert UNMODIFIED == refusal(fakeplat, "eve", "POST", f"{DOCS}/unstar")


@pytest.mark.parametrize("verb", ["star", "unstar"])
@pytest.mark.parametrize(
    ("viewer", "project", "expected"),
    [
        (None, DOCS, UNAUTHORIZED),
        (None, SITE, UNAUTHORIZED),
        ("eve", SITE, resource_not_found("Project")),
        ("ext", "projects/acme%2Ftools%2Fkit", resource_not_found("Project")),
        ("root", "projects/9999", resource_not_found("Project")),
    ],
)
def test_stars_are_refused(fakeplat: Fakeplat, verb: str, viewer: str | None, project: str, expected: Any) -> None:
    """Starring requires a login and a visible project."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{project}/{verb}")
