"""Custom roles and standard roles, as ee/spec/requests/api/graphql/member_role of the platform expects them."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ADMIN_ROLES_ARE_ON
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

ROLES: Final = [
    {"name": "Runner", "base_access_level": 40, "admin_web_hook": True},
    {"name": "Reader", "base_access_level": 10, "read_code": True, "description": "Reads"},
]
OWN: Final = {**WORLD, "member_roles": [*ROLES, {"name": "Helpdesk", "read_admin_users": True}]}
HOSTED: Final = {
    **WORLD,
    "groups": [{**each, "member_roles": ROLES} if each["path"] == "acme" else each for each in WORLD["groups"]],
}
pytestmark = pytest.mark.fakeplat(scenario=OWN, version="latest", tier="ultimate")
ON_HOSTED = pytest.mark.fakeplat(scenario=HOSTED, version="latest", tier="ultimate", hosted=True)
FIELDS: Final = """id name description baseAccessLevel { stringValue } membersCount usersCount detailsPath editPath
    enabledPermissions { nodes { value } }"""
LIST: Final = f"{{ memberRoles {{ nodes {{ {FIELDS} }} }} }}"
SHOWN: Final = "memberRole { id name description enabledPermissions { nodes { value } } }"
CREATE: Final = write_mutation("memberRoleCreate", SHOWN)
UPDATE: Final = write_mutation("memberRoleUpdate", SHOWN)
DELETE: Final = write_mutation("memberRoleDelete", "memberRole { name }")
CREATE_ADMIN: Final = write_mutation("memberRoleAdminCreate", SHOWN)
UPDATE_ADMIN: Final = write_mutation("memberRoleAdminUpdate", SHOWN)
DELETE_ADMIN: Final = write_mutation("memberRoleAdminDelete", "memberRole { name }")
ASSIGN: Final = write_mutation("memberRoleToUserAssign", "userMemberRole { id user { username } }")
ADMIN_PAGE: Final = "/admin/application_settings/roles_and_permissions"
NONE: Final = "Cannot create a member role with no enabled permissions"


def role_id(fake: Fakeplat, name: str) -> str:
    with fake.bench.platform.acting() as ctx:
        (id_,) = [role.id for role in ctx.world.member_roles.all() if role.name == name]
    return f"gid://gitlab/MemberRole/{id_}"


def user_id(fake: Fakeplat, username: str) -> str:
    return f"gid://gitlab/User/{fake.world.user(username).id}"


def list_names(fake: Fakeplat, by: str | None, arguments: str = "", field: str = "memberRoles") -> list[str]:
    data = query_data(fake, by, f"{{ {field}{arguments} {{ nodes {{ name }} }} }}")
    return [row["name"] for row in data[field]["nodes"]]


def query_group(fake: Fakeplat, by: str | None, selection: str, path: str = "acme") -> Any:
    return query_data(fake, by, f'{{ group(fullPath: "{path}") {{ {selection} }} }}')["group"]


def refused(fake: Fakeplat, by: str | None, query: str, **given: Any) -> list[str]:
    """Return the messages of a mutation that is refused: of the query, or of its payload."""
    content = query_refused(fake, by, query, input=given)
    if "errors" in content:
        return list_messages(content)
    (payload,) = content["data"].values()
    errors: list[str] = payload["errors"]
    return errors


def test_users_see_the_roles_of_the_instance(fakeplat: Fakeplat) -> None:
    """Each user sees the roles of members by name, with their permissions and members; nobody else does."""
    reader = role_id(fakeplat, "Reader")
    (shown, runner) = query_data(fakeplat, "eve", LIST)["memberRoles"]["nodes"]

    assert {
        "id": reader,
        "name": "Reader",
        "description": "Reads",
        "baseAccessLevel": {"stringValue": "GUEST"},
        "membersCount": 0,
        "usersCount": 0,
        "detailsPath": f"{ADMIN_PAGE}/{reader.rpartition('/')[2]}",
        "editPath": f"{ADMIN_PAGE}/{reader.rpartition('/')[2]}/edit",
        "enabledPermissions": {"nodes": [{"value": "READ_CODE"}]},
    } == shown
    assert "Runner" == runner["name"]
    assert [] == list_names(fakeplat, None)


def test_roles_are_selected_and_sorted(fakeplat: Fakeplat) -> None:
    """Roles are selected by their IDs, and sorted by name, ID or time."""
    reader = role_id(fakeplat, "Reader")

    assert ["Runner", "Reader"] == list_names(fakeplat, "eve", "(orderBy: ID)")
    assert ["Reader", "Runner"] == list_names(fakeplat, "eve", "(orderBy: CREATED_AT, sort: DESC)")
    assert ["Reader"] == list_names(fakeplat, "eve", f'(ids: ["{reader}"])')
    one = query_data(fakeplat, "eve", f'{{ memberRole(id: "{reader}") {{ name }} }}')
    assert {"memberRole": {"name": "Reader"}} == one


@pytest.mark.fakeplat(tier="premium")
def test_roles_need_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below ultimate there are no custom roles, and none are created."""
    given = {"baseAccessLevel": "GUEST", "name": "New", "permissions": ["READ_CODE"]}

    assert [] == list_names(fakeplat, "root")
    assert query_group(fakeplat, "ada", "memberRoles { nodes { name } }") == {"memberRoles": None}
    assert [NOT_AVAILABLE] == refused(fakeplat, "root", CREATE, **given)


