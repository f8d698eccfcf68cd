"""Changes of groups, of members and of what imports brought, by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.test_placeholder_reassignments import GROUP, PUBLIC
from tests.graphql.queries import NOT_AVAILABLE, post_query

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", clock="virtual")


def mutate(fake: Fakeplat, user: str, name: str, arguments: str, fields: str = "errors") -> Any:
    """Run a mutation; return its payload, or the message of its error."""
    reply = post_query(fake, user, f"mutation {{ {name}(input: {{ {arguments} }}) {{ {fields} }} }}")
    return reply["errors"][0]["message"] if "errors" in reply else reply["data"][name]


def gid(kind: str, id_: int) -> str:
    return f"gid://gitlab/{kind}/{id_}"


# Groups

GROUP_FIELDS = "name path visibility sharedRunnersSetting mathRenderingLimitsEnabled lockMathRenderingLimitsEnabled"


def test_owners_change_a_group(fakeplat: Fakeplat) -> None:
    """Owners change a group; what is not sent, or null, stays."""
    arguments = 'fullPath: "acme", name: "New", sharedRunnersSetting: DISABLED_AND_UNOVERRIDABLE, visibility: null'
    expected = {
        "name": "New",
        "path": "acme",
        "visibility": "public",
        "sharedRunnersSetting": "DISABLED_AND_UNOVERRIDABLE",
        "mathRenderingLimitsEnabled": True,
        "lockMathRenderingLimitsEnabled": False,
    }
    payload = mutate(fakeplat, "ada", "groupUpdate", arguments, f"errors group {{ {GROUP_FIELDS} }}")
    assert {"errors": [], "group": expected} == payload
    query = '{ namespace(fullPath: "acme") { sharedRunnersSetting } }'
    data = post_query(fakeplat, "ada", query)["data"]
    assert {"namespace": {"sharedRunnersSetting": "DISABLED_AND_UNOVERRIDABLE"}} == data


def test_refused_changes_of_a_group(fakeplat: Fakeplat) -> None:
    """Others than Owners change nothing; a bad name is an error of the payload."""
    before = fakeplat.bench.platform.state
    arguments = 'fullPath: "acme", sharedRunnersSetting: ENABLED'
    assert NOT_AVAILABLE == mutate(fakeplat, "mia", "groupUpdate", arguments)
    assert NOT_AVAILABLE == mutate(fakeplat, "ada", "groupUpdate", arguments.replace("acme", "no-such"))
    payload = mutate(fakeplat, "ada", "groupUpdate", 'fullPath: "acme", name: ""', "errors group { name }")
    assert payload["group"] is None
    assert payload["errors"]
    assert before is fakeplat.bench.platform.state


def test_owners_see_what_a_namespace_stores(fakeplat: Fakeplat) -> None:
    """Owners see the sizes of all projects of a top-level namespace; below it there are none."""
    fields = (
        "storageSize repositorySize lfsObjectsSize buildArtifactsSize packagesSize wikiSize snippetsSize uploadsSize "
        "pipelineArtifactsSize dependencyProxySize containerRegistrySize containerRegistrySizeIsEstimated "
        "registrySizeEstimated costFactoredStorageSize"
    )

    def read(user: str, path: str, field: str = "group") -> Any:
        query = f'{{ {field}(fullPath: "{path}") {{ rootStorageStatistics {{ {fields} }} }} }}'
        return post_query(fakeplat, user, query)["data"][field]["rootStorageStatistics"]

    sizes = read("ada", "acme")
    parts = [value for name, value in sizes.items() if name.endswith("Size") and "torage" not in name]
    assert sizes["storageSize"] == sum(parts) == sizes["costFactoredStorageSize"]
    assert not sizes["registrySizeEstimated"]
    assert sizes == read("ada", "acme", "namespace")
    assert read("ada", "ada", "namespace") is not None
    assert read("ada", "acme/tools") is None
    assert read("mia", "acme") is None


@pytest.mark.fakeplat(tier="premium")
def test_maintainers_see_the_proxy_of_packages(fakeplat: Fakeplat) -> None:
    """In paid tiers Maintainers see where the dependency proxy of packages looks."""
    setting = {"enabled": True, "maven_external_registry_url": "https://maven.example.test"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "dependency_proxy_packages": setting}]})
    fields = "enabled mavenExternalRegistryUrl mavenExternalRegistryUsername"
    query = f'{{ project(fullPath: "acme/site") {{ dependencyProxyPackagesSetting {{ {fields} }} }} }}'
    expected = {
        "enabled": True,
        "mavenExternalRegistryUrl": "https://maven.example.test",
        "mavenExternalRegistryUsername": None,
    }
    shown = post_query(fakeplat, "mia", query)["data"]["project"]
    assert {"dependencyProxyPackagesSetting": expected} == shown
    assert {"dependencyProxyPackagesSetting": None} == post_query(fakeplat, "dev", query)["data"]["project"]


# Members


def update_members(
    fake: Fakeplat, user: str, container: str, names: tuple[str, ...], level: str, more: str = ""
) -> Any:
    """Change the role of members of the group acme, or of its project site."""
    world = fake.world
    source = world.group("acme").id if container == "group" else world.project("acme/site").id
    ids = ", ".join(f'"{gid("User", world.user(name).id)}"' for name in names)
    arguments = f'{container}Id: "{gid(container.title(), source)}", userIds: [{ids}], accessLevel: {level}{more}'
    fields = f"errors {container}Members {{ user {{ username }} accessLevel {{ stringValue }} expiresAt }}"
    return mutate(fake, user, f"{container}MemberBulkUpdate", arguments, fields)


def test_several_members_get_a_role(fakeplat: Fakeplat) -> None:
    """Owners change the role and the end of several memberships of a group."""
    end = ', expiresAt: "2030-01-02T10:00:00Z"'
    payload = update_members(fakeplat, "ada", "group", ("dev", "rep"), "GUEST", end)
    rows = [
        {"user": {"username": name}, "accessLevel": {"stringValue": "GUEST"}, "expiresAt": "2030-01-02"}
        for name in ("dev", "rep")
    ]
    assert {"errors": [], "groupMembers": rows} == payload


def test_members_of_a_project_get_a_role(fakeplat: Fakeplat) -> None:
    """Maintainers change direct members of a project; only Owners make others Owners."""
    mia = fakeplat.as_user("mia")
    mia.post("projects/acme%2Fsite/members", json={"user_id": fakeplat.world.user("eve").id, "access_level": 10})
    (row,) = update_members(fakeplat, "mia", "project", ("eve",), "DEVELOPER")["projectMembers"]
    assert ("eve", "DEVELOPER") == (row["user"]["username"], row["accessLevel"]["stringValue"])
    payload = update_members(fakeplat, "mia", "project", ("eve",), "OWNER")
    text = "Unable to update members, please check user permissions."
    assert {"errors": [text], "projectMembers": None} == payload
    text = "Only access level of direct members can be updated."
    assert text == update_members(fakeplat, "mia", "project", ("eve", "dev"), "GUEST")


def test_refused_changes_of_members(fakeplat: Fakeplat) -> None:
    """Who does not manage members changes none; 50 at most change at once."""
    before = fakeplat.bench.platform.state
    assert NOT_AVAILABLE == update_members(fakeplat, "dev", "group", ("rep",), "GUEST")
    assert NOT_AVAILABLE == update_members(fakeplat, "dev", "project", ("rep",), "GUEST")
    assert before is fakeplat.bench.platform.state
    names = tuple(f"u{number}" for number in range(51))
    fakeplat.load(
        {
            "users": [{"username": name} for name in names],
            "groups": [{"path": "acme", "members": dict.fromkeys(names, "guest")}],
        }
    )
    assert "Count of members to be updated should be less than 50." == update_members(
        fakeplat, "ada", "group", names, "REPORTER"
    )


# Users of other instances

IMPORTED = pytest.mark.fakeplat(scenario={"extends": "starter", "groups": [GROUP], "users": [PUBLIC]})
SOURCE_FIELDS = """
id sourceUserIdentifier sourceUsername sourceName sourceHostname importType status reassignmentError
placeholderUser { username } reassignToUser { username } reassignedByUser { username }
"""
WRONG_STATUS = "Import source user has an invalid status for this operation"


def list_source_users(fake: Fakeplat, user: str = "ada", arguments: str = "") -> Any:
    query = f'{{ group(fullPath: "acme") {{ importSourceUsers{arguments} {{ nodes {{ {SOURCE_FIELDS} }} }} }} }}'
    source_users = post_query(fake, user, query)["data"]["group"]["importSourceUsers"]
    return None if source_users is None else {row["sourceUserIdentifier"]: row for row in source_users["nodes"]}


def change_source_user(fake: Fakeplat, name: str, identifier: str, more: str = "", user: str = "ada") -> Any:
    id_ = next(
        source_user.id
        for source_user in fake.bench.platform.view.source_users.all()
        if source_user.source_user_identifier == identifier
    )
    fields = "errors importSourceUser { status reassignToUser { username } reassignedByUser { username } }"
    return mutate(fake, user, f"importSourceUser{name}", f'id: "{gid("Import::SourceUser", id_)}"{more}', fields)


def assign_to(fake: Fakeplat, username: str) -> str:
    return f', assigneeUserId: "{gid("User", fake.world.user(username).id)}"'


@IMPORTED
def test_owners_list_users_of_other_instances(fakeplat: Fakeplat) -> None:
    """Owners see from whom the contributions came and to whom they go, filtered, searched and sorted."""
    source_users = list_source_users(fakeplat)
    first = source_users["7"]
    assert ("bo", "Bo, the first", "GITLAB_MIGRATION", "PENDING_REASSIGNMENT", None) == (
        first["sourceUsername"],
        first["sourceName"],
        first["importType"],
        first["status"],
        first["reassignToUser"],
    )
    assert ({"username": "mia"}, {"username": "ada"}) == (
        source_users["9"]["reassignToUser"],
        source_users["9"]["reassignedByUser"],
    )
    assert list_source_users(fakeplat, "mia") is None
    assert ["7"] == list(list_source_users(fakeplat, arguments='(search: "BO")'))
    assert ["8", "9"] == list(list_source_users(fakeplat, arguments="(statuses: [REJECTED, COMPLETED], sort: ID_ASC)"))
    assert ["9", "8", "7"] == list(list_source_users(fakeplat, arguments="(sort: STATUS_DESC)"))
    assert ["9", "8", "7"] == list(list_source_users(fakeplat, arguments="(sort: ID_DESC)"))


@IMPORTED
def test_contributions_are_proposed_and_taken_back(fakeplat: Fakeplat) -> None:
    """A proposal waits for approval; it can be repeated and taken back."""
    payload = change_source_user(fakeplat, "Reassign", "7", assign_to(fakeplat, "rep"))
    proposed = {
        "status": "AWAITING_APPROVAL",
        "reassignToUser": {"username": "rep"},
        "reassignedByUser": {"username": "ada"},
    }
    assert {"errors": [], "importSourceUser": proposed} == payload
    assert {"errors": [], "importSourceUser": proposed} == change_source_user(fakeplat, "ResendNotification", "7")
    refused = change_source_user(fakeplat, "Reassign", "7", assign_to(fakeplat, "dev"))
    assert {"errors": [WRONG_STATUS], "importSourceUser": proposed} == refused
    pending = {"status": "PENDING_REASSIGNMENT", "reassignToUser": None, "reassignedByUser": None}
    assert {"errors": [], "importSourceUser": pending} == change_source_user(fakeplat, "CancelReassignment", "7")
    assert [WRONG_STATUS] == change_source_user(fakeplat, "CancelReassignment", "7")["errors"]
    assert [WRONG_STATUS] == change_source_user(fakeplat, "ResendNotification", "7")["errors"]


@IMPORTED
def test_who_gets_no_contributions(fakeplat: Fakeplat) -> None:
    """Administrators, and who has those of another user of the instance, get none."""
    before = fakeplat.bench.platform.state
    text = "You can assign active users with regular or auditor access only."
    assert [text] == change_source_user(fakeplat, "Reassign", "7", assign_to(fakeplat, "root"))["errors"]
    text = "Reassign to user already assigned to another placeholder"
    assert [text] == change_source_user(fakeplat, "Reassign", "7", assign_to(fakeplat, "mia"))["errors"]
    assert NOT_AVAILABLE == change_source_user(fakeplat, "Reassign", "7", f', assigneeUserId: "{gid("User", 999999)}"')
    assert before is fakeplat.bench.platform.state


@IMPORTED
def test_contributions_stay_with_placeholders(fakeplat: Fakeplat) -> None:
    """Contributions that can be reassigned may stay with their placeholders, one user or all."""
    kept = {"status": "KEEP_AS_PLACEHOLDER", "reassignToUser": None, "reassignedByUser": {"username": "ada"}}
    assert {"errors": [], "importSourceUser": kept} == change_source_user(fakeplat, "KeepAsPlaceholder", "7")
    assert [WRONG_STATUS] == change_source_user(fakeplat, "KeepAsPlaceholder", "7")["errors"]
    undone = change_source_user(fakeplat, "UndoKeepAsPlaceholder", "7")["importSourceUser"]
    assert ("PENDING_REASSIGNMENT", None) == (undone["status"], undone["reassignedByUser"])
    assert [WRONG_STATUS] == change_source_user(fakeplat, "UndoKeepAsPlaceholder", "7")["errors"]
    arguments = f'namespaceId: "{gid("Group", fakeplat.world.group("acme").id)}"'
    fields = "errors updatedImportSourceUserCount"
    assert NOT_AVAILABLE == mutate(fakeplat, "mia", "importSourceUserKeepAllAsPlaceholder", arguments, fields)
    payload = mutate(fakeplat, "ada", "importSourceUserKeepAllAsPlaceholder", arguments, fields)
    assert {"errors": [], "updatedImportSourceUserCount": 2} == payload


@IMPORTED
@pytest.mark.parametrize(
    "name", ["CancelReassignment", "KeepAsPlaceholder", "UndoKeepAsPlaceholder", "ResendNotification"]
)
def test_only_owners_decide(fakeplat: Fakeplat, name: str) -> None:
    """Others than Owners of the group decide nothing."""
    assert NOT_AVAILABLE == change_source_user(fakeplat, name, "7", user="mia")
