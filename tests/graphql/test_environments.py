"""Environments by GraphQL. Source: docs/platform/graphql.md, docs/platform/deployments.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import FIELDS_HAVE_LIMITS
from tests.by_release import by_release
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

ENVIRONMENTS = ["production", {"name": "review/a", "state": "stopped"}, "review/b"]
pytestmark = pytest.mark.fakeplat(
    scenario={
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "environments": ENVIRONMENTS}],
    }
)


ORDERED = ("review/a", "production")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["review/b", "review/a", "production"]),
        ('(name: "production")', ["production"]),
        ('(search: "REV")', ["review/b", "review/a"]),
        ('(search: "b")', ["review/b"]),
        ("(states: [])", ["review/b", "review/a", "production"]),
        ('(states: ["stopped"])', ["review/a"]),
        ('(search: "rev", states: ["available"])', ["review/b"]),
    ],
    ids=range(7),
)
def test_the_environments_of_a_project_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Environments are filtered by name, start of the name or of what follows the folder, and state; newest first."""
    environments = query_project(fakeplat, "rep", f"environments{arguments} {{ nodes {{ name }} }}")["environments"][
        "nodes"
    ]

    assert expected == [environment["name"] for environment in environments]


def test_an_environment_has_a_global_id_a_name_and_a_state(fakeplat: Fakeplat) -> None:
    """An environment shows its global id, name and state, and a missing one is null."""
    selection = '{ id name state } none: environment(name: "none") { id }'
    project = query_project(fakeplat, "rep", f'environment(name: "review/a") {selection}')

    assert None is project["none"]
    assert {"id": "gid://gitlab/Environment/160002", "name": "review/a", "state": "stopped"} == project["environment"]


def test_who_may_not_read_environments_sees_none(fakeplat: Fakeplat) -> None:
    """Guests of a private project get an empty list of environments."""
    assert [] == query_project(fakeplat, "gus", "environments { nodes { name } }")["environments"]["nodes"]


def test_an_unknown_state_is_an_error(fakeplat: Fakeplat) -> None:
    """An unknown state in the `states` argument is an error of the query."""
    query = '{ project(fullPath: "acme/site") { environments(states: ["gone"]) { nodes { name } } } }'

    assert ["Requested states are invalid"] == list_messages(post_query(fakeplat, "rep", query))


DEPLOYED = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "freeze_periods": [{"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"}],
            "environments": [
                {"name": "review/a", "external_url": "https://a.example.test"},
                {"name": "review/b", "state": "stopped"},
                "production",
            ],
            "deployments": [
                {"environment": "review/a", "ref": "main", "user": "dev", "status": "success"},
                {"environment": "review/a", "ref": "main", "status": "failed"},
            ],
        }
    ],
}
later = pytest.mark.fakeplat(version="latest", scenario=DEPLOYED)
DETAILS = """slug externalUrl tier environmentType path deployFreezes { status startCron endCron startTime endTime }
    userPermissions { updateEnvironment destroyEnvironment stopEnvironment }"""


@later
def test_an_environment_shows_its_details(fakeplat: Fakeplat) -> None:
    """An environment shows its folder, its tier, its freeze periods and what the caller may do."""
    fakeplat.clock.advance_to("2020-11-22T09:00:00Z")
    environment = query_project(fakeplat, "dev", f'environment(name: "review/a") {{ {DETAILS} }}')["environment"]

    assert environment.pop("slug").startswith("review-a-")
    assert environment.pop("path").startswith("/acme/site/-/environments/")
    assert {
        "externalUrl": "https://a.example.test",
        "tier": "DEVELOPMENT",
        "environmentType": "review",
        "deployFreezes": [
            {
                "status": "ACTIVE",
                "startCron": "0 23 * * 5",
                "endCron": "0 7 * * 1",
                "startTime": "2020-11-20T23:00:00Z",
                "endTime": "2020-11-23T07:00:00Z",
            }
        ],
        "userPermissions": {"updateEnvironment": True, "destroyEnvironment": False, "stopEnvironment": True},
    } == environment