def test_groups_show_the_roles_that_their_members_can_have(fakeplat: Fakeplat) -> None:
    """Members see the roles of the instance, and which of them they can assign; others do not."""
    query = "memberRoles { nodes { name } }"
    assignable = "memberRoles(assignable: true) { nodes { name } }"

    both = {"memberRoles": {"nodes": [{"name": "Reader"}, {"name": "Runner"}]}}
    assert both == query_group(fakeplat, "gus", query)
    assert both == query_group(fakeplat, "ada", assignable)
    assert {"memberRoles": {"nodes": []}} == query_group(fakeplat, "gus", assignable)
    assert {"memberRoles": {"nodes": [{"name": "Reader"}]}} == query_group(fakeplat, "rep", assignable)
    assert {"memberRoles": None} == query_group(fakeplat, "eve", query)


@ON_HOSTED
def test_groups_of_the_hosted_offering_have_their_own_roles(fakeplat: Fakeplat) -> None:
    """There, members of a group see its roles, also below it, and find them by their IDs."""
    reader = role_id(fakeplat, "Reader")
    query = "memberRoles { nodes { name detailsPath } }"
    page = f"/groups/acme/-/settings/roles_and_permissions/{reader.rpartition('/')[2]}"

    shown = {"name": "Reader", "detailsPath": page}
    assert shown == query_group(fakeplat, "gus", query)["memberRoles"]["nodes"][0]
    assert shown == query_group(fakeplat, "gus", query, "acme/tools")["memberRoles"]["nodes"][0]
    assert ["Reader"] == list_names(fakeplat, "gus", f'(ids: ["{reader}"])')
    assert [] == list_names(fakeplat, "eve", f'(ids: ["{reader}"])')
    assert ["Internal server error"] == list_messages(query_refused(fakeplat, "root", LIST))


@pytest.mark.fakeplat(
    scenario={**HOSTED, "groups": [{**each, "plan": "ultimate"} for each in HOSTED["groups"]]},
    tier="free",
    hosted=True,
)
def test_roles_follow_the_plan_of_a_hosted_group(fakeplat: Fakeplat) -> None:
    """There, the plan of the top-level group decides whether it has roles, and not the tier."""
    shown = query_group(fakeplat, "gus", "memberRoles { nodes { name } }")

    assert {"memberRoles": {"nodes": [{"name": "Reader"}, {"name": "Runner"}]}} == shown


def test_permissions_are_listed_by_title(fakeplat: Fakeplat) -> None:
    """A permission tells for what it is, and which roles have it anyway; what is switched off is left out."""
    fields = "nodes { name value availableFor requirements enabledForGroupAccessLevels enabledForProjectAccessLevels }"
    data = query_data(fakeplat, None, f"{{ memberRolePermissions {{ {fields} }} }}")
    rows = data["memberRolePermissions"]["nodes"]
    (runners,) = [row for row in rows if row["value"] == "ADMIN_RUNNERS"]

    assert "Apply security scan profiles" == rows[0]["name"]
    assert {
        "name": "Manage runners",
        "value": "ADMIN_RUNNERS",
        "availableFor": ["project", "group"],
        "requirements": ["READ_RUNNERS"],
        "enabledForGroupAccessLevels": ["OWNER"],
        "enabledForProjectAccessLevels": ["MAINTAINER", "OWNER"],
    } == runners
    assert not {"MANAGE_PROTECTED_TAGS", "READ_ADMIN_USERS"} & {row["value"] for row in rows}


