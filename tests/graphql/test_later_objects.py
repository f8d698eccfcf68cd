"""CI configurations, files, runners, and kept images by GraphQL, as later releases show and change them.

Source: docs/platform/graphql.md; app/graphql/resolvers/ci/config_resolver.rb and app/graphql/mutations of the platform.
"""

from base64 import b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(version="latest", scenario="starter")

# Configurations

CONFIGURATION = """stages: [build, test]
unit 1/2: {stage: test, script: [make test], needs: [compile], tags: [linux], allow_failure: true}
compile: {stage: build, script: make, only: [main]}
"""
JOBS = "jobs { nodes { name groupName stage script tags when allowFailure needs { nodes { name } } only { refs } } }"
CONFIG = f"""status errors warnings mergedYaml includes {{ type location }}
    stages {{ nodes {{ name groups {{ nodes {{ name size {JOBS} }} }} }} }}"""


def validate(fake: Fakeplat, content: str, by: str | None = "dev") -> Any:
    query = f"""query($content: String!) {{
        ciConfig(projectPath: "acme/site", content: $content) {{ {CONFIG} }} }}"""
    return post_query(fake, by, query, content=content)


def test_a_configuration_is_validated(fakeplat: Fakeplat) -> None:
    """A valid configuration shows its stages with the groups of jobs, which show what they run and need."""
    config = validate(fakeplat, CONFIGURATION)["data"]["ciConfig"]
    build, test = config["stages"]["nodes"]

    assert ("VALID", [], []) == (config["status"], config["errors"], config["includes"])
    assert "compile:" in config["mergedYaml"]
    assert ["build", "test"] == [build["name"], test["name"]]
    (group,) = test["groups"]["nodes"]
    assert ("unit", 1) == (group["name"], group["size"])
    assert [
        {
            "name": "unit 1/2",
            "groupName": "unit",
            "stage": "test",
            "script": ["make test"],
            "tags": ["linux"],
            "when": "on_success",
            "allowFailure": True,
            "needs": {"nodes": [{"name": "compile"}]},
            "only": {"refs": ["branches", "tags"]},
        }
    ] == group["jobs"]["nodes"]
    assert {"refs": ["main"]} == build["groups"]["nodes"][0]["jobs"]["nodes"][0]["only"]


def test_an_invalid_configuration_shows_its_errors(fakeplat: Fakeplat) -> None:
    """An invalid configuration has errors and no stages."""
    config = validate(fakeplat, "unit: {stage: never, script: make}")["data"]["ciConfig"]

    assert ("INVALID", {"nodes": []}) == (config["status"], config["stages"])
    assert [
        "unit job: chosen stage never does not exist; available stages are .pre, build, test, deploy, .post"
    ] == config["errors"]


@pytest.mark.parametrize("by", ["rep", None])
def test_who_may_not_create_pipelines_validates_nothing(fakeplat: Fakeplat, by: str | None) -> None:
    """Reporters and visitors get the error of a resource that is not available."""
    assert [NOT_AVAILABLE] == list_messages(validate(fakeplat, CONFIGURATION, by))


# Files

FILE = """webPath rawPath blamePath historyPath permalinkPath findFilePath projectBlobPathRoot pipelineEditorPath
    canCurrentUserPushToBranch archived base64EncodedBlob externalStorage"""


def test_a_file_shows_its_pages(fakeplat: Fakeplat) -> None:
    """A file shows the paths of its pages at the ref that was asked for, and whether the caller may push there."""
    query = f'repository {{ blobs(paths: ["README.md"], ref: "main") {{ nodes {{ {FILE} rawBlob }} }} }}'
    blobs = {by: query_project(fakeplat, by, query)["repository"]["blobs"]["nodes"][0] for by in ("mia", "rep")}
    sha = fakeplat.as_user("mia").get("projects/acme%2Fsite/repository/commits/main").json()["id"]
    text = blobs["mia"].pop("rawBlob")

    assert {
        "webPath": "/acme/site/-/blob/main/README.md",
        "rawPath": "/acme/site/-/raw/main/README.md",
        "blamePath": "/acme/site/-/blame/main/README.md",
        "historyPath": "/acme/site/-/commits/main/README.md",
        "permalinkPath": f"/acme/site/-/blob/{sha}/README.md",
        "findFilePath": "/acme/site/-/find_file/main",
        "projectBlobPathRoot": "/acme/site/-/blob/main",
        "pipelineEditorPath": None,
        "canCurrentUserPushToBranch": True,
        "archived": False,
        "base64EncodedBlob": b64encode(text.encode()).decode(),
        "externalStorage": None,
    } == blobs["mia"]
    assert False is blobs["rep"]["canCurrentUserPushToBranch"]


