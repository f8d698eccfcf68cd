"""Members with custom roles: assignment and granted abilities.

Source: ee/app/models/concerns/member_roles/ and ee/app/policies of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy import custom_roles
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import BILLABLE_MEMBERSHIPS_HAVE_ROLES, CUSTOM_ROLES
from tests.api.requests import Outcome, invalid, outcome, person
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    scenario={
        "extends": "starter",
        "member_roles": [
            {"name": "Reader", "base_access_level": 10, "read_code": True},
            {"name": "Keeper", "base_access_level": 30, "manage_deploy_tokens": True, "admin_cicd_variables": True},
        ],
    },
    tier="ultimate",
    version="latest",
)
SITE, ACME = "projects/acme%2Fsite", "groups/acme"


def find_role_id(fake: Fakeplat, name: str = "Reader") -> int:
    (id_,) = (row["id"] for row in fake.as_user("root").get("member_roles").json() if row["name"] == name)
    return int(id_)


def add_member(fake: Fakeplat, path: str = SITE, level: int = 10, **fields: Any) -> Outcome:
    body = {"user_id": person(fake, "eve"), "access_level": level, **fields}
    return outcome(fake.as_user("ada").post(f"{path}/members", json=body))


def update_member(fake: Fakeplat, path: str = SITE, **fields: Any) -> Outcome:
    return outcome(fake.as_user("ada").put(f"{path}/members/{person(fake, 'eve')}", json=fields))


@pytest.mark.parametrize("path", [SITE, ACME])
def test_a_member_gets_a_role(fakeplat: Fakeplat, path: str) -> None:
    """A member with a custom role shows it with all permissions; others lack the field."""
    status, member = add_member(fakeplat, path, member_role_id=find_role_id(fakeplat))
    (reader,) = (row for row in fakeplat.as_user("root").get("member_roles").json() if row["name"] == "Reader")
    assert (201, reader) == (status, member["member_role"])
    members = fakeplat.as_user("ada").get(f"{path}/members").json()
    assert [member["id"]] == [row["id"] for row in members if "member_role" in row]


@by_release(CUSTOM_ROLES, "decision", {"15.8": 403, "15.9": 200})
def test_roles_count_from_15_9_on(fakeplat: Fakeplat, decision: int) -> None:
    """The permissions of a custom role are granted from 15.9 on."""
    with fakeplat.bench.platform.acting() as ctx:
        (reader,) = (role for role in ctx.world.member_roles.all() if role.name == "Reader")
    assert 201 == add_member(fakeplat)[0]
    with fakeplat.bench.platform.acting() as ctx:
        (member,) = (row for row in ctx.world.members.all() if row.user_id == person(fakeplat, "eve"))
        ctx.world.members.change(member, member_role_id=reader.id)
    assert decision == fakeplat.as_user("eve").get(f"{SITE}/repository/files/README.md?ref=feature").status


def test_several_members_get_a_role(fakeplat: Fakeplat) -> None:
    """Each of several members that are added at once gets the role."""
    users = f"{person(fakeplat, 'eve')},{person(fakeplat, 'ext')}"
    assert (201, {"status": "success"}) == add_member(fakeplat, user_id=users, member_role_id=find_role_id(fakeplat))
    members = fakeplat.as_user("ada").get(f"{SITE}/members").json()
    assert ["eve", "ext"] == sorted(row["username"] for row in members if "member_role" in row)


def test_the_level_is_that_of_the_role(fakeplat: Fakeplat) -> None:
    """A level other than the role's answers 400."""
    text = "the custom role's base access level does not match the current access level"
    refused: Outcome = (400, {"message": {"member_role_id": [text]}})
    assert refused == add_member(fakeplat, level=30, member_role_id=find_role_id(fakeplat))
    users = f"{person(fakeplat, 'eve')},{person(fakeplat, 'ext')}"
    message = f"eve: Member role {text} and ext: Member role {text}"
    expected = {"status": "error", "message": message}
    assert (201, expected) == add_member(fakeplat, user_id=users, level=30, member_role_id=find_role_id(fakeplat))


def test_an_unknown_role_is_refused(fakeplat: Fakeplat) -> None:
    """An unknown role answers 400."""
    refused: Outcome = (400, {"message": {"member_role": ["not found"]}})
    assert refused == add_member(fakeplat, member_role_id=1)
    assert invalid("member_role_id is invalid") == add_member(fakeplat, member_role_id="x")
    add_member(fakeplat)
    assert refused == update_member(fakeplat, access_level=10, member_role_id=1)


