"""Users, groups, members and projects of later releases, as today's clients read them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, post_query, query_data
from tests.graphql.reviewed_world import REVIEWED

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")


def list_names(connection: dict[str, Any], name: str) -> list[str]:
    return [node[name] for node in connection["nodes"]]


def test_the_caller_has_a_type_of_its_own(fakeplat: Fakeplat) -> None:
    """The caller is of the type ``CurrentUser``, which has the fields of every user."""
    query = """{ currentUser { __typename id username bot human type emails { nodes { email } } commitEmail
        groupCount userPermissions { createSnippet } namespace: groups { nodes { fullPath } } } }"""
    user = query_data(fakeplat, "ada", query)["currentUser"]
    record = fakeplat.world.user("ada")

    assert ("CurrentUser", f"gid://gitlab/User/{record.id}", "ada") == (
        user["__typename"],
        user["id"],
        user["username"],
    )
    assert (False, True, "HUMAN") == (user["bot"], user["human"], user["type"])
    assert ([{"email": record.email}], record.email) == (user["emails"]["nodes"], user["commitEmail"])
    assert user["groupCount"] == len(user["namespace"]["nodes"])
    assert {"createSnippet": True} == user["userPermissions"]


def test_addresses_and_groups_of_others_are_hidden(fakeplat: Fakeplat) -> None:
    """Only a user and administrators see the addresses in commits and the groups of the user."""
    query = '{ user(username: "ada") { commitEmail emails { nodes { id } } groupCount groups { nodes { id } } } }'

    assert {"commitEmail": None, "emails": None, "groupCount": None, "groups": None} == query_data(
        fakeplat, "dev", query
    )["user"]
    assert query_data(fakeplat, "root", query)["user"]["groupCount"] is not None


def test_users_are_listed(fakeplat: Fakeplat) -> None:
    """``users`` filters by name, text, state, kind and, for administrators, rank; the newest come first."""
    query = """{ every: users { nodes { username } } two: users(usernames: ["ada", "DEV"], sort: CREATED_ASC) {
        nodes { username } } found: users(search: "ada") { nodes { username } } admins: users(admins: true) {
        nodes { username } } people: users(humans: true, active: true) { nodes { bot active } } }"""
    data = query_data(fakeplat, "eve", query)

    assert {"ada", "dev", "eve"} < set(list_names(data["every"], "username"))
    assert ["ada", "dev"] == sorted(list_names(data["two"], "username"))
    assert ["ada"] == list_names(data["found"], "username")
    assert list_names(data["every"], "username") == list_names(data["admins"], "username")
    assert ["root"] == list_names(query_data(fakeplat, "root", query)["admins"], "username")
    assert {(False, True)} == {(node["bot"], node["active"]) for node in data["people"]["nodes"]}


def test_users_may_be_hidden_from_the_public(fakeplat: Fakeplat) -> None:
    """Where public profiles are restricted, those who are not signed in list no users."""
    fakeplat.as_user("root").put("application/settings", json={"restricted_visibility_levels": ["public"]})

    assert [NOT_AVAILABLE] == list_messages(post_query(fakeplat, None, "{ users { nodes { id } } }"))


def test_members_are_what_rest_lists(fakeplat: Fakeplat) -> None:
    """Members have their roles as numbers and as names, as REST lists them with the inherited ones."""
    query = """{ group(fullPath: "acme") { groupMembers { nodes { id user { username } accessLevel {
        integerValue stringValue humanAccess } createdAt expiresAt group { fullPath } } } }
        project(fullPath: "acme/site") { projectMembers { nodes { __typename user { username }
        accessLevel { integerValue } ... on ProjectMember { project { fullPath } } } } } }"""
    data = query_data(fakeplat, "ada", query)
    rest = fakeplat.as_user("ada").get("groups/acme/members/all").json()
    both = fakeplat.as_user("ada").get("projects/acme%2Fsite/members/all").json()

    rows = data["group"]["groupMembers"]["nodes"]
    assert {row["username"]: row["access_level"] for row in rest} == {
        row["user"]["username"]: row["accessLevel"]["integerValue"] for row in rows
    }
    owner = next(row for row in rows if row["user"]["username"] == "ada")
    assert ("OWNER", "Owner", "acme") == (
        owner["accessLevel"]["stringValue"],
        owner["accessLevel"]["humanAccess"],
        owner["group"]["fullPath"],
    )
    members = data["project"]["projectMembers"]["nodes"]
    assert {row["username"]: row["access_level"] for row in both} == {
        row["user"]["username"]: row["accessLevel"]["integerValue"] for row in members
    }
    assert {"GroupMember"} == {row["__typename"] for row in members}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("accessLevels: [OWNER]", {"ada"}),
        ('search: "ada"', {"ada"}),
        ("relations: [DESCENDANTS]", set()),
    ],
)
def test_members_are_filtered(fakeplat: Fakeplat, arguments: str, expected: set[str]) -> None:
    """Lists of members filter by role, text and relation."""
    query = f'{{ group(fullPath: "acme") {{ groupMembers({arguments}) {{ nodes {{ user {{ username }} }} }} }} }}'
    rows = query_data(fakeplat, "ada", query)["group"]["groupMembers"]["nodes"]

    assert expected == {row["user"]["username"] for row in rows}


def test_memberships_of_a_user(fakeplat: Fakeplat) -> None:
    """A user shows the memberships in the projects and groups that the caller sees."""
    query = """{ user(username: "ada") { groupMemberships { nodes { group { fullPath } } }
        projectMemberships { nodes { project { fullPath } } } } }"""
    own = query_data(fakeplat, "ada", query)["user"]

    assert "acme" in [row["group"]["fullPath"] for row in own["groupMemberships"]["nodes"]]
    assert isinstance(own["projectMemberships"]["nodes"], list)


def test_groups_are_listed(fakeplat: Fakeplat) -> None:
    """``groups`` lists visible groups by name, ``descendantGroups`` those below one."""
    query = """{ groups { nodes { fullPath } } top: groups(topLevelOnly: true) { nodes { fullPath } }
        below: groups(parentPath: "acme") { nodes { fullPath } }
        group(fullPath: "acme") { descendantGroups { nodes { fullPath } } descendantGroupsCount projectsCount
            next: descendantGroups(includeParentDescendants: false, search: "TOOL") { nodes { path } } } }"""
    data = query_data(fakeplat, "ada", query)
    rest = [row["full_path"] for row in fakeplat.as_user("ada").get("groups/acme/descendant_groups").json()]

    assert "acme" in list_names(data["groups"], "fullPath")
    assert not any("/" in path for path in list_names(data["top"], "fullPath"))
    assert rest == list_names(data["group"]["descendantGroups"], "fullPath") == list_names(data["below"], "fullPath")
    assert (1, ["tools"]) == (data["group"]["descendantGroupsCount"], list_names(data["group"]["next"], "path"))
    assert len(fakeplat.as_user("ada").get("groups/acme/projects").json()) == data["group"]["projectsCount"]


def test_groups_in_which_the_user_may_create_projects(fakeplat: Fakeplat) -> None:
    """The groups of a user can be limited to those in which the user may create projects."""
    query = "{ currentUser { groups(permissionScope: CREATE_PROJECTS) { nodes { fullPath } } } }"

    assert "acme" in list_names(query_data(fakeplat, "ada", query)["currentUser"]["groups"], "fullPath")
    assert [] == list_names(query_data(fakeplat, "gus", query)["currentUser"]["groups"], "fullPath")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('sort: "name_asc", search: "site"', ["acme/site"]),
        ('fullPaths: ["acme/kit", "ACME/site"]', ["acme/site"]),
        ('namespacePath: "acme/tools"', ["acme/tools/kit"]),
        ('search: "acme/site", searchNamespaces: true', ["acme/site"]),
        ("personal: true", ["ada/notes"]),
        ("archived: ONLY", []),
        ("minAccessLevel: OWNER, visibilityLevel: internal", ["acme/tools/kit"]),
        ('topics: ["none"]', []),
    ],
)
def test_projects_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """``projects`` filters by name, path, namespace, role, visibility and topics."""
    query = f"{{ projects({arguments}) {{ nodes {{ fullPath }} }} }}"

    assert expected == list_names(query_data(fakeplat, "ada", query)["projects"], "fullPath")


def test_starred_projects(fakeplat: Fakeplat) -> None:
    """A user shows the starred projects that the caller sees, and to themselves the number of their projects."""
    fakeplat.as_user("ada").post("projects/acme%2Fsite/star")
    query = '{ user(username: "ada") { starredProjects { nodes { fullPath } } projectCount } }'

    assert {"starredProjects": {"nodes": [{"fullPath": "acme/site"}]}, "projectCount": 4} == query_data(
        fakeplat, "ada", query
    )["user"]
    hidden: dict[str, Any] = {"starredProjects": {"nodes": []}, "projectCount": None}
    assert hidden == query_data(fakeplat, "eve", query)["user"]


@pytest.mark.fakeplat(scenario=REVIEWED, default_branch="master")
def test_roles_in_a_merge_request_have_types(fakeplat: Fakeplat) -> None:
    """Authors, assignees and participants show what they may do with the merge request."""
    query = """{ project(fullPath: "acme/site") { mergeRequest(iid: "1") {
        author { __typename username webPath mergeRequestInteraction { canMerge reviewed reviewState approved } }
        assignees { nodes { __typename username mergeRequestInteraction { canUpdate } } }
        participants { nodes { __typename username ... on User { name } } } }
        autocompleteUsers(search: "mia") { __typename username } } }"""
    project = query_data(fakeplat, "ada", query)["project"]
    merge_request = project["mergeRequest"]

    assert {
        "__typename": "MergeRequestAuthor",
        "username": "dev",
        "webPath": "/dev",
        "mergeRequestInteraction": {"canMerge": False, "reviewed": False, "reviewState": None, "approved": False},
    } == merge_request["author"]
    (assignee,) = merge_request["assignees"]["nodes"]
    assert ("MergeRequestAssignee", "mia") == (assignee["__typename"], assignee["username"])
    assert {"canUpdate": True} == assignee["mergeRequestInteraction"]
    assert {"MergeRequestParticipant"} == {row["__typename"] for row in merge_request["participants"]["nodes"]}
    assert [{"__typename": "AutocompletedUser", "username": "mia"}] == project["autocompleteUsers"]
