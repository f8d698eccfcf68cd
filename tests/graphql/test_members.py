"""Members of projects and groups, and who sees users. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BLOCKED_USERS_ARE_HIDDEN,
    ONE_USER,
    PUBLIC_GROUPS_ARE_NAMESPACES,
    SEARCHED_PROJECTS_ARE_SORTED_BY_SIMILARITY,
    VISITORS_FIND_NO_USER,
    VISITORS_FIND_NO_USERS,
    VISITORS_NAME_USERS,
)
from tests.api.company import COMPANY
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, post_query, query_data, query_project, query_refused

TREE: dict[str, Any] = {
    "users": [{"username": name} for name in ("one", "two", "child", "guest", "lower", "eve")],
    "groups": [
        {
            "path": "top",
            "name": "Top",
            "visibility": "public",
            "members": {"one": "guest", "two": "owner"},
            "groups": [
                {
                    "path": "sub",
                    "name": "Sub",
                    "visibility": "public",
                    "members": {"one": "developer"},
                    "projects": [
                        {
                            "path": "site",
                            "name": "Site",
                            "visibility": "public",
                            "members": {"child": "guest", "two": "developer"},
                            "shared_with_groups": {"ally": "reporter"},
                        }
                    ],
                    "groups": [
                        {"path": "deep", "name": "Deep", "visibility": "public", "members": {"lower": "reporter"}}
                    ],
                }
            ],
        },
        {"path": "ally", "name": "Ally", "visibility": "public", "members": {"guest": "maintainer"}},
    ],
}


def list_members(rows: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the usernames and levels of members."""
    return [(row["user"]["username"], row["accessLevel"]["integerValue"]) for row in rows["nodes"]]


FIELDS = "{ nodes { user { username } accessLevel { integerValue } } }"


@pytest.mark.fakeplat(scenario=TREE, version="latest")
@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("[DIRECT]", {("child", 10), ("two", 50)}),
        ("[DIRECT, INHERITED]", {("child", 10), ("two", 50), ("one", 30)}),
        ("[INHERITED]", {("two", 50), ("one", 30)}),
        ("[INVITED_GROUPS]", {("two", 50), ("one", 30), ("guest", 20)}),
        ("[DIRECT, DESCENDANTS]", {("child", 10), ("two", 50), ("one", 30), ("lower", 20)}),
    ],
)
def test_members_of_a_project_by_relation(fakeplat: Fakeplat, relations: str, expected: set[tuple[str, int]]) -> None:
    """All relations but DIRECT alone bring the members of the groups above; rows show the level that counts."""
    if relations == "[DIRECT]":
        # Alone, the direct memberships are shown as they are.
        expected = {("child", 10), ("two", 30)}
    found = query_project(fakeplat, "eve", f"projectMembers(relations: {relations}) {FIELDS}", "top/sub/site")
    assert expected == set(list_members(found["projectMembers"]))