def test_a_role_is_changed_and_removed(fakeplat: Fakeplat) -> None:
    """The level alone cannot be changed while there is one."""
    add_member(fakeplat, member_role_id=find_role_id(fakeplat))
    locked = "cannot be changed because of an existing association with a custom role"
    assert (400, {"message": {"access_level": [locked]}}) == update_member(fakeplat, access_level=30)
    assert (200, "Reader") == _name(update_member(fakeplat, access_level=10, expires_at="2100-01-01"))
    assert (200, "Keeper") == _name(
        update_member(fakeplat, access_level=30, member_role_id=find_role_id(fakeplat, "Keeper"))
    )
    assert (200, None) == _name(update_member(fakeplat, access_level=20, member_role_id=None))
    assert (200, None) == _name(update_member(fakeplat, access_level=10))


def _name(result: Outcome) -> tuple[int, str | None]:
    status, member = result
    return status, member["member_role"]["name"] if "member_role" in member else None


def test_a_role_that_is_assigned_cannot_be_deleted(fakeplat: Fakeplat) -> None:
    """Deleting a role that is assigned to a member answers 400."""
    add_member(fakeplat, member_role_id=find_role_id(fakeplat))
    text = "Role is assigned to one or more group members. Remove role from all group members, then delete role."
    reply = fakeplat.as_user("root").delete(f"member_roles/{find_role_id(fakeplat)}")
    assert (400, {"message": text}) == outcome(reply)


def test_code_is_read_with_the_permission(fakeplat: Fakeplat) -> None:
    """A Guest of a private project cannot otherwise; a role in the group counts in its projects."""
    path = f"{SITE}/repository/tree"
    eve = fakeplat.as_user("eve")
    add_member(fakeplat)
    assert 403 == eve.get(path).status
    assert 200 == update_member(fakeplat, access_level=10, member_role_id=find_role_id(fakeplat))[0]
    assert 200 == eve.get(path).status

    fakeplat.as_user("ada").delete(f"{SITE}/members/{person(fakeplat, 'eve')}")
    assert 404 == eve.get(path).status
    add_member(fakeplat, ACME, member_role_id=find_role_id(fakeplat))
    assert 200 == eve.get(path).status


@pytest.mark.parametrize("path", [SITE, ACME])
@pytest.mark.parametrize(("permission", "statuses"), [(False, [403, 403]), (True, [201, 201])])
def test_other_permissions(fakeplat: Fakeplat, path: str, permission: bool, statuses: list[int]) -> None:
    """Deploy tokens and CI variables are for Maintainers otherwise."""
    add_member(fakeplat, path, level=30, **({"member_role_id": find_role_id(fakeplat, "Keeper")} if permission else {}))
    eve = fakeplat.as_user("eve")
    replies = [
        eve.post(f"{path}/deploy_tokens", json={"name": "x", "scopes": ["read_repository"]}),
        eve.post(f"{path}/variables", json={"key": "KEY", "value": "x"}),
    ]
    assert statuses == [reply.status for reply in replies]