def test_a_configuration_shows_the_path_of_its_editor(fakeplat: Fakeplat) -> None:
    """Only the CI configuration has the path of the editor, for those who may push."""
    commit = {"branch": "editor", "start_branch": "main", "commit_message": "Change"}
    action = {"file_path": ".gitlab-ci.yml", "content": "unit: {script: make}"}
    for name in ("create", "update"):
        sent = {**commit, "actions": [{**action, "action": name}]}
        fakeplat.as_user("dev").post("projects/acme%2Fsite/repository/commits", json=sent)
    query = 'repository { blobs(paths: [".gitlab-ci.yml"], ref: "editor") { nodes { pipelineEditorPath } } }'
    paths = [
        query_project(fakeplat, by, query)["repository"]["blobs"]["nodes"][0]["pipelineEditorPath"]
        for by in ("dev", "rep")
    ]

    assert ["/acme/site/-/ci/editor?branch_name=editor", None] == paths


# Comments


def test_commenters_are_those_who_commented(fakeplat: Fakeplat) -> None:
    """An issue shows the authors of its comments, not of its system notes."""
    issue = fakeplat.as_user("rep").post("projects/acme%2Fsite/issues", json={"title": "Broken"}).json()
    path = f"projects/acme%2Fsite/issues/{issue['iid']}"
    fakeplat.as_user("dev").post(f"{path}/notes", json={"body": "Yes"})
    fakeplat.as_user("mia").put(path, json={"title": "Very broken"})
    query = f'issue(iid: "{issue["iid"]}") {{ commenters {{ nodes {{ username }} }} }}'

    assert [{"username": "dev"}] == query_project(fakeplat, "rep", query)["issue"]["commenters"]["nodes"]


def test_a_note_is_found_by_its_id(fakeplat: Fakeplat) -> None:
    """A note is found by those who see what it is about, and an internal one by members only."""
    fakeplat.as_user("rep").post("projects/acme%2Fsite/issues", json={"title": "Broken", "iid": 90})
    issue = fakeplat.as_user("rep").get("projects/acme%2Fsite/issues?search=Broken").json()[0]
    path = f"projects/acme%2Fsite/issues/{issue['iid']}/notes"
    number = fakeplat.as_user("rep").post(path, json={"body": "Psst", "internal": True}).json()["id"]
    query = f'{{ note(id: "gid://gitlab/Note/{number}") {{ body }} }}'

    assert [{"body": "Psst"}, None, None] == [query_data(fakeplat, by, query)["note"] for by in ("dev", "gus", None)]


# Runners


def create_runner(fake: Fakeplat, **fields: Any) -> str:
    """Create a runner of the project as Mia, and return its global id."""
    project_id = fake.as_user("mia").get("projects/acme%2Fsite").json()["id"]
    given = {"runnerType": "PROJECT_TYPE", "projectId": f"gid://gitlab/Project/{project_id}", **fields}
    query = write_mutation("runnerCreate", "runner { id }")
    id_: str = query_data(fake, "mia", query, input=given)["runnerCreate"]["runner"]["id"]
    return id_


def test_a_new_runner_is_not_there_yet(fakeplat: Fakeplat) -> None:
    """A runner that a user created has started to be created until it registers."""
    id_ = create_runner(fakeplat, maintenanceNote="*Soon*")
    fields = "creationMethod creationState maintenanceNoteHtml jobCount(statuses: [RUNNING]) registerAdminUrl"
    query = f'{{ runner(id: "{id_}") {{ {fields} managers(systemId: "s_1") {{ count nodes {{ id }} }} }} }}'

    assert {
        "creationMethod": "AUTHENTICATED_USER",
        "creationState": "STARTED",
        "maintenanceNoteHtml": '<p dir="auto"><em>Soon</em></p>',
        "jobCount": 0,
        "registerAdminUrl": None,
        "managers": {"count": 0, "nodes": []},
    } == query_data(fakeplat, "mia", query)["runner"]


