"""Owners among the members of a project, from 14.9 on. Source: docs/platform/project-members.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    GROUPS_OWN_PROJECTS,
    IMPORTED_BOTS_ARE_FAILURES,
    INVITED_GROUPS_ARE_INHERITED,
    PROJECTS_HAVE_OWNERS,
)
from tests.api.company import COMPANY
from tests.api.requests import FORBIDDEN, invalid_record, outcome, person, refusal, usernames
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="18.9")
SITE, MINE = "projects/acme%2Fsite", "projects/ada%2Fnotes"
OWNER = {"access_level": 50}


def add_owner(fake: Fakeplat, by: str = "ada") -> int:
    """Make eve an owner of the project; return the status."""
    return fake.as_user(by).post(f"{SITE}/members", json={"user_id": person(fake, "eve"), **OWNER}).status


@by_release(PROJECTS_HAVE_OWNERS, "expected", {"14.8": 400, "14.9": 201})
def test_members_of_projects_may_be_owners(fakeplat: Fakeplat, expected: int) -> None:
    """A member of a project has at most the level Maintainer up to 14.8, and may be its Owner from 14.9 on."""
    assert expected == add_owner(fakeplat)


def test_owners_of_projects_own_them(fakeplat: Fakeplat) -> None:
    """An Owner of a project may archive it, although its group is not theirs."""
    add_owner(fakeplat)
    eve = fakeplat.as_user("eve")

    assert 50 == eve.get(SITE).json()["permissions"]["project_access"]["access_level"]
    assert 201 == eve.post(f"{SITE}/archive").status


def test_maintainers_do_not_manage_owners(fakeplat: Fakeplat) -> None:
    """Maintainers neither add nor invite Owners of a project, nor change or remove them."""
    eve = person(fakeplat, "eve")
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{SITE}/members", json={"user_id": eve, **OWNER})
    assert FORBIDDEN == refusal(
        fakeplat, "mia", "POST", f"{SITE}/invitations", json={"email": "new@example.test", **OWNER}
    )
    add_owner(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", f"{SITE}/members/{eve}", json={"access_level": 30})
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", f"{SITE}/members/{eve}")
    assert 204 == fakeplat.as_user("eve").delete(f"{SITE}/members/{eve}").status


def test_maintainers_do_not_approve_owners(fakeplat: Fakeplat) -> None:
    """Maintainers do not grant the level Owner to those who request access."""
    path, eve = "projects/acme%2Fdocs/access_requests", person(fakeplat, "eve")
    fakeplat.as_user("eve").post(path)

    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", f"{path}/{eve}/approve", json=OWNER)
    assert 201 == fakeplat.as_user("ada").put(f"{path}/{eve}/approve", json=OWNER).status


@by_release(GROUPS_OWN_PROJECTS, "expected", {"18.8": 400, "18.9": 201})
def test_groups_may_own_projects(fakeplat: Fakeplat, expected: int) -> None:
    """Owners share a project with a group as Owner, in 18.9 at the latest."""
    wanted = {"group_id": fakeplat.world.group("acme/tools").id, "group_access": 50}

    assert expected == fakeplat.as_user("ada").post(f"{SITE}/share", json=wanted).status


def test_maintainers_do_not_share_as_owner(fakeplat: Fakeplat) -> None:
    """Maintainers do not share a project with a group as Owner."""
    wanted = {"group_id": fakeplat.world.group("acme/tools").id, "group_access": 50}

    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{SITE}/share", json=wanted)


def test_tokens_of_projects_may_own_them(fakeplat: Fakeplat) -> None:
    """The bot of a project's access token may be its Owner, if the creator is."""
    token = {"name": "bot", "scopes": ["api"], "expires_at": "2020-12-01", **OWNER}

    assert 400 == refusal(fakeplat, "mia", "POST", f"{SITE}/access_tokens", json=token)[0]
    assert 50 == fakeplat.as_user("ada").post(f"{SITE}/access_tokens", json=token).json()["access_level"]


@by_release(PROJECTS_HAVE_OWNERS, "expected", {"14.8": 40, "14.9": 50})
def test_creators_own_personal_projects(fakeplat: Fakeplat, expected: int) -> None:
    """Whoever creates a project in their own namespace is a member: a Maintainer up to 14.8, then the Owner."""
    ada = fakeplat.as_user("ada")
    id_ = ada.post("projects", json={"name": "Mine"}).json()["id"]

    assert [expected] == [row["access_level"] for row in ada.get(f"projects/{id_}/members").json()]