@pytest.mark.parametrize(
    ("permission", "path", "abilities"),
    [
        ("admin_group_member", ACME, ["ADMIN_MEMBERS", "READ_BILLABLE_MEMBERS", "UPDATE_MEMBERS"]),
        ("admin_merge_request", SITE, ["CREATE_MERGE_REQUEST_FROM", "DOWNLOAD_CODE", "READ_MERGE_REQUESTS"]),
        ("admin_push_rules", SITE, ["CHANGE_PUSH_RULES"]),
        ("admin_push_rules", ACME, ["CHANGE_PUSH_RULES"]),
        ("archive_project", SITE, ["ARCHIVE_PROJECT"]),
        ("manage_group_access_tokens", ACME, ["CREATE_RESOURCE_ACCESS_TOKENS", "READ_RESOURCE_ACCESS_TOKENS"]),
        ("manage_merge_request_settings", SITE, ["UPDATE_APPROVERS"]),
        ("manage_project_access_tokens", SITE, ["CREATE_RESOURCE_ACCESS_TOKENS", "READ_RESOURCE_ACCESS_TOKENS"]),
        ("remove_group", ACME, ["REMOVE_GROUP"]),
        ("remove_project", SITE, ["REMOVE_PROJECT"]),
        ("read_runners", SITE, []),
    ],
)
def test_each_permission_grants_its_abilities(
    fakeplat: Fakeplat, permission: str, path: str, abilities: list[str]
) -> None:
    """Each permission of a custom role grants exactly its abilities."""
    fakeplat.load({"member_roles": [{"name": "One", "base_access_level": 10, permission: True}]})
    add_member(fakeplat, path, member_role_id=find_role_id(fakeplat, "One"))
    world, eve = fakeplat.bench.platform.view, person(fakeplat, "eve")
    places: list[Any] = [*world.projects.all(), *world.namespaces.all()]
    (container,) = (row for row in places if row.id == _id(fakeplat, path))
    checked = {
        "ACTIVATE_MEMBERS",
        "ADMIN_MEMBERS",
        "ADMIN_PROJECT",
        "ARCHIVE_PROJECT",
        "CHANGE_PUSH_RULES",
        "CREATE_MERGE_REQUEST_FROM",
        "CREATE_RESOURCE_ACCESS_TOKENS",
        "DOWNLOAD_CODE",
        "READ_BILLABLE_MEMBERS",
        "READ_MERGE_REQUESTS",
        "READ_RESOURCE_ACCESS_TOKENS",
        "REMOVE_GROUP",
        "REMOVE_PROJECT",
        "UPDATE_APPROVERS",
        "UPDATE_MEMBERS",
    }
    granted = [name for name in sorted(checked) if custom_roles.grants(world, eve, Ability[name], container)]
    assert abilities == granted


def _id(fake: Fakeplat, path: str) -> int:
    return int(fake.as_user("root").get(path).json()["id"])


@pytest.mark.fakeplat(tier="premium")
def test_below_the_tier_the_role_is_ignored(fakeplat: Fakeplat) -> None:
    """The member is added without."""
    with fakeplat.bench.platform.acting() as ctx:
        (reader, _) = ctx.world.member_roles.all()
    status, member = add_member(fakeplat, member_role_id=reader.id)
    assert (201, False) == (status, "member_role" in member)


@pytest.mark.fakeplat(version="13.5.1")
def test_older_releases_have_no_such_parameter(fakeplat: Fakeplat) -> None:
    """Older releases ignore the parameter `member_role_id`."""
    status, member = add_member(fakeplat, member_role_id=1)
    assert (201, False) == (status, "member_role" in member)


def test_whoever_manages_members_by_a_role_does_not_approve_them(fakeplat: Fakeplat) -> None:
    """A custom role lets its members list those who await approval or take seats; only Owners approve."""
    fakeplat.load({"member_roles": [{"name": "Host", "base_access_level": 10, "admin_group_member": True}]})
    member = add_member(fakeplat, ACME, member_role_id=find_role_id(fakeplat, "Host"))[1]
    eve, bad = fakeplat.as_user("eve"), (400, {"message": "400 Bad request"})

    assert [200, 200] == [eve.get(f"{ACME}/{list_}").status for list_ in ("pending_members", "billable_members")]
    assert bad == outcome(eve.post(f"{ACME}/members/approve_all"))
    with fakeplat.bench.platform.acting() as ctx:
        (id_,) = (row.id for row in ctx.world.members.all() if row.user_id == member["id"])
    assert bad == outcome(eve.put(f"{ACME}/members/{id_}/approve"))


@by_release(BILLABLE_MEMBERSHIPS_HAVE_ROLES, "shown", {"18.8": False, "18.9": True})
def test_memberships_of_billable_members_show_the_role(fakeplat: Fakeplat, shown: bool) -> None:
    """Later releases show the custom role of a membership, or that there is none."""
    role = find_role_id(fakeplat, "Keeper")
    add_member(fakeplat, ACME, level=30, member_role_id=role)
    ada = fakeplat.as_user("ada")
    roles = [
        ada.get(f"{ACME}/billable_members/{person(fakeplat, name)}/memberships").json()[0]["access_level"]
        for name in ("eve", "ada")
    ]

    levels = [{"string_value": "Developer", "integer_value": 30}, {"string_value": "Owner", "integer_value": 50}]
    assert levels == [{key: level[key] for key in ("string_value", "integer_value")} for level in roles]
    expected = [{"id": role, "name": "Keeper"}, None] if shown else []
    assert expected == [level["custom_role"] for level in roles if "custom_role" in level]
