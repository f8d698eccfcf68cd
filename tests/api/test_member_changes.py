"""Changing and removing members of projects and groups. Source: docs/platform/project-members.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import MEMBER
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    outcome,
    person,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.every_release

ACME, SITE = "groups/acme", "projects/acme%2Fsite"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
EVE = 7


@pytest.fixture
def joined(fakeplat: Fakeplat) -> Fakeplat:
    """eve is a Reporter of acme and of acme/site, until a day in spring."""
    body = {"user_id": EVE, "access_level": 20, "expires_at": "2021-05-04"}
    for container in (SITE, ACME):
        assert 201 == fakeplat.as_user("ada").post(f"{container}/members", json=body).status
    return fakeplat


@pytest.mark.parametrize("container", [SITE, ACME])
@pytest.mark.fakeplat(releases="<14.10")
def test_a_member_can_be_changed(joined: Fakeplat, container: str) -> None:
    """Changing answers 200 with the member; the last day stays unless given."""
    path = f"{container}/members/{EVE}"
    reply = joined.as_user("ada").put(path, json={"access_level": 30})

    assert (200, MEMBER, 30, "2021-05-04") == (
        reply.status,
        set(reply.json()),
        reply.json()["access_level"],
        reply.json()["expires_at"],
    )
    later = joined.as_user("ada").put(path, json={"access_level": 30, "expires_at": "2021-06-01"})
    assert "2021-06-01" == later.json()["expires_at"]
    assert joined.as_user("ada").get(path).json() == later.json()


@pytest.mark.parametrize(
    ("viewer", "container", "status"), [("mia", SITE, 200), ("dev", SITE, 403), ("ada", ACME, 200), ("mia", ACME, 403)]
)
def test_roles_that_change_members(joined: Fakeplat, viewer: str, container: str, status: int) -> None:
    """Maintainers change members of a project, owners those of a group."""
    path, body = f"{container}/members/{EVE}", {"access_level": 30}
    if status == 403:
        assert FORBIDDEN == refusal(joined, viewer, "PUT", path, json=body)
    else:
        assert status == joined.as_user(viewer).put(path, json=body).status


@pytest.mark.parametrize(
    ("viewer", "path", "body", "expected"),
    [
        (None, f"{SITE}/members/7", {"access_level": 30}, UNAUTHORIZED),
        ("ext", f"{SITE}/members/7", {"access_level": 30}, resource_not_found("Project")),
        ("eve", f"{SITE}/members/7", {"access_level": 30}, FORBIDDEN),
        ("ada", f"{SITE}/members/7", {}, invalid("access_level is missing")),
        ("dev", f"{SITE}/members/7", {}, invalid("access_level is missing")),
        ("ada", f"{SITE}/members/7", {"access_level": "x"}, invalid("access_level is invalid")),
        ("ada", f"{SITE}/members/x", {"access_level": 30}, invalid("user_id is invalid")),
        ("ada", f"{SITE}/members/3", {"access_level": 40}, NOT_FOUND),
        ("ada", f"{ACME}/members/999", {"access_level": 40}, NOT_FOUND),
        pytest.param(
            "ada",
            f"{SITE}/members/7",
            {"access_level": 50},
            invalid_record(access_level=["is not included in the list"]),
            # From then on projects have Owners among their members.
            marks=pytest.mark.fakeplat(releases="<14.9"),
        ),
        (
            "ada",
            f"{SITE}/members/7",
            {"access_level": 30, "expires_at": "2020-11-19"},
            invalid_record(expires_at=["cannot be a date in the past"]),
        ),
        (
            "ada",
            f"{SITE}/members/7",
            {"access_level": 10},
            invalid_record(
                access_level=["should be greater than or equal to Reporter inherited membership from group Acme"]
            ),
        ),
    ],
)
def test_changing_a_member_is_refused(
    joined: Fakeplat, viewer: str | None, path: str, body: Any, expected: Outcome
) -> None:
    """Only direct members change, to a valid level not below the inherited one."""
    assert expected == refusal(joined, viewer, "PUT", path, json=body)


# a group that locks the membership of its projects


@pytest.mark.fakeplat(tier="premium")
def test_a_group_may_lock_the_membership_of_its_projects(fakeplat: Fakeplat) -> None:
    """A group that locks membership refuses new members of its projects with 405."""
    calls = fakeplat.as_user("ada")
    assert 200 == calls.put(ACME, json={"membership_lock": True}).status
    body = {"user_id": EVE, "access_level": 20}

    expected = (405, {"message": "405 Method Not Allowed"})
    assert expected == refusal(fakeplat, "ada", "POST", f"{SITE}/members", json=body)
    group = calls.post("groups", json={"name": "In", "path": "in", "parent_id": fakeplat.world.group("acme").id}).json()
    project = calls.post("projects", json={"name": "x", "namespace_id": group["id"]}).json()
    assert expected == refusal(fakeplat, "ada", "POST", f"projects/{project['id']}/members", json=body)
    assert 201 == calls.post(f"{ACME}/members", json=body).status


def test_locking_membership_is_a_paid_feature(fakeplat: Fakeplat) -> None:
    """On the free tier locking the membership is ignored."""
    fakeplat.as_user("ada").put(ACME, json={"membership_lock": True, "name": "Acme"})

    added = fakeplat.as_user("ada").post(f"{SITE}/members", json={"user_id": EVE, "access_level": 20})
    assert 201 == added.status


# removing


@pytest.mark.parametrize(
    ("container", "viewer"), [(SITE, "mia"), (ACME, "ada"), (SITE, "eve"), (ACME, "eve"), (ACME, "root")]
)
def test_a_member_can_be_removed(joined: Fakeplat, container: str, viewer: str) -> None:
    """Members are removed by those who administer them or by themselves with 204."""
    path = f"{container}/members/{EVE}"

    assert (204, None) == outcome(joined.as_user(viewer).delete(path))
    assert NOT_FOUND == outcome(joined.as_user("ada").get(path))


@pytest.mark.parametrize(
    ("viewer", "path", "rest", "expected"),
    [
        (None, f"{SITE}/members/7", {}, UNAUTHORIZED),
        ("ext", f"{SITE}/members/7", {}, resource_not_found("Project")),
        ("dev", f"{SITE}/members/7", {}, FORBIDDEN),
        ("mia", f"{ACME}/members/7", {}, FORBIDDEN),
        ("ada", f"{SITE}/members/3", {}, NOT_FOUND),
        ("ada", f"{ACME}/members/999", {}, NOT_FOUND),
        ("ada", f"{ACME}/members/x", {}, invalid("user_id is invalid")),
        ("ada", f"{ACME}/members/2", {}, FORBIDDEN),
        ("root", f"{ACME}/members/2", {}, FORBIDDEN),
        ("ada", f"{ACME}/members/7", {"headers": LONG_AGO}, STALE),
    ],
)
def test_removing_a_member_is_refused(
    joined: Fakeplat, viewer: str | None, path: str, rest: Any, expected: Outcome
) -> None:
    """The last owner of a group stays; who is no direct member cannot be removed."""
    assert expected == refusal(joined, viewer, "DELETE", path, **rest)


def test_one_of_two_owners_may_go(joined: Fakeplat) -> None:
    """An owner leaves a group while another owner remains."""
    joined.as_user("ada").put(f"{ACME}/members/{person(joined, 'mia')}", json={"access_level": 50})

    assert (204, None) == outcome(joined.as_user("ada").delete(f"{ACME}/members/{person(joined, 'ada')}"))


def test_leaving_a_group_ends_memberships_below_it(joined: Fakeplat) -> None:
    """Direct memberships in its projects and subgroups go too; a subgroup keeps its last owner."""
    calls, tools, kit = joined.as_user("ada"), "groups/acme%2Ftools", "projects/acme%2Ftools%2Fkit"
    own = calls.post("groups", json={"name": "Own", "path": "own", "parent_id": joined.world.group("acme").id}).json()
    for container, level in ((tools, 30), (kit, 30), (f"groups/{own['id']}", 50)):
        assert 201 == calls.post(f"{container}/members", json={"user_id": EVE, "access_level": level}).status
    assert (204, None) == outcome(calls.delete(f"groups/{own['id']}/members/{person(joined, 'ada')}"))
    assert (204, None) == outcome(calls.delete(f"{ACME}/members/{EVE}"))

    for container in (ACME, SITE, tools, kit):
        assert NOT_FOUND == outcome(calls.get(f"{container}/members/{EVE}"))
    assert 50 == calls.get(f"groups/{own['id']}/members/{EVE}").json()["access_level"]


def test_memberships_below_a_group_may_stay(joined: Fakeplat) -> None:
    """With `skip_subresources` only the membership of the group itself ends."""
    calls = joined.as_user("ada")
    assert (204, None) == outcome(calls.delete(f"{ACME}/members/{EVE}?skip_subresources=true"))

    assert NOT_FOUND == outcome(calls.get(f"{ACME}/members/{EVE}"))
    assert 20 == calls.get(f"{SITE}/members/{EVE}").json()["access_level"]
    wrong = invalid("skip_subresources is invalid")
    assert wrong == refusal(joined, "ada", "DELETE", f"{SITE}/members/{EVE}?skip_subresources=perhaps")


def test_leaving_a_project_keeps_the_membership_of_its_group(joined: Fakeplat) -> None:
    """Removing a member from a project keeps the membership in its group."""
    joined.as_user("ada").delete(f"{SITE}/members/{EVE}")

    assert 20 == joined.as_user("ada").get(f"{ACME}/members/{EVE}").json()["access_level"]


def test_removed_members_see_nothing_private(joined: Fakeplat) -> None:
    """A removed member does not see private projects any more."""
    joined.as_user("ada").delete(f"{ACME}/members/{EVE}")
    joined.as_user("ada").delete(f"{SITE}/members/{EVE}")

    assert resource_not_found("Project") == outcome(joined.as_user("eve").get(SITE))


# bots of project tokens


@pytest.mark.parametrize("container", ["projects/acme%2Fdocs", ACME])
def test_the_bot_of_a_project_joins_nothing_else(fakeplat: Fakeplat, container: str) -> None:
    """The bot of a project cannot become a member anywhere else."""
    fakeplat.token("ada", kind="project", project="acme/site")
    body = {"user_id": bot_id(fakeplat), "access_level": 30}

    assert invalid_record(user_id=["project bots cannot be added to other groups / projects"]) == refusal(
        fakeplat, "root", "POST", f"{container}/members", json=body
    )


@pytest.mark.parametrize(("method", "body"), [("DELETE", None), ("PUT", {"access_level": 10})])
def test_the_bot_of_a_project_stays_as_it_is(fakeplat: Fakeplat, method: str, body: Any) -> None:
    """The membership of a project's bot cannot be changed or removed."""
    fakeplat.token("ada", kind="project", project="acme/site")

    assert FORBIDDEN == refusal(fakeplat, "root", method, f"{SITE}/members/{bot_id(fakeplat)}", json=body)


def bot_id(fake: Fakeplat) -> int:
    return person(fake, f"project_{fake.world.project('acme/site').id}_bot")


def test_the_highest_inherited_level_counts(fakeplat: Fakeplat) -> None:
    """A level below it is refused in its words, however near a lower one is."""
    calls = fakeplat.as_user("ada")
    calls.post(f"{ACME}/members", json={"user_id": EVE, "access_level": 20})
    calls.post("groups/acme%2Ftools/members", json={"user_id": EVE, "access_level": 30})
    calls.put(f"{ACME}/members/{EVE}", json={"access_level": 40})
    expected = invalid_record(
        access_level=["should be greater than or equal to Maintainer inherited membership from group Acme"]
    )

    assert expected == refusal(
        fakeplat, "ada", "POST", "projects/acme%2Ftools%2Fkit/members", json={"user_id": EVE, "access_level": 10}
    )