def test_several_runners_are_paused_and_deleted(fakeplat: Fakeplat) -> None:
    """Runners are paused and deleted together; those that the caller does not manage are errors beside the others."""
    ids = [create_runner(fakeplat), create_runner(fakeplat)]
    pause = write_mutation("runnerBulkPause", "updatedCount updatedRunners { paused }")
    paused = query_data(fakeplat, "mia", pause, input={"ids": ids, "paused": True})["runnerBulkPause"]
    denied = query_data(fakeplat, "dev", pause, input={"ids": ids, "paused": False})["runnerBulkPause"]
    delete = write_mutation("bulkRunnerDelete", "deletedCount deletedIds")

    assert {"updatedCount": 2, "updatedRunners": [{"paused": True}] * 2, "errors": []} == paused
    refusal = "User does not have permission to update / pause any of the runners"
    assert {"updatedCount": 0, "updatedRunners": [], "errors": [refusal]} == denied
    shared = fakeplat.as_user("root").post("user/runners", json={"runner_type": "instance_type"}).json()["id"]
    several = [*ids, f"gid://gitlab/Ci::Runner/{shared}"]
    some = query_data(fakeplat, "mia", pause, input={"ids": several, "paused": False})["runnerBulkPause"]
    refusal = f"User does not have permission to update / pause runner(s) #{shared}"
    assert (2, [refusal]) == (some["updatedCount"], some["errors"])
    gone = {"ids": ["gid://gitlab/Ci::Runner/1"]}
    none = query_data(fakeplat, "mia", pause, input={**gone, "paused": True})["runnerBulkPause"]
    assert {"updatedCount": 0, "updatedRunners": [], "errors": []} == none
    nothing = query_data(fakeplat, "mia", delete, input=gone)["bulkRunnerDelete"]
    assert ["User does not have permission to delete any of the runners"] == nothing["errors"]
    assert {"deletedCount": None, "deletedIds": None, "errors": []} == query_data(fakeplat, "mia", delete, input={})[
        "bulkRunnerDelete"
    ]
    assert {"deletedCount": 2, "deletedIds": ids, "errors": []} == (
        query_data(fakeplat, "mia", delete, input={"ids": ids})["bulkRunnerDelete"]
    )


def test_a_runner_is_assigned_to_a_project(fakeplat: Fakeplat) -> None:
    """Owners enable a runner for a further project and disable it; the project that owns it stays."""
    id_ = create_runner(fakeplat)
    pair = {"runnerId": id_, "projectPath": "acme/tools/kit"}
    assign, unassign = (write_mutation(f"runner{word}Project", "") for word in ("AssignTo", "UnassignFrom"))
    query = f'{{ runner(id: "{id_}") {{ projectCount }} }}'

    assert {"errors": []} == query_data(fakeplat, "ada", assign, input=pair)["runnerAssignToProject"]
    assert 2 == query_data(fakeplat, "ada", query)["runner"]["projectCount"]
    assert {"errors": []} == query_data(fakeplat, "ada", unassign, input=pair)["runnerUnassignFromProject"]
    last = query_refused(fakeplat, "ada", unassign, input={**pair, "projectPath": "acme/site"})
    stays = "You cannot unassign a runner from the owner project. Delete the runner instead"
    assert {"errors": [stays]} == last["data"]["runnerUnassignFromProject"]
    absent = query_refused(fakeplat, "ada", unassign, input=pair)
    assert ["Runner does not exist or is not assigned to this project"] == list_messages(absent)


def test_a_runner_is_not_assigned_to_a_project(fakeplat: Fakeplat) -> None:
    """A runner that a project has, one of a group, and a project of others are refused, each with its own words."""
    id_, assign = create_runner(fakeplat), write_mutation("runnerAssignToProject", "")

    def ask(path: str, runner: str = id_, by: str = "ada") -> dict[str, Any]:
        return query_refused(fakeplat, by, assign, input={"runnerId": runner, "projectPath": path})

    again = ask("acme/site")["data"]["runnerAssignToProject"]["errors"]
    assert ["Assign to Validation failed: Runner projects is invalid"] == again
    foreign = ask("ada/notes", by="mia")["data"]["runnerAssignToProject"]["errors"]
    assert ["user is not authorized to add runners to project"] == foreign
    assert [NOT_AVAILABLE] == list_messages(ask("acme/nothing"))
    assert [NOT_AVAILABLE] == list_messages(ask("acme/site", by="dev"))


