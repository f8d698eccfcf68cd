"""What the caller may do in projects, groups, memberships and with work items, as the platform's policies say."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import REPORTERS_MANAGE_DESIGNS
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_project, query_refused
from tests.graphql.reviewed_world import REVIEWED

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")

DESIGNS = "createDesign updateDesign moveDesign destroyDesign"
READABLE = ["readCycleAnalytics", "readDesign", "readPagesContent"]
OF_REPORTERS = ["createDesign", "destroyDesign", "moveDesign", "readPathLocks", "updateDesign"]
OF_DEVELOPERS = ["createPathLock", "importIssues"]
OF_MAINTAINERS = ["pushToDeleteProtectedBranch", "removePages"]
OF_NOBODY = ["createPages", "destroyPages", "readCrmContact", "readCrmOrganization", "requestAccess"]
PROJECT = " ".join([*READABLE, *OF_REPORTERS, *OF_DEVELOPERS, *OF_MAINTAINERS, *OF_NOBODY])
MEMBERS = """query($path: ID!) { group(fullPath: $path) { groupMembers { nodes { user { username } %s } } } }"""


def list_granted(permissions: dict[str, bool]) -> list[str]:
    return sorted(name for name, allowed in permissions.items() if allowed)


def list_project_permissions(fake: Fakeplat, by: str | None, names: str, path: str = "acme/site") -> list[str]:
    return list_granted(query_project(fake, by, f"userPermissions {{ {names} }}", path)["userPermissions"])


def query_group_permissions(fake: Fakeplat, by: str | None, names: str, path: str = "acme") -> dict[str, bool]:
    query = f'{{ group(fullPath: "{path}") {{ userPermissions {{ {names} }} }} }}'
    permissions: dict[str, bool] = query_data(fake, by, query)["group"]["userPermissions"]
    return permissions


@pytest.mark.parametrize(
    ("by", "granted"),
    [
        ("gus", READABLE),
        ("rep", [*READABLE, *OF_REPORTERS]),
        ("dev", [*READABLE, *OF_REPORTERS, *OF_DEVELOPERS]),
        ("mia", [*READABLE, *OF_REPORTERS, *OF_DEVELOPERS, *OF_MAINTAINERS]),
        ("ada", [*READABLE, *OF_REPORTERS, *OF_DEVELOPERS, *OF_MAINTAINERS]),
    ],
)
def test_permissions_in_a_project_rise_with_the_role(fakeplat: Fakeplat, by: str, granted: list[str]) -> None:
    """Each role has the permissions of the roles below it; nobody has those of pages and of customers."""
    assert sorted(granted) == list_project_permissions(fakeplat, by, PROJECT)


@by_release(REPORTERS_MANAGE_DESIGNS, "expected", {"16.10": [], "16.11": ["createDesign", "destroyDesign"]})
def test_reporters_manage_designs(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Designs are for Developers at first, and for Reporters from 16.11 on."""
    names = "createDesign destroyDesign"
    assert expected == list_project_permissions(fakeplat, "rep", names)
    assert ["createDesign", "destroyDesign"] == list_project_permissions(fakeplat, "dev", names)


def test_designs_need_lfs(fakeplat: Fakeplat) -> None:
    """Without Git LFS, in which they are stored, nobody reads or creates designs."""
    assert 200 == fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"lfs_enabled": False}).status
    assert [] == list_project_permissions(fakeplat, "ada", f"readDesign {DESIGNS}")


def test_an_archived_project_keeps_its_designs(fakeplat: Fakeplat) -> None:
    """In an archived project designs are still read and moved; issues are not imported, locks not set."""
    assert 201 == fakeplat.as_user("ada").post("projects/acme%2Fsite/archive").status
    names = f"readDesign {DESIGNS} importIssues createPathLock pushToDeleteProtectedBranch removePages requestAccess"
    assert ["moveDesign", "readDesign", "removePages"] == list_project_permissions(fakeplat, "ada", names)


def test_who_has_no_role_may_request_access(fakeplat: Fakeplat) -> None:
    """Who sees a project without a role in it may request access while it takes requests."""
    query = "requestAccess"
    for by, granted in ((None, []), ("gus", []), ("ada", []), ("root", []), ("eve", [query]), ("ext", [query])):
        assert (by, granted) == (by, list_project_permissions(fakeplat, by, query, "acme/docs"))
    assert 200 == fakeplat.as_user("ada").put("projects/acme%2Fdocs", json={"request_access_enabled": False}).status
    assert [] == list_project_permissions(fakeplat, "eve", query, "acme/docs")


def test_direct_members_may_leave(fakeplat: Fakeplat) -> None:
    """Direct members may leave, but neither the last owner of a group nor the holder of a project."""
    leaving = {by: query_group_permissions(fakeplat, by, "canLeave")["canLeave"] for by in (None, "ada", "gus", "eve")}
    assert {None: False, "ada": False, "gus": True, "eve": False} == leaving
    assert [] == list_project_permissions(fakeplat, "gus", "canLeave")
    assert [] == list_project_permissions(fakeplat, "ada", "canLeave", "ada/notes")
    user = {"user_id": fakeplat.world.user("eve").id, "access_level": 10}
    assert 201 == fakeplat.as_user("ada").post("projects/acme%2Fsite/members", json=user).status
    assert ["canLeave"] == list_project_permissions(fakeplat, "eve", "canLeave")


