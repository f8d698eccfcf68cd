"""What jobs wait for, and what they were started with, by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.jobs import create_pipeline, job
from tests.api.pipelines import newest
from tests.graphql.queries import query_data, query_project
from tests.graphql.reviewed_world import REVIEWED
from tests.graphql.test_jobs import BRIDGE, get_job_gid

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual")
WAITING = (
    {"name": "first", "stage": "build", "status": "success"},
    {"name": "broken", "stage": "build", "status": "failed"},
    {"name": "second", "stage": "test", "status": "manual", "when": "manual"},
    {"name": "third", "stage": "deploy", "status": "created", "needs": [{"name": "first"}]},
)


def read_jobs(fake: Fakeplat, user: str, fields: str) -> dict[str, Any]:
    """Return the fields of the jobs of the newest pipeline by name."""
    query = f'pipeline(iid: "{newest(fake).iid}") {{ jobs {{ nodes {{ name {fields} }} }} }}'
    nodes = query_project(fake, user, query)["pipeline"]["jobs"]["nodes"]
    return {node.pop("name"): node for node in nodes}


def test_jobs_of_the_stage_before(fakeplat: Fakeplat) -> None:
    """A job waits for the stage before it, or for the jobs that it names."""
    create_pipeline(fakeplat, *WAITING)
    union = "__typename ... on CiJob { job: name } ... on CiBuildNeed { need: name }"
    jobs = read_jobs(
        fakeplat,
        "dev",
        f"previousStageJobs {{ nodes {{ name }} }} previousStageJobsOrNeeds {{ nodes {{ {union} }} }}",
    )
    assert [] == jobs["first"]["previousStageJobs"]["nodes"]
    assert [{"name": "first"}, {"name": "broken"}] == jobs["second"]["previousStageJobs"]["nodes"]
    previous = [{"__typename": "CiJob", "job": name} for name in ("first", "broken")]
    assert previous == jobs["second"]["previousStageJobsOrNeeds"]["nodes"]
    assert [{"__typename": "CiBuildNeed", "need": "first"}] == jobs["third"]["previousStageJobsOrNeeds"]["nodes"]
    assert [{"name": "second"}] == jobs["third"]["previousStageJobs"]["nodes"]


def test_the_source_is_that_of_the_pipeline(fakeplat: Fakeplat) -> None:
    """Jobs of runners have the source of their pipeline; those that start other pipelines have none."""
    create_pipeline(fakeplat, *WAITING, BRIDGE, source="web")
    jobs = read_jobs(fakeplat, "dev", "source")
    assert ("WEB", None) == (jobs["first"]["source"], jobs["next"]["source"])
    for sources, count in (("[WEB, PUSH]", 3), ("[SCHEDULE]", 0)):
        nodes = query_project(fakeplat, "dev", f"jobs(sources: {sources}) {{ nodes {{ name }} }}")["jobs"]["nodes"]
        assert count == len(nodes)


def test_a_failed_script_has_an_exit_code(fakeplat: Fakeplat) -> None:
    """The exit code of a failing script is shown; other jobs have none."""
    from fakeplat.domain.ci import job_actions

    create_pipeline(fakeplat, {"name": "a", "status": "running"}, {"name": "b", "status": "success"})
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.fail(ctx, ctx.world.jobs[job(fakeplat, "a").id], exit_code=3)
    jobs = read_jobs(fakeplat, "dev", "exitCode")
    assert (3, None) == (jobs["a"]["exitCode"], jobs["b"]["exitCode"])


def play(fake: Fakeplat, user: str, fields: str, **given: Any) -> Any:
    query = f"mutation($input: JobPlayInput!) {{ jobPlay(input: $input) {{ errors job {{ {fields} }} }} }}"
    return query_data(fake, user, query, input={"id": get_job_gid(fake, "second"), **given})["jobPlay"]


def test_variables_of_a_manual_job(fakeplat: Fakeplat) -> None:
    """The variables that a user gave a manual job are shown to members, not to visitors; other jobs have none."""
    create_pipeline(fakeplat, *WAITING, BRIDGE)
    fields = "manualVariables { nodes { key value variableType raw environmentScope } }"
    variables = [{"key": "A", "value": "1"}, {"key": "B", "value": "2", "variableType": "FILE"}]
    played = play(fakeplat, "mia", fields, variables=variables)["job"]["manualVariables"]["nodes"]
    common = {"raw": False, "environmentScope": None}
    assert [
        {"key": "A", "value": "1", "variableType": "ENV_VAR", **common},
        {"key": "B", "value": "2", "variableType": "FILE", **common},
    ] == played
    jobs = read_jobs(fakeplat, "dev", "manualVariables { nodes { id key } }")
    first, second = jobs["second"]["manualVariables"]["nodes"]
    assert first["id"] != second["id"]
    assert {"nodes": []} == jobs["first"]["manualVariables"]
    assert jobs["next"]["manualVariables"] is None


def test_inputs_of_a_played_job(fakeplat: Fakeplat) -> None:
    """A job gets values for the inputs that it declares; an unknown one is an error of the payload."""
    spec = {"level": {"type": "string", "default": "low"}}
    waiting = {**WAITING[2], "options": {"inputs": spec}}
    create_pipeline(fakeplat, WAITING[0], waiting)
    before = fakeplat.bench.platform.state
    refused = play(fakeplat, "mia", "name", inputs=[{"name": "colour", "value": "red"}])
    assert {"errors": ["Unknown input: colour"], "job": None} == refused
    assert before is fakeplat.bench.platform.state
    assert [] == play(fakeplat, "mia", "name", inputs=[{"name": "level", "value": "high"}])["errors"]
    assert {"level": "high"} == job(fakeplat, "second").inputs


@pytest.mark.fakeplat(scenario=REVIEWED, default_branch="master")
@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ("", 1),
        ("(scope: FINISHED)", 1),
        ("(scope: RUNNING)", 0),
        ('(source: "web")', 1),
        ('(source: "push")', 0),
        ('(source: "no-such")', 0),
        ('(username: "mia")', 1),
        ('(username: "dev")', 0),
        ("(status: SUCCESS)", 1),
        ('(updatedAfter: "2030-01-01T00:00:00Z")', 0),
        ('(updatedBefore: "2030-01-01T00:00:00Z")', 1),
        ('(ref: "topic")', 1),
    ],
)
def test_pipelines_of_a_merge_request_are_filtered(fakeplat: Fakeplat, arguments: str, count: int) -> None:
    """The pipelines of a merge request have the filters of those of a project."""
    create_pipeline(fakeplat, WAITING[0], ref="topic", source="web", user="mia", status="success")
    query = f'mergeRequest(iid: "1") {{ pipelines{arguments} {{ nodes {{ iid }} }} }}'
    assert count == len(query_project(fakeplat, "mia", query)["mergeRequest"]["pipelines"]["nodes"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["acme/site", "acme/docs"]),
        ('(sort: "id_desc")', ["acme/docs", "acme/site"]),
        ('(search: "doc")', ["acme/docs"]),
        ('(search: "acme", searchNamespaces: true, sort: "id_asc")', ["acme/site", "acme/docs"]),
        ('(search: "acme")', []),
        ('(topics: ["no-such"])', []),
        ("(membership: true)", ["acme/site", "acme/docs"]),
        ("(personal: true)", []),
        ('(namespacePath: "acme")', ["acme/site", "acme/docs"]),
    ],
)
def test_projects_of_a_runner_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """The projects of a runner are searched and sorted, by default by id."""
    runner = {"description": "box", "runner_type": "project_type", "projects": ["acme/site", "acme/docs"]}
    fakeplat.load({"runners": [runner]})
    query = f"{{ runners {{ nodes {{ description projects{arguments} {{ nodes {{ fullPath }} }} }} }} }}"
    nodes = query_data(fakeplat, "root", query)["runners"]["nodes"]
    (box,) = [node for node in nodes if node["description"] == "box"]
    # Administrators without membership see all projects, and are members of none.
    wanted = [] if "membership" in arguments else expected
    assert wanted == [node["fullPath"] for node in box["projects"]["nodes"]]


def test_pipelines_of_a_project_are_filtered_by_source(fakeplat: Fakeplat) -> None:
    """The argument `source` is no other one's name."""
    create_pipeline(fakeplat, WAITING[0], source="web")
    for source, count in (("web", 1), ("schedule", 0)):
        nodes = query_project(fakeplat, "mia", f'pipelines(source: "{source}") {{ nodes {{ iid }} }}')["pipelines"]
        assert count == len(nodes["nodes"])