@pytest.mark.parametrize("by", ["ada", "root"])
def test_holders_of_personal_projects_stay(fakeplat: Fakeplat, by: str) -> None:
    """Nobody changes or removes the membership of the user in whose namespace a project is."""
    path = f"{MINE}/members/{person(fakeplat, 'ada')}"

    assert FORBIDDEN == refusal(fakeplat, by, "PUT", path, json={"access_level": 30})
    assert FORBIDDEN == refusal(fakeplat, by, "DELETE", path)


def test_imported_owners_become_maintainers(fakeplat: Fakeplat) -> None:
    """Owners among imported members become Maintainers, if a Maintainer of the target imports them."""
    fakeplat.as_user("ada").post(f"{MINE}/members", json={"user_id": person(fakeplat, "eve"), **OWNER})
    fakeplat.as_user("ada").post(f"{MINE}/members", json={"user_id": person(fakeplat, "mia"), "access_level": 40})
    id_ = fakeplat.world.project("ada/notes").id

    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/import_project_members/{id_}").status
    levels = {row["username"]: row["access_level"] for row in fakeplat.as_user("ada").get(f"{SITE}/members").json()}
    assert 40 == levels["eve"]


def test_maintainers_do_not_unshare_from_owners(fakeplat: Fakeplat) -> None:
    """Maintainers do not end the share of a project with a group that owns it."""
    group = fakeplat.world.group("acme/tools").id
    fakeplat.as_user("ada").post(f"{SITE}/share", json={"group_id": group, "group_access": 50})

    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", f"{SITE}/share/{group}")
    assert 204 == fakeplat.as_user("ada").delete(f"{SITE}/share/{group}").status


@by_release(IMPORTED_BOTS_ARE_FAILURES, "expected", {"18.8": "success", "18.9": "error"})
def test_imported_bots(fakeplat: Fakeplat, expected: str) -> None:
    """Bots of access tokens are skipped when members are imported, in 18.9 at the latest they are failures."""
    ada, docs = fakeplat.as_user("ada"), "projects/acme%2Fdocs"
    ada.post(f"{docs}/access_tokens", json={"name": "bot", "scopes": ["api"], "expires_at": "2020-12-01"})
    answer = ada.post(f"{SITE}/import_project_members/{fakeplat.world.project('acme/docs').id}").json()

    assert expected == answer["status"]
    assert expected == "success" or 1 == answer["total_members_count"]


@pytest.mark.fakeplat(tier="premium")
def test_minimal_access_is_for_top_level_groups(fakeplat: Fakeplat) -> None:
    """Paid tiers have members with minimal access, in top-level groups only."""
    member = {"user_id": person(fakeplat, "eve"), "access_level": 5}

    assert 201 == fakeplat.as_user("ada").post("groups/acme/members", json=member).status
    for path, texts in ((SITE, ()), ("groups/acme%2Ftools", ("supported on top level groups only",))):
        answer = fakeplat.as_user("ada").post(f"{path}/members", json=member)
        assert invalid_record(access_level=["is not included in the list", *texts]) == outcome(answer)


FRIENDS = {
    "groups": [
        {
            "path": "friends",
            "visibility": "private",
            "members": {"eve": "developer"},
        }
    ]
}


def share_acme(fake: Fakeplat) -> None:
    """Share the group acme with a private group, whose member eve becomes a Guest."""
    fake.load(FRIENDS)
    wanted = {"group_id": fake.world.group("friends").id, "group_access": 10}
    assert 201 == fake.as_user("root").post("groups/acme/share", json=wanted).status


@by_release(INVITED_GROUPS_ARE_INHERITED, "expected", {"16.11": set(), "17.0": {"eve"}})
@pytest.mark.parametrize("path", ["groups/acme", "groups/acme%2Ftools", SITE])
def test_members_of_invited_groups_are_inherited(fakeplat: Fakeplat, expected: set[str], path: str) -> None:
    """Lists of all members contain those of groups that the groups above are shared with, from 17.0 on."""
    share_acme(fakeplat)
    listed = usernames(fakeplat.as_user("dev").get(f"{path}/members/all"))

    assert expected == set(listed) - {"ada", "mia", "dev", "rep", "gus"}


def test_hidden_invited_groups_hide_who_invited(fakeplat: Fakeplat) -> None:
    """Members of a hidden invited group have their capped level; who added them is shown to administrators of members.

    Those who are not members of what is shared do not find them.
    """
    share_acme(fakeplat)
    path = f"groups/acme/members/all/{person(fakeplat, 'eve')}"
    fakeplat.as_user("root").put(f"groups/friends/members/{person(fakeplat, 'eve')}", json={"access_level": 30})

    assert 10 == fakeplat.as_user("dev").get(path).json()["access_level"]
    assert 404 == refusal(fakeplat, "ext", "GET", path)[0]