@later
def test_environments_of_a_folder_are_nested(fakeplat: Fakeplat) -> None:
    """Environments of a folder stand for one row with their number; the type is the name of the folder, if any."""
    fields = """nestedEnvironments { nodes { name size environment { name } } }
        environments(type: "review") { nodes { name } }"""
    project = query_project(fakeplat, "rep", fields)

    assert [
        {"name": "production", "size": 1, "environment": {"name": "production"}},
        {"name": "review", "size": 2, "environment": {"name": "review/b"}},
    ] == project["nestedEnvironments"]["nodes"]
    assert [{"name": "review/b"}, {"name": "review/a"}] == project["environments"]["nodes"]
    every = query_project(fakeplat, "rep", 'environments(type: "") { nodes { name } }')["environments"]["nodes"]
    assert 3 == len(every)


@later
def test_an_environment_shows_its_deployments(fakeplat: Fakeplat) -> None:
    """Deployments are filtered by status and ordered, and the newest one of a status is shown."""
    fakeplat.as_user("mia").post("projects/acme%2Fsite/repository/tags", json={"tag_name": "v9", "ref": "main"})
    fields = """deployments { nodes { iid status ref triggerer { username } tags { name path } } }
        lastDeployment(status: SUCCESS) { iid userPermissions { updateDeployment destroyDeployment } }"""
    environment = query_project(fakeplat, "dev", f'environment(name: "review/a") {{ {fields} }}')["environment"]
    first, second = environment["deployments"]["nodes"]

    assert ("1", "SUCCESS", "main", {"username": "dev"}) == tuple(
        first[key] for key in ("iid", "status", "ref", "triggerer")
    )
    assert {"name": "v9", "path": "tags/v9"} in first["tags"]
    for arguments, expected in (("statuses: [FAILED]", ["2"]), ("orderBy: {createdAt: DESC}", ["2", "1"])):
        query = f'environment(name: "review/a") {{ deployments({arguments}) {{ nodes {{ iid }} }} }}'
        rows = query_project(fakeplat, "dev", query)["environment"]["deployments"]["nodes"]
        assert expected == [row["iid"] for row in rows]
    permissions = {"updateDeployment": True, "destroyDeployment": False}
    assert {"iid": "1", "userPermissions": permissions} == environment["lastDeployment"]
    assert "FAILED" == second["status"]