def test_the_registration_token_is_replaced(fakeplat: Fakeplat) -> None:
    """Maintainers replace the registration token of a project, and Developers do not."""
    project_id = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()["id"]
    reset = write_mutation("runnersRegistrationTokenReset", "token")
    given = {"type": "PROJECT_TYPE", "id": f"gid://gitlab/Project/{project_id}"}
    tokens = [query_data(fakeplat, "mia", reset, input=given)["runnersRegistrationTokenReset"]["token"] for _ in "ab"]

    assert tokens[0] != tokens[1]
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", reset, input=given))
    missing = query_refused(fakeplat, "mia", reset, input={"type": "GROUP_TYPE"})
    assert ["id must be specified"] == list_messages(missing)


# Kept images


def test_a_group_decides_how_long_it_keeps_images(fakeplat: Fakeplat) -> None:
    """Owners change the policy of images that nobody pulls; Maintainers do not, and zero days are refused."""
    update = write_mutation("updateDependencyProxyImageTtlGroupPolicy", "dependencyProxyImageTtlPolicy { enabled ttl }")
    given = {"groupPath": "acme", "enabled": True, "ttl": 30}
    changed = query_data(fakeplat, "ada", update, input=given)["updateDependencyProxyImageTtlGroupPolicy"]
    query = '{ group(fullPath: "acme") { dependencyProxyImageTtlPolicy { enabled ttl } } }'

    assert {"dependencyProxyImageTtlPolicy": {"enabled": True, "ttl": 30}, "errors": []} == changed
    policy = query_data(fakeplat, "ada", query)["group"]["dependencyProxyImageTtlPolicy"]
    assert {"enabled": True, "ttl": 30} == policy
    zero = query_refused(fakeplat, "ada", update, input={**given, "ttl": 0})
    assert ["Ttl must be greater than 0"] == zero["data"]["updateDependencyProxyImageTtlGroupPolicy"]["errors"]
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", update, input=given))


DESCRIBED = """variables:
  KEY: {value: value x, description: What it is}
  DB_NAME: postgres
  PLACE: {value: here, options: [here, there], description: Where it is}
unit: {script: make}
"""


def test_the_variables_of_a_configuration_are_listed(fakeplat: Fakeplat) -> None:
    """The variables of the root are shown with descriptions and options, to those who may create pipelines."""
    commit = {"branch": "described", "start_branch": "main", "commit_message": "Change"}
    action = {"file_path": ".gitlab-ci.yml", "content": DESCRIBED}
    for name in ("create", "update"):
        sent = {**commit, "actions": [{**action, "action": name}]}
        fakeplat.as_user("dev").post("projects/acme%2Fsite/repository/commits", json=sent)
    query = 'ciConfigVariables(ref: "described") { key value valueOptions description }'

    assert [
        {"key": "KEY", "value": "value x", "valueOptions": None, "description": "What it is"},
        {"key": "DB_NAME", "value": "postgres", "valueOptions": None, "description": None},
        {"key": "PLACE", "value": "here", "valueOptions": ["here", "there"], "description": "Where it is"},
    ] == query_project(fakeplat, "dev", query)["ciConfigVariables"]
    assert {"ciConfigVariables": None} == query_project(fakeplat, "gus", query)
    assert {"projectPlanLimits": {"ciPipelineSchedules": 10}} == (
        query_project(fakeplat, "dev", "projectPlanLimits { ciPipelineSchedules }")
    )


def test_a_detailed_status_has_an_id(fakeplat: Fakeplat) -> None:
    """The id of a detailed status has its group and the id of what has it."""
    nodes = query_project(fakeplat, "dev", "pipelines { nodes { id detailedStatus { id group } } }")["pipelines"][
        "nodes"
    ]
    numbers = [node["id"].rpartition("/")[2] for node in nodes]

    assert [
        f"{node['detailedStatus']['group']}-{number}-{number}" for node, number in zip(nodes, numbers, strict=True)
    ] == [node["detailedStatus"]["id"] for node in nodes]