@pytest.mark.parametrize(("by", "expected"), [(None, False), ("gus", False), ("rep", True)])
def test_reporters_administer_issues_of_a_group(fakeplat: Fakeplat, by: str | None, expected: bool) -> None:
    """Reporters and higher roles administer the issues of a group."""
    assert {"adminIssue": expected} == query_group_permissions(fakeplat, by, "adminIssue")


@by_release(Lifetime("18.5"), "expected", {"18.4": True, "18.5": False})
def test_older_releases_lack_permissions_in_groups(fakeplat: Fakeplat, expected: bool) -> None:
    """Permissions that came with 18.5 are unknown fields before."""
    query = '{ group(fullPath: "acme") { userPermissions { canLeave } } }'
    assert expected == ("errors" in query_refused(fakeplat, "gus", query))


# Members


def test_a_membership_shows_what_the_caller_may_do(fakeplat: Fakeplat) -> None:
    """The permissions of a membership are those of the caller in its group or project."""
    selection = "userPermissions { readGroup createProjects createCustomEmoji removeGroup viewEditPage }"
    expected = {"gus": ["readGroup"], "dev": ["createCustomEmoji", "createProjects", "readGroup"]}
    for by, granted in expected.items():
        rows = query_data(fakeplat, by, MEMBERS % selection, path="acme")["group"]["groupMembers"]["nodes"]
        assert [granted] * 5 == [list_granted(row["userPermissions"]) for row in rows]
    user = {"user_id": fakeplat.world.user("eve").id, "access_level": 10}
    fakeplat.as_user("ada").post("projects/acme%2Fsite/members", json=user)
    query = (
        """projectMembers(relations: [DIRECT]) { nodes { ... on ProjectMember { userPermissions { pushCode } } } }"""
    )
    assert [{"userPermissions": {"pushCode": True}}] == query_project(fakeplat, "dev", query)["projectMembers"]["nodes"]


def test_administrators_see_where_mails_go(fakeplat: Fakeplat) -> None:
    """Administrators see the address of each member for mails about the group; for others that is an error."""
    gus = fakeplat.as_user("gus")
    address = fakeplat.world.user("gus").email
    rows = query_data(fakeplat, "root", MEMBERS % "notificationEmail", path="acme")["group"]["groupMembers"]["nodes"]
    assert address == next(row["notificationEmail"] for row in rows if row["user"]["username"] == "gus")
    assert 201 == gus.post("user/emails", json={"email": "gus@work.example.test"}).status
    query = '{ group(fullPath: "acme") { groupMembers(search: "gus") { nodes { notificationEmail } } } }'
    content = query_refused(fakeplat, "ada", query)
    assert [NOT_AVAILABLE] == list_messages(content)
    assert [{"notificationEmail": None}] == content["data"]["group"]["groupMembers"]["nodes"]


@pytest.mark.fakeplat(scenario=REVIEWED, default_branch="master")
def test_a_membership_shows_the_part_in_a_merge_request(fakeplat: Fakeplat) -> None:
    """A membership shows what the member may do in a merge request; null if the caller does not see that."""
    id_ = fakeplat.as_user("ada").get("projects/acme%2Fsite/merge_requests/1").json()["id"]

    def list_interactions(by: str, id_: int) -> dict[str, Any]:
        selection = f'mergeRequestInteraction(id: "gid://gitlab/MergeRequest/{id_}") {{ canMerge canUpdate }}'
        rows = query_data(fakeplat, by, MEMBERS % selection, path="acme")["group"]["groupMembers"]["nodes"]
        return {row["user"]["username"]: row["mergeRequestInteraction"] for row in rows}

    interactions = list_interactions("ada", id_)
    assert {"canMerge": True, "canUpdate": True} == interactions["mia"]
    assert {"canMerge": False, "canUpdate": False} == interactions["gus"]
    assert [None] * 5 == list(list_interactions("eve", id_).values()) == list(list_interactions("ada", 0).values())


# Work items


def with_user_agent(**detail: bool) -> dict[str, Any]:
    issue = {"title": "Buy", "user_agent_detail": {"user_agent": "bot", "ip_address": "192.0.2.1", **detail}}
    return {**WORLD, "projects": [{"path_with_namespace": "ada/shop", "issues": [issue, {"title": "Plain"}]}]}


def list_reportable(fake: Fakeplat, by: str) -> list[bool]:
    issues = fake.as_user("root").get("projects/ada%2Fshop/issues?sort=asc&order_by=title").json()
    query = "query($id: WorkItemID!) { workItem(id: $id) { userPermissions { reportSpam } } }"
    items = (query_data(fake, by, query, id=f"gid://gitlab/WorkItem/{issue['id']}") for issue in issues)
    return [item["workItem"]["userPermissions"]["reportSpam"] for item in items]


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param([True, False], id="new", marks=pytest.mark.fakeplat(scenario=with_user_agent())),
        pytest.param(
            [False, False], id="reported", marks=pytest.mark.fakeplat(scenario=with_user_agent(antispam_submitted=True))
        ),
    ],
)
def test_administrators_report_spam(fakeplat: Fakeplat, expected: list[bool]) -> None:
    """Administrators report an issue with a user agent as spam, once, while a service takes such reports."""
    assert [False, False] == list_reportable(fakeplat, "root")
    settings = {"akismet_enabled": True, "akismet_api_key": "key"}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=settings).status
    assert [False, False] == list_reportable(fakeplat, "ada")
    assert expected == list_reportable(fakeplat, "root")