@by_release(FIELDS_HAVE_LIMITS, "expected", {"18.1": ["review/a", "production"], "18.2": ["review/a"]})
def test_only_one_environment_shows_its_deployments(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Later releases show the deployments of one environment in a query; others are errors beside it."""
    one, other = (f'environment(name: "{name}") {{ name deployments {{ nodes {{ iid }} }} }}' for name in ORDERED)
    content = post_query(fakeplat, "dev", f'{{ project(fullPath: "acme/site") {{ one: {one} other: {other} }} }}')
    rows = content["data"]["project"].values()
    assert expected == [row["name"] for row in rows if row["deployments"] is not None]
    refusal = '"deployments" field can be requested only for 1 Environment(s) at a time.'
    assert [refusal] * (2 - len(expected)) == [error["message"] for error in content.get("errors", ())]


@later
def test_the_last_skipped_deployment_cannot_be_asked_for(fakeplat: Fakeplat) -> None:
    """Only finished deployments and those that are to come are shown as the last ones."""
    asked = 'environment(name: "production") { lastDeployment(status: SKIPPED) { id } }'
    query = f'{{ project(fullPath: "acme/site") {{ {asked} }} }}'

    assert ['"skipped" status is not supported.'] == list_messages(post_query(fakeplat, "dev", query))


@later
def test_an_environment_is_created_changed_stopped_and_deleted(fakeplat: Fakeplat) -> None:
    """Developers create, change, stop and delete an environment by mutations, which REST shows."""
    create = write_mutation("environmentCreate", "environment { id name tier description }")
    given = {"projectPath": "acme/site", "name": "qa", "tier": "TESTING", "description": "Tests"}
    environment = query_data(fakeplat, "dev", create, input=given)["environmentCreate"]["environment"]
    update = write_mutation("environmentUpdate", "environment { externalUrl }")
    changed = query_data(
        fakeplat, "dev", update, input={"id": environment["id"], "externalUrl": "https://qa.example.test"}
    )
    rest = fakeplat.as_user("dev").get("projects/acme%2Fsite/environments?name=qa").json()[0]

    assert {"name": "qa", "tier": "TESTING", "description": "Tests"} == {
        k: v for k, v in environment.items() if k != "id"
    }
    assert {"environment": {"externalUrl": "https://qa.example.test"}, "errors": []} == changed["environmentUpdate"]
    assert ("qa", "https://qa.example.test") == (rest["name"], rest["external_url"])
    delete = write_mutation("environmentDelete", "")
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", delete, input={"id": environment["id"]}))
    stop = write_mutation("environmentStop", "environment { state }")
    assert (
        "stopped"
        == query_data(fakeplat, "dev", stop, input={"id": environment["id"]})["environmentStop"]["environment"]["state"]
    )
    assert {"errors": []} == query_data(fakeplat, "dev", delete, input={"id": environment["id"]})["environmentDelete"]
    assert [] == fakeplat.as_user("dev").get("projects/acme%2Fsite/environments?name=qa").json()


@later
@pytest.mark.parametrize("by", ["rep", "gus"])
def test_who_may_not_create_environments_is_refused(fakeplat: Fakeplat, by: str) -> None:
    """Reporters and Guests cannot create environments."""
    create = write_mutation("environmentCreate", "environment { id }")
    content = query_refused(fakeplat, by, create, input={"projectPath": "acme/site", "name": "qa"})

    assert [NOT_AVAILABLE] == list_messages(content)


@later
def test_an_environment_with_a_taken_name_is_refused(fakeplat: Fakeplat) -> None:
    """A taken name is an error of the payload."""
    create = write_mutation("environmentCreate", "environment { id }")
    content = query_refused(fakeplat, "dev", create, input={"projectPath": "acme/site", "name": "production"})

    assert {"environment": None, "errors": ["Name has already been taken", "Slug has already been taken"]} == (
        content["data"]["environmentCreate"]
    )


BLOCKED = {
    "extends": "starter",
    "instance": {"tier": "premium"},
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "environments": ["production"],
            "deployments": [{"environment": "production", "ref": "main", "user": "dev", "status": "blocked"}],
            "protected_environments": [
                {"name": "production", "deploy_access_levels": [40], "required_approval_count": 1}
            ],
        }
    ],
}


@pytest.mark.fakeplat(version="latest", scenario=BLOCKED)
def test_a_deployment_is_approved(fakeplat: Fakeplat) -> None:
    """Those who may deploy approve a blocked deployment, which counts what is missing."""
    fields = """environment(name: "production") { lastDeployment(status: BLOCKED) { id pendingApprovalCount
        approvals { status comment user { username } } userPermissions { approveDeployment } } }"""
    before = query_project(fakeplat, "mia", fields)["environment"]["lastDeployment"]
    approve = write_mutation("approveDeployment", "deploymentApproval { status comment }")
    given = {"id": before["id"], "status": "APPROVED", "comment": "Go"}
    answer = query_data(fakeplat, "mia", approve, input=given)["approveDeployment"]
    after = query_project(fakeplat, "dev", fields)["environment"]["lastDeployment"]

    assert (1, [], {"approveDeployment": True}) == (
        before["pendingApprovalCount"],
        before["approvals"],
        before["userPermissions"],
    )
    assert {"deploymentApproval": {"status": "APPROVED", "comment": "Go"}, "errors": []} == answer
    assert (
        0,
        [{"status": "APPROVED", "comment": "Go", "user": {"username": "mia"}}],
        {"approveDeployment": False},
    ) == (
        after["pendingApprovalCount"],
        after["approvals"],
        after["userPermissions"],
    )