def test_permissions_of_administrators_are_listed(fakeplat: Fakeplat) -> None:
    """Roles of administrators have permissions of their own."""
    data = query_data(fakeplat, None, "{ adminMemberRolePermissions { nodes { name value requirements } } }")

    assert {"name": "View CI/CD", "value": "READ_ADMIN_CICD", "requirements": None} == data[
        "adminMemberRolePermissions"
    ]["nodes"][0]


def test_standard_roles(fakeplat: Fakeplat) -> None:
    """The standard roles are listed by level, on the instance and in groups."""
    fields = "id name accessLevel detailsPath"
    data = query_data(fakeplat, None, f"{{ standardRoles {{ nodes {{ {fields} }} }} }}")
    levels = [row["accessLevel"] for row in data["standardRoles"]["nodes"]]
    owner = query_data(fakeplat, None, f"{{ standardRole(accessLevel: [OWNER]) {{ {fields} }} }}")["standardRole"]

    assert [5, 10, 15, 20, 30, 40, 50] == levels
    assert {
        "id": "gid://gitlab/StandardRole/OWNER",
        "name": "Owner",
        "accessLevel": 50,
        "detailsPath": f"{ADMIN_PAGE}/OWNER",
    } == owner
    assert {"standardRole": owner} == query_group(fakeplat, "eve", f"standardRole(accessLevel: [OWNER]) {{ {fields} }}")


@ON_HOSTED
def test_standard_roles_of_the_hosted_offering_are_those_of_groups(fakeplat: Fakeplat) -> None:
    """There, only groups show standard roles."""
    page = "/groups/acme/-/settings/roles_and_permissions/MINIMAL_ACCESS"
    first = query_group(fakeplat, "gus", "standardRole { name detailsPath }")

    assert {"standardRole": {"name": "Minimal Access", "detailsPath": page}} == first
    query = "{ standardRoles { nodes { name } } }"
    assert ["You have to specify group for SaaS."] == list_messages(query_refused(fakeplat, "gus", query))


def test_administrators_create_change_and_delete_roles(fakeplat: Fakeplat) -> None:
    """A role is created with permissions; a change removes those that are not sent."""
    given = {"baseAccessLevel": "DEVELOPER", "name": "Keeper", "permissions": ["ADMIN_WEB_HOOK", "READ_CODE"]}
    created = query_data(fakeplat, "root", CREATE, input=given)["memberRoleCreate"]
    id_ = role_id(fakeplat, "Keeper")

    both = {"nodes": [{"value": "ADMIN_WEB_HOOK"}, {"value": "READ_CODE"}]}
    shown = {"id": id_, "name": "Keeper", "description": None, "enabledPermissions": both}
    assert {"memberRole": shown, "errors": []} == created

    change = {"id": id_, "description": "Keeps", "permissions": ["READ_CODE"]}
    changed = query_data(fakeplat, "root", UPDATE, input=change)["memberRoleUpdate"]
    code = {"nodes": [{"value": "READ_CODE"}]}
    assert {"memberRole": {**shown, "description": "Keeps", "enabledPermissions": code}, "errors": []} == changed

    deleted = query_data(fakeplat, "root", DELETE, input={"id": id_})["memberRoleDelete"]
    assert {"memberRole": {"name": "Keeper"}, "errors": []} == deleted
    assert ["Reader", "Runner"] == list_names(fakeplat, "root")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"name": ""}, "Name can't be blank"),
        ({"name": "Reader"}, "Name has already been taken"),
        ({"permissions": []}, NONE),
        ({"name": "Reader", "permissions": []}, f"{NONE}, Name has already been taken"),
        ({"permissions": ["ADMIN_RUNNERS"]}, "Read runners has to be enabled in order to enable Admin runners"),
        ({"permissions": ["READ_ADMIN_USERS"]}, "Unknown permission: read_admin_users"),
    ],
)
def test_invalid_roles_are_refused(fakeplat: Fakeplat, changes: dict[str, Any], error: str) -> None:
    """A role has a name of its own, and permissions that fit."""
    given = {"baseAccessLevel": "GUEST", "name": "New", "permissions": ["READ_CODE"], **changes}

    assert [error] == refused(fakeplat, "root", CREATE, **given)
    runner = {"id": role_id(fakeplat, "Runner"), "name": "New", "permissions": ["READ_CODE"], **changes}
    if "ADMIN_RUNNERS" not in changes.get("permissions", ()):
        assert [error] == refused(fakeplat, "root", UPDATE, **runner)


