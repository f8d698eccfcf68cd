"""Runners, jobs and pipelines of later releases, as today's clients read and change them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, list_messages, post_query, query_data, query_refused, write_mutation

CONFIGURATION = """
unit: {stage: build, script: make, tags: [docker]}
lint: {stage: test, script: make lint, allow_failure: true, needs: [unit]}
ship: {stage: deploy, script: make ship, when: manual, needs: []}
"""
SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "repository": {"commits": [{"message": "First", "files": {".gitlab-ci.yml": CONFIGURATION}}]},
}
pytestmark = pytest.mark.fakeplat(
    version="latest",
    clock="virtual",
    scenario={
        "extends": "starter",
        "projects": [SITE],
        "runners": [
            {"description": "big", "runner_type": "instance_type", "tag_list": ["docker"]},
            {"description": "own", "runner_type": "project_type", "projects": ["acme/site"], "active": False},
            {"description": "team", "runner_type": "group_type", "group": "acme"},
        ],
    },
)
RUNNER = """id description runnerType status paused locked runUntagged tagList accessLevel maximumTimeout jobCount
    projectCount shortSha createdAt contactedAt userPermissions { readRunner updateRunner deleteRunner }"""


def list_runners(fake: Fakeplat, by: str, arguments: str = "") -> list[dict[str, Any]]:
    rows = query_data(fake, by, f"{{ runners{arguments} {{ count nodes {{ {RUNNER} }} }} }}")["runners"]["nodes"]
    assert isinstance(rows, list)
    return rows


def test_administrators_list_all_runners(fakeplat: Fakeplat) -> None:
    """Runners show what REST shows, with names of enumerations."""
    rest = {row["description"]: row for row in fakeplat.as_user("root").get("runners/all").json()}
    rows = list_runners(fakeplat, "root")

    assert set(rest) == {row["description"] for row in rows}
    (big,) = [row for row in rows if row["description"] == "big"]
    assert f"gid://gitlab/Ci::Runner/{rest['big']['id']}" == big["id"]
    assert ("INSTANCE_TYPE", "NEVER_CONTACTED", False, ["docker"], "NOT_PROTECTED") == (
        big["runnerType"],
        big["status"],
        big["paused"],
        big["tagList"],
        big["accessLevel"],
    )
    assert (0, None) == (big["jobCount"], big["projectCount"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("(type: GROUP_TYPE)", {"team"}),
        ("(paused: true)", {"own"}),
        ('(tagList: ["docker"])', {"big"}),
        ('(search: "TEA")', {"team"}),
        ("(status: ONLINE)", set()),
        ('(ownerFullPath: "acme")', {"team"}),
        ('(ownerFullPath: "acme/site")', {"own"}),
        ('(ownerFullPath: "gone")', set()),
    ],
)
def test_runners_are_filtered(fakeplat: Fakeplat, arguments: str, expected: set[str]) -> None:
    """Lists of runners filter by type, state, tags and text."""
    assert expected == {row["description"] for row in list_runners(fakeplat, "root", arguments)}


@pytest.mark.parametrize(
    "query", ["{ runners { nodes { id } } }", '{ project(fullPath: "acme/site") { runners { nodes { id } } } }']
)
def test_runners_are_for_those_who_manage_them(fakeplat: Fakeplat, query: str) -> None:
    """Developers list neither the runners of the instance nor those of a project."""
    assert [NOT_AVAILABLE] == list_messages(post_query(fakeplat, "dev", query))


def test_maintainers_list_the_runners_of_a_project(fakeplat: Fakeplat) -> None:
    """A project lists the runners that it can use, a group its own ones and those below it."""
    query = """{ project(fullPath: "acme/site") { runners { nodes { description } } }
        group(fullPath: "acme") { runners { nodes { description } }
            direct: runners(membership: DIRECT) { nodes { description } } } }"""
    data = query_data(fakeplat, "ada", query)

    def names(rows: dict[str, Any]) -> set[str]:
        return {row["description"] for row in rows["nodes"]}

    assert {"big", "own", "team"} == names(data["project"]["runners"])
    assert ({"own", "team"}, {"team"}) == (names(data["group"]["runners"]), names(data["group"]["direct"]))


def test_who_reads_a_runner(fakeplat: Fakeplat) -> None:
    """A runner of the instance is read by maintainers of anything; its jobs only by those who manage it."""
    (number,) = {row["id"] for row in list_runners(fakeplat, "root") if row["description"] == "big"}
    query = f'{{ runner(id: "{number}") {{ description jobs {{ nodes {{ id }} }} ownerProject {{ id }} }} }}'
    shown = {"description": "big", "jobs": None, "ownerProject": None}
    for caller, expected in ((None, None), ("dev", None), ("mia", shown), ("root", {**shown, "jobs": {"nodes": []}})):
        assert {"runner": expected} == query_data(fakeplat, caller, query), caller


def test_runners_of_one_time_are_listed_newest_first(fakeplat: Fakeplat) -> None:
    """Of equal runners the newest comes first, whatever the direction."""
    for order in ("CREATED_ASC", "CREATED_DESC", "CONTACTED_ASC", "TOKEN_EXPIRES_AT_ASC", "TOKEN_EXPIRES_AT_DESC"):
        rows = list_runners(fakeplat, "root", f"(sort: {order})")
        numbers = [int(row["id"].rpartition("/")[2]) for row in rows]
        assert sorted(numbers, reverse=True) == numbers, order


def test_a_refused_change_shows_no_runner(fakeplat: Fakeplat) -> None:
    """A runner that may neither have tags nor run untagged jobs is an error, beside no runner."""
    (number,) = {row["id"] for row in list_runners(fakeplat, "root") if row["description"] == "own"}
    update = write_mutation("runnerUpdate", "runner { id }")
    given = {"id": number, "tagList": [], "runUntagged": False}
    payload = query_data(fakeplat, "mia", update, input=given)["runnerUpdate"]
    assert payload["runner"] is None
    assert ["Tags list can not be empty when runner is not allowed to pick untagged jobs"] == payload["errors"]


def test_a_runner_is_created_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """A runner is created for a project, shows its token to its creator, and is changed and deleted."""
    project = f"gid://gitlab/Project/{fakeplat.world.project('acme/site').id}"
    given = {"runnerType": "PROJECT_TYPE", "projectId": project, "description": "new", "tagList": ["x"]}
    create = write_mutation("runnerCreate", "runner { id ephemeralAuthenticationToken createdBy { username } }")
    made = query_data(fakeplat, "mia", create, input=given)["runnerCreate"]
    runner = made["runner"]

    assert ([], "mia") == (made["errors"], runner["createdBy"]["username"])
    assert runner["ephemeralAuthenticationToken"].startswith("glrt-")
    update = write_mutation("runnerUpdate", "runner { description paused }")
    changed = query_data(fakeplat, "mia", update, input={"id": runner["id"], "description": "newer", "paused": True})
    assert {"description": "newer", "paused": True} == changed["runnerUpdate"]["runner"]
    number = int(runner["id"].rpartition("/")[2])
    assert "newer" == fakeplat.as_user("mia").get(f"runners/{number}").json()["description"]
    assert (
        []
        == query_data(fakeplat, "mia", write_mutation("runnerDelete", ""), input={"id": runner["id"]})["runnerDelete"][
            "errors"
        ]
    )
    assert 404 == fakeplat.as_user("mia").get(f"runners/{number}").status


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("runnerCreate", {"runnerType": "INSTANCE_TYPE"}),
        ("runnerUpdate", {"id": "gid://gitlab/Ci::Runner/1", "description": "mine"}),
        ("runnerDelete", {"id": "gid://gitlab/Ci::Runner/1"}),
    ],
)
def test_developers_manage_no_runners(fakeplat: Fakeplat, name: str, given: dict[str, Any]) -> None:
    """Who does not manage a runner cannot change it; only administrators create those of the instance."""
    refused = query_refused(fakeplat, "dev", write_mutation(name, ""), input=given)

    assert [NOT_AVAILABLE] == list_messages(refused)


def start_pipeline(fake: Fakeplat) -> dict[str, Any]:
    given = {"projectPath": "acme/site", "ref": "main", "variables": [{"key": "A", "value": "1"}]}
    create = write_mutation("pipelineCreate", "pipeline { id iid ref source status complete totalJobs }")
    payload = query_data(fake, "mia", create, input=given)["pipelineCreate"]
    assert [] == payload["errors"]
    started: dict[str, Any] = payload["pipeline"]
    return started


def test_a_pipeline_is_started_with_variables(fakeplat: Fakeplat) -> None:
    """A pipeline that GraphQL starts is the one that REST shows, with its variables."""
    pipeline = start_pipeline(fakeplat)
    number = int(pipeline["id"].rpartition("/")[2])
    rest = fakeplat.as_user("mia").get(f"projects/acme%2Fsite/pipelines/{number}/variables").json()

    assert ("main", "api", False, 3) == (
        pipeline["ref"],
        pipeline["source"],
        pipeline["complete"],
        pipeline["totalJobs"],
    )
    assert [("A", "1")] == [(row["key"], row["value"]) for row in rest]
    create = write_mutation("pipelineCreate", "pipeline { id }")
    payload = query_data(fakeplat, "mia", create, input={"projectPath": "acme/site", "ref": "no"})["pipelineCreate"]
    assert (None, ["Reference not found"]) == (payload["pipeline"], payload["errors"])
    assert [NOT_AVAILABLE] == list_messages(
        query_refused(fakeplat, "rep", create, input={"projectPath": "acme/site", "ref": "main"})
    )


def test_jobs_by_stage(fakeplat: Fakeplat) -> None:
    """Jobs show their stage, their needs and what the caller may do; REST shows the same jobs."""
    pipeline = start_pipeline(fakeplat)
    query = """query($iid: ID!) { project(fullPath: "acme/site") { pipeline(iid: $iid) {
        commit { sha title } refPath child latest type usesNeeds warnings hasManualActions failureReason
        jobs { count nodes { id name status stage { name status } shortSha webPath refName tags allowFailure duration
            manualJob playable retryable cancelable schedulingType kind needs { nodes { name } }
            userPermissions { readBuild updateBuild } } }
        manual: jobs(statuses: [MANUAL]) { nodes { name } }
        job(name: "unit") { id } stages { nodes { name status jobs { nodes { name } } } } } } }"""
    shown = query_data(fakeplat, "mia", query, iid=pipeline["iid"])["project"]["pipeline"]
    rest = fakeplat.as_user("mia").get("projects/acme%2Fsite/jobs").json()
    rows = {row["name"]: row for row in shown["jobs"]["nodes"]}

    assert {row["name"]: row["status"].upper() for row in rest} == {name: row["status"] for name, row in rows.items()}
    assert (3, ["ship"]) == (shown["jobs"]["count"], [row["name"] for row in shown["manual"]["nodes"]])
    assert rows["unit"]["id"] == shown["job"]["id"]
    assert ["build", "test", "deploy"] == [stage["name"] for stage in shown["stages"]["nodes"]]
    assert [["unit"], ["lint"], ["ship"]] == [
        [job["name"] for job in stage["jobs"]["nodes"]] for stage in shown["stages"]["nodes"]
    ]
    assert ("deploy", "skipped") == (rows["ship"]["stage"]["name"], rows["ship"]["stage"]["status"])
    assert (["unit"], "dag", True) == (
        [need["name"] for need in rows["lint"]["needs"]["nodes"]],
        rows["lint"]["schedulingType"],
        rows["lint"]["allowFailure"],
    )
    assert (True, True, "BUILD", ["docker"]) == (
        rows["ship"]["manualJob"],
        rows["ship"]["playable"],
        rows["ship"]["kind"],
        rows["unit"]["tags"],
    )
    assert {"readBuild": True, "updateBuild": True} == rows["unit"]["userPermissions"]
    assert ("refs/heads/main", False, True, "branch", True) == (
        shown["refPath"],
        shown["child"],
        shown["latest"],
        shown["type"],
        shown["usesNeeds"],
    )


def test_jobs_are_played_canceled_and_retried(fakeplat: Fakeplat) -> None:
    """The mutations of jobs do what the operations of REST do."""
    start_pipeline(fakeplat)
    rest = fakeplat.as_user("mia").get("projects/acme%2Fsite/jobs").json()
    ids = {row["name"]: f"gid://gitlab/Ci::Build/{row['id']}" for row in rest}

    def change(name: str, job: str) -> Any:
        return query_data(fakeplat, "mia", write_mutation(name, "job { id name status }"), input={"id": job})[name]

    assert "PENDING" == change("jobPlay", ids["ship"])["job"]["status"]
    assert "CANCELED" == change("jobCancel", ids["ship"])["job"]["status"]
    again = change("jobRetry", ids["ship"])["job"]
    assert ("ship", "PENDING", True) == (again["name"], again["status"], again["id"] != ids["ship"])
    refused = change("jobRetry", ids["unit"])
    assert (None, 1) == (refused["job"], len(refused["errors"]))


def test_the_jobs_of_a_project(fakeplat: Fakeplat) -> None:
    """A project lists its jobs, also by status, to those who may read them."""
    start_pipeline(fakeplat)
    query = (
        '{ project(fullPath: "acme/site") { jobs(statuses: [MANUAL, PENDING]) { nodes { name project { path } } } } }'
    )

    assert {"ship", "unit"} == {row["name"] for row in query_data(fakeplat, "mia", query)["project"]["jobs"]["nodes"]}


def list_all_jobs(fake: Fakeplat, by: str, arguments: str = "") -> list[str]:
    """Return the names of the jobs of all projects."""
    query = f"{{ jobs{arguments} {{ nodes {{ name }} }} }}"
    return [row["name"] for row in query_data(fake, by, query)["jobs"]["nodes"]]


@pytest.mark.fakeplat(version="15.8")
def test_administrators_list_all_jobs(fakeplat: Fakeplat) -> None:
    """Administrators list the jobs of all projects, also those in some statuses; others see none."""
    fakeplat.as_user("mia").post("projects/acme%2Fsite/pipeline?ref=main")
    assert {"unit", "lint", "ship"} == set(list_all_jobs(fakeplat, "root")) - {"build", "test", "deploy"}
    assert ["ship"] == list_all_jobs(fakeplat, "root", "(statuses: [MANUAL])")
    assert [] == list_all_jobs(fakeplat, "mia")


@pytest.mark.fakeplat(version="16.4")
def test_all_jobs_are_filtered_by_the_runners_that_took_them(fakeplat: Fakeplat) -> None:
    """The jobs that runners of a type took; a machine is at work while one of them runs."""
    root = fakeplat.as_user("root")
    created = root.post("user/runners", json={"runner_type": "instance_type", "tag_list": ["docker"]}).json()
    fakeplat.as_user("mia").post("projects/acme%2Fsite/pipeline?ref=main")
    reply = fakeplat.as_user(None).post("jobs/request", json={"token": created["token"], "system_id": "s_1"})
    assert 201 == reply.status, reply.text
    assert [["unit"], []] == [
        list_all_jobs(fakeplat, "root", f"(runnerTypes: [{kind}], statuses: [RUNNING])")
        for kind in ("INSTANCE_TYPE", "GROUP_TYPE")
    ]
    query = "query($id: CiRunnerID!) { runner(id: $id) { managers { nodes { systemId jobExecutionStatus } } } }"
    gid = f"gid://gitlab/Ci::Runner/{created['id']}"
    (machine,) = query_data(fakeplat, "root", query, id=gid)["runner"]["managers"]["nodes"]
    assert {"systemId": "s_1", "jobExecutionStatus": "RUNNING"} == machine
    job = reply.json()
    fakeplat.as_user(None).put(f"jobs/{job['id']}", json={"token": job["token"], "state": "success"})
    (machine,) = query_data(fakeplat, "root", query, id=gid)["runner"]["managers"]["nodes"]
    assert "IDLE" == machine["jobExecutionStatus"]


@pytest.mark.fakeplat(version="17.11")
def test_a_machine_is_at_work_until_a_canceled_job_has_stopped(fakeplat: Fakeplat) -> None:
    """A machine that was told to cancel a job works on it until it reports the end, as its runner does."""
    created = fakeplat.as_user("root").post(
        "user/runners", json={"runner_type": "instance_type", "tag_list": ["docker"]}
    )
    runner, caller = created.json(), fakeplat.as_user(None)
    fakeplat.as_user("mia").post("projects/acme%2Fsite/pipeline?ref=main")
    features = {"features": {"cancel_gracefully": True}}
    job = caller.post("jobs/request", json={"token": runner["token"], "system_id": "s_1", "info": features}).json()
    assert 201 == fakeplat.as_user("mia").post(f"projects/acme%2Fsite/jobs/{job['id']}/cancel").status
    query = (
        "query($id: CiRunnerID!) { runner(id: $id) { jobExecutionStatus managers { nodes { jobExecutionStatus } } } }"
    )
    gid = f"gid://gitlab/Ci::Runner/{runner['id']}"
    at_work = {"jobExecutionStatus": "RUNNING", "managers": {"nodes": [{"jobExecutionStatus": "RUNNING"}]}}
    assert at_work == query_data(fakeplat, "root", query, id=gid)["runner"]

    caller.put(f"jobs/{job['id']}", json={"token": job["token"], "state": "failed"})
    idle = {"jobExecutionStatus": "IDLE", "managers": {"nodes": [{"jobExecutionStatus": "IDLE"}]}}
    assert idle == query_data(fakeplat, "root", query, id=gid)["runner"]


@pytest.mark.fakeplat(version="15.8")
def test_jobs_of_a_pipeline_are_filtered_by_when_they_run(fakeplat: Fakeplat) -> None:
    """The jobs of a pipeline that run by hand, or by themselves."""
    pipeline = fakeplat.as_user("mia").post("projects/acme%2Fsite/pipeline?ref=main").json()
    shown = "nodes { name }"
    query = f"""{{ project(fullPath: "acme/site") {{ pipeline(iid: "{pipeline["iid"]}") {{
        manual: jobs(whenExecuted: ["manual"]) {{ {shown} }}
        all: jobs(whenExecuted: ["manual", "on_success"]) {{ {shown} }} }} }} }}"""
    found = query_data(fakeplat, "mia", query)["project"]["pipeline"]
    assert [{"name": "ship"}] == found["manual"]["nodes"]
    assert {"unit", "lint", "ship"} == {row["name"] for row in found["all"]["nodes"]}
