"""Branch rules and inputs of pipeline schedules by GraphQL.

Source: spec/requests/api/graphql/mutations/branch_rules and ci/pipeline_schedule of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(version="latest", scenario="starter")
LEVELS = "nodes { accessLevel accessLevelDescription user { username } group { name } }"
PROTECTION = f"branchProtection {{ allowForcePush pushAccessLevels {{ {LEVELS} }} mergeAccessLevels {{ {LEVELS} }} }}"
CREATE = write_mutation("branchRuleCreate", f"branchRule {{ id name {PROTECTION} }}")
UPDATE = write_mutation("branchRuleUpdate", f"branchRule {{ name {PROTECTION} }}")
DELETE = write_mutation("branchRuleDelete", "branchRule { name }")
MAINTAINERS = {"accessLevel": 40, "accessLevelDescription": "Maintainers", "user": None, "group": None}


def create_rule(fake: Fakeplat, name: str = "release/*") -> Any:
    given = {"projectPath": "acme/site", "name": name}
    return query_data(fake, "mia", CREATE, input=given)["branchRuleCreate"]["branchRule"]


def list_names(fake: Fakeplat) -> list[str]:
    return [rule["name"] for rule in fake.as_user("mia").get("projects/acme%2Fsite/protected_branches").json()]


def test_a_branch_rule_is_created(fakeplat: Fakeplat) -> None:
    """A new rule protects branches for Maintainers, which REST shows."""
    rule = create_rule(fakeplat)

    assert rule["id"].startswith("gid://gitlab/Projects::BranchRule/")
    assert "release/*" in list_names(fakeplat)
    assert {
        "allowForcePush": False,
        "pushAccessLevels": {"nodes": [MAINTAINERS]},
        "mergeAccessLevels": {"nodes": [MAINTAINERS]},
    } == rule["branchProtection"]


def test_a_taken_name_is_refused(fakeplat: Fakeplat) -> None:
    """A name that another rule has is an error of the payload, for new rules and for others."""
    rule = create_rule(fakeplat)
    given = {"projectPath": "acme/site", "name": "main"}
    created = query_refused(fakeplat, "mia", CREATE, input=given)["data"]["branchRuleCreate"]
    updated = query_refused(fakeplat, "mia", UPDATE, input={"id": rule["id"], "name": "main"})["data"]

    expected = {"branchRule": None, "errors": ["Name has already been taken"]}
    assert expected == created
    assert expected == updated["branchRuleUpdate"]


def test_a_branch_rule_is_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """An update changes the name and who may push; a deleted rule is gone."""
    rule = create_rule(fakeplat)
    levels = {"pushAccessLevels": [{"accessLevel": 30}], "mergeAccessLevels": [{"accessLevel": 40}]}
    change = {**levels, "allowForcePush": True}
    given = {"id": rule["id"], "name": "stable", "branchProtection": change}
    changed = query_data(fakeplat, "mia", UPDATE, input=given)["branchRuleUpdate"]["branchRule"]
    deleted = query_data(fakeplat, "mia", DELETE, input={"id": rule["id"]})["branchRuleDelete"]
    protection = changed["branchProtection"]

    assert ("stable", True) == (changed["name"], protection["allowForcePush"])
    assert [[30], [40]] == [
        [row["accessLevel"] for row in protection[key]["nodes"]] for key in ("pushAccessLevels", "mergeAccessLevels")
    ]
    assert {"branchRule": None, "errors": []} == deleted
    assert "stable" not in list_names(fakeplat)


def test_developers_change_no_branch_rules(fakeplat: Fakeplat) -> None:
    """Developers neither create, change nor delete branch rules; a missing one is not available."""
    rule = create_rule(fakeplat)
    missing = {"id": "gid://gitlab/Projects::BranchRule/1", "name": "x"}
    for by, query, given in (
        ("dev", CREATE, {"projectPath": "acme/site", "name": "x"}),
        ("dev", UPDATE, {"id": rule["id"], "name": "x"}),
        ("dev", DELETE, {"id": rule["id"]}),
        ("mia", UPDATE, missing),
    ):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, query, input=given))


def test_a_schedule_has_inputs(fakeplat: Fakeplat) -> None:
    """Inputs of a schedule are added, changed and removed."""
    fields = "pipelineSchedule { id inputs { nodes { name value } } }"
    given = {"projectPath": "acme/site", "description": "Nightly", "cron": "0 1 * * *", "ref": "main"}
    inputs = [{"name": "kept", "value": "old"}, {"name": "gone", "value": 1}]
    create = write_mutation("pipelineScheduleCreate", fields)
    made = query_data(fakeplat, "mia", create, input={**given, "inputs": inputs})["pipelineScheduleCreate"]
    changes = [
        {"name": "kept", "value": "new"},
        {"name": "gone", "value": 1, "destroy": True},
        {"name": "on", "value": True},
    ]
    update = write_mutation("pipelineScheduleUpdate", fields)
    sent = {"id": made["pipelineSchedule"]["id"], "inputs": changes}
    changed = query_data(fakeplat, "mia", update, input=sent)["pipelineScheduleUpdate"]

    assert inputs == made["pipelineSchedule"]["inputs"]["nodes"]
    assert [{"name": "kept", "value": "new"}, {"name": "on", "value": True}] == (
        changed["pipelineSchedule"]["inputs"]["nodes"]
    )


def test_a_schedule_with_a_variable_twice_is_refused(fakeplat: Fakeplat) -> None:
    """Two variables of a schedule with one key are an error of the payload."""
    variable = {"key": "AAA", "value": "1", "variableType": "ENV_VAR"}
    given = {"projectPath": "acme/site", "description": "Nightly", "cron": "0 1 * * *", "ref": "main"}
    create = write_mutation("pipelineScheduleCreate", "pipelineSchedule { id }")
    content = query_refused(fakeplat, "mia", create, input={**given, "variables": [variable, variable]})

    assert {"pipelineSchedule": None, "errors": ["Variables have duplicate values (AAA)"]} == (
        content["data"]["pipelineScheduleCreate"]
    )


JOB = {"name": "unit", "status": "manual", "when": "manual"}
SITE = {"path_with_namespace": "acme/site", "pipelines": [{"ref": "main", "status": "manual", "jobs": [JOB]}]}


@pytest.mark.fakeplat(version="latest", scenario={"extends": "starter", "projects": [SITE]})
def test_a_job_shows_its_paths(fakeplat: Fakeplat) -> None:
    """A job shows the paths of its commit, its ref and its pages; only a finished one has a path to start it again."""
    pipeline = fakeplat.as_user("dev").get("projects/acme%2Fsite/pipelines?status=manual").json()[0]
    fields = "id commitPath refPath playPath retryPath browseArtifactsPath"
    query = f'pipeline(iid: "{pipeline["iid"]}") {{ jobs {{ nodes {{ {fields} }} }} }}'
    (job,) = query_project(fakeplat, "dev", query)["pipeline"]["jobs"]["nodes"]
    number = job.pop("id").rpartition("/")[2]

    assert {
        "commitPath": f"/acme/site/-/commit/{pipeline['sha']}",
        "refPath": "/acme/site/-/commits/main",
        "playPath": f"/acme/site/-/jobs/{number}/play",
        "retryPath": None,
        "browseArtifactsPath": f"/acme/site/-/jobs/{number}/artifacts/browse",
    } == job