def test_refusals_of_roles(fakeplat: Fakeplat) -> None:
    """Only administrators change roles of the instance; groups are named in the hosted offering only."""
    given = {"baseAccessLevel": "GUEST", "name": "New", "permissions": ["READ_CODE"]}
    reader, helpdesk = role_id(fakeplat, "Reader"), role_id(fakeplat, "Helpdesk")

    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", CREATE, **given)
    wrong = "group_path argument is not allowed on self-managed instances."
    assert [wrong] == refused(fakeplat, "root", CREATE, **given, groupPath="acme")
    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", UPDATE, id=reader, name="x")
    assert [NOT_AVAILABLE] == refused(fakeplat, "root", UPDATE, id="gid://gitlab/MemberRole/1", name="x")
    assert ["The list of member_role attributes is empty"] == refused(fakeplat, "root", UPDATE, id=reader)
    assert [NONE] == refused(fakeplat, "root", UPDATE, id=reader, name="x")
    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", DELETE, id=reader)
    wrong = "This mutation can only be used to delete standard member roles"
    assert [wrong] == refused(fakeplat, "root", DELETE, id=helpdesk)


def test_roles_of_members_stay(fakeplat: Fakeplat) -> None:
    """A role that a member has is not deleted, and counts its members."""
    reader, gus = role_id(fakeplat, "Reader"), fakeplat.world.user("gus").id
    body = {"access_level": 10, "member_role_id": int(reader.rpartition("/")[2])}
    assert 200 == fakeplat.as_user("ada").put(f"groups/acme/members/{gus}", json=body).status

    error = "Role is assigned to one or more group members. Remove role from all group members, then delete role."
    assert [error] == refused(fakeplat, "root", DELETE, id=reader)
    shown = query_data(fakeplat, "eve", LIST)["memberRoles"]["nodes"][0]
    assert (1, 1) == (shown["membersCount"], shown["usersCount"])


@ON_HOSTED
def test_owners_change_the_roles_of_groups(fakeplat: Fakeplat) -> None:
    """In the hosted offering, Owners create, change and delete roles of top-level groups."""
    given = {"baseAccessLevel": "GUEST", "name": "New", "permissions": ["READ_CODE"]}
    reader = role_id(fakeplat, "Reader")

    assert ["group_path argument is required."] == refused(fakeplat, "ada", CREATE, **given)
    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", CREATE, **given, groupPath="nowhere")
    assert [NOT_AVAILABLE] == refused(fakeplat, "mia", CREATE, **given, groupPath="acme")
    top = ["Namespace must be top-level namespace"]
    assert top == refused(fakeplat, "ada", CREATE, **given, groupPath="acme/tools")
    created = query_data(fakeplat, "ada", CREATE, input={**given, "groupPath": "acme"})["memberRoleCreate"]
    assert [] == created["errors"]
    assert [NOT_AVAILABLE] == refused(fakeplat, "mia", DELETE, id=reader)
    assert [] == query_data(fakeplat, "ada", DELETE, input={"id": reader})["memberRoleDelete"]["errors"]


# Roles of administrators


def test_roles_of_administrators(fakeplat: Fakeplat) -> None:
    """Administrators list, create, change and delete roles of administrators."""
    fields = "name usersCount detailsPath enabledPermissions { nodes { value } }"
    helpdesk = role_id(fakeplat, "Helpdesk")
    (shown,) = query_data(fakeplat, "root", f"{{ adminMemberRoles {{ nodes {{ {fields} }} }} }}")["adminMemberRoles"][
        "nodes"
    ]

    assert {
        "name": "Helpdesk",
        "usersCount": 0,
        "detailsPath": f"{ADMIN_PAGE}/{helpdesk.rpartition('/')[2]}",
        "enabledPermissions": {"nodes": [{"value": "READ_ADMIN_USERS"}]},
    } == shown
    assert [] == list_names(fakeplat, "ada", field="adminMemberRoles")
    given = {"name": "Watch", "permissions": ["READ_ADMIN_CICD"]}
    created = query_data(fakeplat, "root", CREATE_ADMIN, input=given)["memberRoleAdminCreate"]
    assert ("Watch", []) == (created["memberRole"]["name"], created["errors"])
    id_ = created["memberRole"]["id"]
    change = {"id": id_, "permissions": ["READ_ADMIN_GROUPS"]}
    changed = query_data(fakeplat, "root", UPDATE_ADMIN, input=change)["memberRoleAdminUpdate"]["memberRole"]
    assert [{"value": "READ_ADMIN_GROUPS"}] == changed["enabledPermissions"]["nodes"]
    assert [] == query_data(fakeplat, "root", DELETE_ADMIN, input={"id": id_})["memberRoleAdminDelete"]["errors"]
    assert ["Helpdesk"] == list_names(fakeplat, "root", field="adminMemberRoles")