@pytest.mark.fakeplat(scenario=TREE, version="latest")
@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("[DIRECT]", {("one", 30)}),
        ("[DIRECT, INHERITED]", {("one", 30), ("two", 50)}),
        ("[INHERITED]", {("one", 10), ("two", 50)}),
        ("[DESCENDANTS]", {("lower", 20)}),
    ],
)
def test_members_of_a_group_by_relation(fakeplat: Fakeplat, relations: str, expected: set[tuple[str, int]]) -> None:
    """A group shows each user once, with the highest of the memberships that belong to it by the relations."""
    query = f'{{ group(fullPath: "top/sub") {{ groupMembers(relations: {relations}) {FIELDS} }} }}'
    assert expected == set(list_members(query_data(fakeplat, "eve", query)["group"]["groupMembers"]))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["gus", "rep", "dev", "mia", "ada"]),
        ("(sort: ACCESS_LEVEL_DESC)", ["ada", "mia", "dev", "rep", "gus"]),
        ("(sort: USER_FULL_NAME_ASC)", ["ada", "dev", "gus", "mia", "rep"]),
        ("(accessLevels: [])", ["gus", "rep", "dev", "mia", "ada"]),
    ],
)
@pytest.mark.fakeplat(scenario=COMPANY, version="18.2")
def test_the_newest_members_come_first(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Without an order the newest memberships come first; no levels are no filter."""
    query = f'{{ group(fullPath: "acme") {{ groupMembers{arguments} {{ nodes {{ user {{ username }} }} }} }} }}'
    rows = query_data(fakeplat, "ada", query)["group"]["groupMembers"]["nodes"]
    assert expected == [row["user"]["username"] for row in rows]


@pytest.mark.fakeplat(version="latest")
def test_nobody_has_the_role_none(fakeplat: Fakeplat) -> None:
    """The caller's role without a membership is named None."""
    query = '{ group(fullPath: "acme") { maxAccessLevel { integerValue humanAccess } } }'
    expected = {"integerValue": 0, "humanAccess": "None"}
    assert expected == query_data(fakeplat, "eve", query)["group"]["maxAccessLevel"]


@by_release(VISITORS_NAME_USERS, "messages", {"13.8": [], "15.8": [NOT_AVAILABLE]})
def test_visitors_name_users(fakeplat: Fakeplat, messages: list[str]) -> None:
    """Whoever is not signed in must name the users of a list in later releases."""
    content = post_query(fakeplat, None, "{ users { nodes { username } } }")
    assert messages == [error["message"] for error in content.get("errors", ())]


@by_release(VISITORS_FIND_NO_USERS, "messages", {"18.1": [], "18.2": [NOT_AVAILABLE]})
def test_visitors_find_no_users(fakeplat: Fakeplat, messages: list[str]) -> None:
    """Whoever is not signed in finds no users in the latest releases, not even by name."""
    content = post_query(fakeplat, None, '{ users(usernames: ["ada"]) { nodes { username } } }')
    assert messages == [error["message"] for error in content.get("errors", ())]


@by_release(VISITORS_FIND_NO_USER, "messages", {"15.7": [], "15.8": [NOT_AVAILABLE]})
def test_visitors_find_no_user(fakeplat: Fakeplat, messages: list[str]) -> None:
    """Whoever is not signed in finds no user in later releases."""
    content = post_query(fakeplat, None, '{ user(username: "ada") { username } }')
    assert messages == [error["message"] for error in content.get("errors", ())]


@by_release(
    ONE_USER,
    "message",
    {
        "18.1": "Provide either a single username or id",
        "18.2": "One and only one of [id, username] arguments is required.",
    },
)
def test_a_user_has_one_name(fakeplat: Fakeplat, message: str) -> None:
    """A user is found by exactly one of both names."""
    assert [message] == list_messages(query_refused(fakeplat, "ada", "{ user { username } }"))


@by_release(BLOCKED_USERS_ARE_HIDDEN, "expected", {"18.1": ["dev"], "18.2": []})
def test_blocked_users_are_for_administrators(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Only administrators find blocked users in later releases; names and ids of users exclude each other."""
    fakeplat.load({"users": [{"username": "dev", "state": "blocked"}]})
    query = '{ users(usernames: ["dev"]) { nodes { username } } }'
    for caller, names in (("ada", expected), ("root", ["dev"])):
        rows = query_data(fakeplat, caller, query)["users"]["nodes"]
        assert names == [row["username"] for row in rows]
    both = '{ users(usernames: ["dev"], ids: ["gid://gitlab/User/1"]) { nodes { id } } }'
    assert ["Provide either a list of usernames or ids"] == list_messages(query_refused(fakeplat, "ada", both))


@pytest.mark.fakeplat(version="latest")
def test_features_are_those_of_the_caller(fakeplat: Fakeplat) -> None:
    """A registry and merge requests for members only are for Reporters; a project is archived with its group."""
    levels = {"container_registry_access_level": "private", "merge_requests_access_level": "private"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", **levels}]})
    for caller, enabled in (("gus", False), ("rep", True)):
        found = query_project(fakeplat, caller, "containerRegistryEnabled mergeRequestsEnabled archived")
        assert {"containerRegistryEnabled": enabled, "mergeRequestsEnabled": enabled, "archived": False} == found
    assert 201 == fakeplat.as_user("ada").post("groups/acme/archive").status
    assert {"archived": True} == query_project(fakeplat, "rep", "archived")


@pytest.mark.fakeplat(version="latest")
def test_lists_of_projects_have_limits(fakeplat: Fakeplat) -> None:
    """At most 50 paths are taken; `personal` is no filter for visitors."""
    query = "query($paths: [String!]) { projects(fullPaths: $paths) { nodes { id } } }"
    refused = query_refused(fakeplat, "ada", query, paths=["acme/site"] * 51)
    assert ["You cannot provide more than 50 full_paths"] == list_messages(refused)
    found = query_data(fakeplat, None, "{ projects(personal: true) { nodes { visibility } } }")["projects"]["nodes"]
    assert {"public"} == {row["visibility"] for row in found}


@pytest.mark.fakeplat(version="latest")
def test_projects_of_a_user_are_sorted(fakeplat: Fakeplat) -> None:
    """Starred projects are sorted by name, or by stars, activity and size."""
    for path in ("acme%2Fsite", "acme%2Fdocs"):
        assert 201 == fakeplat.as_user("ada").post(f"projects/{path}/star").status
    assert 201 == fakeplat.as_user("dev").post("projects/acme%2Fsite/star").status
    fields = "{ nodes { path } }"
    query = f"""{{ currentUser {{ a: starredProjects {fields} b: starredProjects(sort: STARS_DESC) {fields}
        c: starredProjects(sort: LATEST_ACTIVITY_DESC) {fields}
        d: starredProjects(sort: STORAGE_SIZE_ASC) {fields} }} }}"""
    found = query_data(fakeplat, "ada", query)["currentUser"]
    assert ["docs", "site"] == [row["path"] for row in found["a"]["nodes"]]
    assert ["site", "docs"] == [row["path"] for row in found["b"]["nodes"]]
    assert {"docs", "site"} == {row["path"] for row in found["c"]["nodes"]}
    assert {"docs", "site"} == {row["path"] for row in found["d"]["nodes"]}


@by_release(
    SEARCHED_PROJECTS_ARE_SORTED_BY_SIMILARITY,
    "expected",
    {"18.1": ["zebra-of-parts", "zebra"], "18.2": ["zebra", "zebra-of-parts"]},
)
def test_searched_projects_are_sorted(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Projects that are searched come by similarity in later releases, and the newest first before or if so sorted."""
    paths = ("acme/zebra", "acme/zebra-of-parts")
    fakeplat.load({"projects": [{"path_with_namespace": path, "visibility": "public"} for path in paths]})
    query = """{ found: projects(search: "zebra") { nodes { path } }
        newest: projects(search: "zebra", sort: "id_desc") { nodes { path } } }"""
    data = query_data(fakeplat, "ada", query)
    assert expected == [row["path"] for row in data["found"]["nodes"]]
    assert ["zebra-of-parts", "zebra"] == [row["path"] for row in data["newest"]["nodes"]]


@by_release(PUBLIC_GROUPS_ARE_NAMESPACES, "expected", {"18.1": None, "18.2": {"fullPath": "pub"}})
def test_namespaces_of_visitors(fakeplat: Fakeplat, expected: dict[str, str] | None) -> None:
    """Later releases show a visible group as a namespace to everybody, and a personal one only to its owner."""
    fakeplat.load(
        {
            "groups": [{"path": "pub", "visibility": "public"}, {"path": "priv", "visibility": "private"}],
            "projects": [{"path_with_namespace": "pub/site", "visibility": "public"}],
        }
    )
    query = """{ a: namespace(fullPath: "pub") { fullPath } b: namespace(fullPath: "ada") { fullPath }
        c: namespace(fullPath: "priv") { fullPath }
        project(fullPath: "pub/site") { namespace { fullPath } } }"""
    found = query_data(fakeplat, None, query)
    assert {"a": expected, "b": None, "c": None, "project": {"namespace": expected}} == found


@pytest.mark.fakeplat(version="latest")
def test_groups_have_a_parent_that_is_visible(fakeplat: Fakeplat) -> None:
    """Groups of a parent that is missing, hidden or of a user are an error."""
    fakeplat.load({"groups": [{"path": "priv", "visibility": "private"}]})
    for path in ("priv", "no/such", "ada"):
        refused = query_refused(fakeplat, "gus", f'{{ groups(parentPath: "{path}") {{ nodes {{ id }} }} }}')
        assert [f"Could not find parent group with path {path}"] == list_messages(refused)


@pytest.mark.fakeplat(version="latest")
def test_projects_beside_a_project(fakeplat: Fakeplat) -> None:
    """A project as a namespace has no projects, or those of its group on request; empty lists are no filters."""
    query = """{ namespace(fullPath: "acme/site") { none: projects { nodes { path } }
        all: projects(includeSiblingProjects: true, ids: []) { nodes { path } } }
        projects(fullPaths: []) { nodes { path } } }"""
    found = query_data(fakeplat, "ada", query)
    paths = {name: {row["path"] for row in found["namespace"][name]["nodes"]} for name in ("none", "all")}
    assert {"none": set(), "all": {"docs", "site"}} == {**paths, "all": paths["all"] & {"docs", "site"}}
    assert {"docs", "site"} <= {row["path"] for row in found["projects"]["nodes"]}