def test_refusals_of_roles_of_administrators(fakeplat: Fakeplat) -> None:
    """Roles of members are none of administrators, which only those change."""
    reader, helpdesk = role_id(fakeplat, "Reader"), role_id(fakeplat, "Helpdesk")
    given = {"name": "Watch", "permissions": ["READ_ADMIN_CICD"]}

    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", CREATE_ADMIN, **given)
    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", UPDATE_ADMIN, id=helpdesk, name="x")
    wrong = "This mutation can only be used to update admin member roles"
    assert [wrong] == refused(fakeplat, "root", UPDATE_ADMIN, id=reader, name="x")
    wrong = "This mutation is restricted to deleting admin roles only"
    assert [wrong] == refused(fakeplat, "root", DELETE_ADMIN, id=reader)
    wrong = "Base access level can't be blank, Base access level is not included in the list"
    assert [f"{NONE}, {wrong}"] == refused(fakeplat, "root", CREATE_ADMIN, name="Watch")


def test_users_get_roles_of_administrators(fakeplat: Fakeplat) -> None:
    """A user has one role of administrators, which can be taken away; administrators need none."""
    helpdesk, dev = role_id(fakeplat, "Helpdesk"), user_id(fakeplat, "dev")
    given = {"userId": dev, "memberRoleId": helpdesk}
    assigned = query_data(fakeplat, "root", ASSIGN, input=given)["memberRoleToUserAssign"]

    assert {"username": "dev"} == assigned["userMemberRole"]["user"]
    assert assigned["userMemberRole"]["id"].startswith("gid://gitlab/Users::UserMemberRole/")
    error = "Admin role is assigned to one or more users. Remove role from all users, then delete role."
    assert [error] == refused(fakeplat, "root", DELETE_ADMIN, id=helpdesk)
    none: dict[str, Any] = {"userMemberRole": None, "errors": []}
    for user in (dev, user_id(fakeplat, "root")):
        role = {} if user == dev else {"memberRoleId": helpdesk}
        assert none == query_data(fakeplat, "root", ASSIGN, input={"userId": user, **role})["memberRoleToUserAssign"]
    assert [] == query_data(fakeplat, "root", DELETE_ADMIN, input={"id": helpdesk})["memberRoleAdminDelete"]["errors"]


def test_refusals_of_assignments(fakeplat: Fakeplat) -> None:
    """Only administrators assign roles, and only those of administrators."""
    helpdesk, reader, dev = role_id(fakeplat, "Helpdesk"), role_id(fakeplat, "Reader"), user_id(fakeplat, "dev")

    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", ASSIGN, userId=dev, memberRoleId=helpdesk)
    assert [NOT_AVAILABLE] == refused(
        fakeplat, "root", ASSIGN, userId="gid://gitlab/User/404404", memberRoleId=helpdesk
    )
    wrong = "Only admin custom roles can be assigned directly to a user."
    assert [wrong] == refused(fakeplat, "root", ASSIGN, userId=dev, memberRoleId=reader)


@by_release(ADMIN_ROLES_ARE_ON, "expected", {"18.2": ["`custom_admin_roles` feature flag is disabled."], "18.3": []})
def test_roles_of_administrators_begin_behind_a_flag(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Before 18.3 a feature flag switches roles of administrators on."""
    given = {"name": "Watch", "permissions": ["READ_ADMIN_CICD"]}
    content = query_data(fakeplat, "root", CREATE_ADMIN, input=given) if not expected else None

    assert expected == (refused(fakeplat, "root", CREATE_ADMIN, **given) if content is None else [])
    assert (["Watch"] if content else []) == list_names(fakeplat, "root", field="adminMemberRoles")[1:]


@pytest.mark.fakeplat(
    scenario={**OWN, "users": [*WORLD["users"], {"username": "hal", "admin_role": {"member_role": "Helpdesk"}}]}
)
def test_scenarios_give_users_roles_of_administrators(fakeplat: Fakeplat) -> None:
    """A user of a scenario has a role of administrators, which the export keeps."""
    count = query_data(fakeplat, "root", "{ adminMemberRole { usersCount } }")

    assert {"adminMemberRole": {"usersCount": 1}} == count
