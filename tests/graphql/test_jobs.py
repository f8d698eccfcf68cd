"""Jobs of pipelines and projects, and their mutations. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ONE_PIPELINE,
    PIPELINES_NEED_NO_NAME,
    READERS_OF_PIPELINES_SEE_JOBS,
    WAITS_END_WITH_PIPELINES,
)
from tests.api.jobs import create_pipeline, job, statuses
from tests.api.pipelines import load_project, newest
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
from tests.graphql.test_pipelines import JOBS, query_nodes

BRIDGE = {"name": "next", "status": "success", "trigger": {"project": "acme/docs"}}


def get_job_gid(fake: Fakeplat, name: str) -> str:
    return f"gid://gitlab/Ci::Build/{job(fake, name).id}"


def run_job_mutation(fake: Fakeplat, by: str, mutation: str, name: str, **given: Any) -> Any:
    """Run a mutation of the newest job with a name; return its payload."""
    content = {"id": get_job_gid(fake, name), **given}
    return query_data(fake, by, write_mutation(mutation, "job { id name status }"), input=content)[mutation]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["lint", "rspec 2/2", "rspec 2/2", "rspec 1/2", "build"]),
        ("(retried: null)", ["lint", "rspec 2/2", "rspec 2/2", "rspec 1/2", "build"]),
        ("(retried: true)", ["rspec 2/2"]),
        ("(retried: false)", ["lint", "rspec 2/2", "rspec 1/2", "build"]),
        ("(statuses: [])", ["lint", "rspec 2/2", "rspec 2/2", "rspec 1/2", "build"]),
        ("(statuses: [FAILED], retried: false)", ["rspec 2/2"]),
        ("(jobKind: BRIDGE)", []),
        ("(first: 1)", ["lint"]),
    ],
)
def test_jobs_of_a_pipeline_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """The newest jobs come first, retried ones among them unless `retried` is false; no statuses are no filter."""
    create_pipeline(fakeplat, *JOBS)
    query = f'pipeline(iid: "{newest(fakeplat).iid}") {{ jobs{arguments} {{ nodes {{ name }} }} }}'
    rows = query_project(fakeplat, "rep", query)["pipeline"]["jobs"]["nodes"]
    assert expected == [row["name"] for row in rows]


@by_release(READERS_OF_PIPELINES_SEE_JOBS, "expected", {"14.0": None, "15.8": {"nodes": [{"name": "a"}]}})
def test_guests_of_private_projects_see_jobs_in_later_releases(fakeplat: Fakeplat, expected: Any) -> None:
    """Guests read pipelines of private projects with public builds; the jobs at first not."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    query = f'pipeline(iid: "{newest(fakeplat).iid}") {{ jobs {{ nodes {{ name }} }} }}'
    assert {"jobs": expected} == query_project(fakeplat, "gus", query)["pipeline"]


@pytest.mark.fakeplat(version="latest")
def test_a_job_of_a_pipeline_is_found(fakeplat: Fakeplat) -> None:
    """A job is found by its ID, or else the latest one by its name; one of both is required."""
    create_pipeline(fakeplat, *JOBS)
    gid = get_job_gid(fakeplat, "build")

    def find(arguments: str) -> Any:
        query = f'pipeline(iid: "{newest(fakeplat).iid}") {{ job{arguments} {{ name allowFailure }} }}'
        return query_project(fakeplat, "rep", query)["pipeline"]["job"]

    assert {"name": "rspec 2/2", "allowFailure": True} == find('(name: "rspec 2/2")')
    assert {"name": "build", "allowFailure": False} == find(f'(id: "{gid}")')
    assert {"name": "build", "allowFailure": False} == find(f'(id: "{gid}", name: "lint")')
    assert find('(name: "gone")') is None
    query = f'{{ project(fullPath: "acme/site") {{ pipeline(iid: "{newest(fakeplat).iid}") {{ job {{ name }} }} }} }}'
    assert ["One of id or name is required"] == list_messages(query_refused(fakeplat, "rep", query))


@pytest.mark.fakeplat(version="latest")
def test_a_job_that_starts_another_pipeline_has_no_files(fakeplat: Fakeplat) -> None:
    """A bridge has no page, no tags and no artifacts."""
    create_pipeline(fakeplat, BRIDGE)
    selection = "{ kind webPath tags artifacts { nodes { name } } }"
    expected = {"kind": "BRIDGE", "webPath": None, "tags": None, "artifacts": None}
    assert [expected] == query_nodes(fakeplat, "rep", selection, "jobs")


@pytest.mark.fakeplat(version="latest")
def test_jobs_of_a_project_have_been_queued(fakeplat: Fakeplat) -> None:
    """Jobs of a project are listed without those that are only created, and found by the beginnings of words."""
    create_pipeline(
        fakeplat,
        {"name": "Build one", "status": "success"},
        {"name": "Build two", "status": "pending", "stage": "test"},
        {"name": "later", "status": "created", "stage": "deploy"},
        BRIDGE,
    )
    for arguments, expected in (
        ("", ["Build two", "Build one"]),
        ('(name: "bui ON")', ["Build one"]),
        ('(name: "uild")', []),
        ("(kind: BRIDGE)", ["next"]),
        ("(statuses: [CREATED])", []),
    ):
        found = query_project(fakeplat, "rep", f"jobs{arguments} {{ nodes {{ name }} }}")["jobs"]["nodes"]
        assert expected == [row["name"] for row in found], arguments
    load_project(fakeplat, public_builds=False)
    assert {"jobs": None} == query_project(fakeplat, "gus", "jobs { nodes { name } }")


@pytest.mark.fakeplat(version="latest")
def test_a_pipeline_shows_how_long_it_waited(fakeplat: Fakeplat) -> None:
    """`queuedDuration` are the seconds from the creation to the start; `sha` is shown in two forms."""
    times = {"created_at": "2020-11-20T08:00:00Z", "started_at": "2020-11-20T08:00:05Z"}
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, **times)
    pipeline = newest(fakeplat)
    query = (
        f'pipeline(iid: "{pipeline.iid}") {{ queuedDuration sha short: sha(format: SHORT) long: sha(format: LONG) }}'
    )
    assert {
        "queuedDuration": 5.0,
        "sha": pipeline.sha,
        "short": pipeline.sha[:8],
        "long": pipeline.sha,
    } == query_project(fakeplat, "rep", query)["pipeline"]


@pytest.mark.fakeplat(version="latest")
def test_only_finished_jobs_are_retried(fakeplat: Fakeplat) -> None:
    """`jobRetry` returns the new job, and an error for one that cannot be retried."""
    create_pipeline(fakeplat, {"name": "a", "status": "failed"}, {"name": "b", "status": "running"})
    first = get_job_gid(fakeplat, "a")
    retried = run_job_mutation(fakeplat, "mia", "jobRetry", "a")
    assert retried["errors"] == []
    assert first != retried["job"]["id"] == get_job_gid(fakeplat, "a")
    refusal = {"job": None, "errors": ["Job cannot be retried"]}
    assert refusal == run_job_mutation(fakeplat, "mia", "jobRetry", "b")
    again = query_data(fakeplat, "mia", write_mutation("jobRetry", "job { id }"), input={"id": first})
    assert refusal == again["jobRetry"]


@pytest.mark.fakeplat(version="latest")
def test_jobs_take_variables(fakeplat: Fakeplat) -> None:
    """Jobs that wait for a user take variables when they are played or retried; other jobs ignore them."""
    create_pipeline(
        fakeplat,
        {"name": "manual", "status": "manual", "when": "manual"},
        {"name": "done", "status": "success", "when": "manual"},
        {"name": "plain", "status": "success"},
    )
    given = [{"key": "A", "value": "1"}]
    for mutation, name in (("jobPlay", "manual"), ("jobRetry", "done"), ("jobRetry", "plain")):
        assert [] == run_job_mutation(fakeplat, "mia", mutation, name, variables=given)["errors"]
    taken = {name: [each.key for each in job(fakeplat, name).given_variables] for name in ("manual", "done", "plain")}
    assert {"manual": ["A"], "done": ["A"], "plain": []} == taken


@pytest.mark.fakeplat(version="latest")
def test_playing_a_finished_job_runs_it_again(fakeplat: Fakeplat) -> None:
    """`jobPlay` starts a waiting job, copies a finished one, and leaves a running one alone; none is an error."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, {"name": "b", "status": "running"})
    for name, status in (("a", "SUCCESS"), ("b", "RUNNING")):
        payload = run_job_mutation(fakeplat, "mia", "jobPlay", name)
        assert ([], status) == (payload["errors"], payload["job"]["status"])
    assert [("a", "success"), ("b", "running"), ("a", "pending")] == statuses(fakeplat)


@pytest.mark.fakeplat(version="latest")
def test_canceling_a_finished_job_changes_nothing(fakeplat: Fakeplat) -> None:
    """`jobCancel` returns the job, also a finished one, which stays as it is."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, {"name": "b", "status": "pending"})
    for name, status in (("a", "SUCCESS"), ("b", "CANCELED")):
        payload = run_job_mutation(fakeplat, "mia", "jobCancel", name)
        assert ([], status) == (payload["errors"], payload["job"]["status"])


@pytest.mark.fakeplat(version="latest")
def test_maintainers_delete_the_files_of_a_job(fakeplat: Fakeplat) -> None:
    """`jobArtifactsDestroy` needs the role of a Maintainer, whoever started the job."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    mutation = write_mutation("jobArtifactsDestroy", "job { name } destroyedArtifactsCount")
    given = {"id": get_job_gid(fakeplat, "a")}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", mutation, input=given))
    deleted = query_data(fakeplat, "mia", mutation, input=given)["jobArtifactsDestroy"]
    assert {"job": {"name": "a"}, "destroyedArtifactsCount": 0, "errors": []} == deleted


@pytest.mark.fakeplat(version="latest")
def test_a_pipeline_without_configuration_is_an_error(fakeplat: Fakeplat) -> None:
    """`pipelineCreate` names the refusal in its errors."""
    mutation = write_mutation("pipelineCreate", "pipeline { iid }")
    load_project(fakeplat, ci_config_path="none.yml")
    for ref, message in (("gone", "Reference not found"), ("feature", "Missing CI config file")):
        payload = query_data(fakeplat, "dev", mutation, input={"projectPath": "acme/site", "ref": ref})
        assert {"pipeline": None, "errors": [message]} == payload["pipelineCreate"]


@by_release(
    ONE_PIPELINE,
    "message",
    {
        "14.0": "Provide either an iid or sha",
        "14.1": "Provide one of an IID or SHA",
        "18.5": "Only one of [id, iid, sha] arguments is allowed at the same time.",
    },
)
def test_a_pipeline_has_one_name(fakeplat: Fakeplat, message: str) -> None:
    """A pipeline is found by only one of its names."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    query = '{ project(fullPath: "acme/site") { pipeline(iid: "1", sha: "a") { iid } } }'
    assert [message] == list_messages(query_refused(fakeplat, "rep", query))


@by_release(PIPELINES_NEED_NO_NAME, "expected", {"18.4": None, "18.5": {"iid": "1"}})
def test_the_latest_pipeline_needs_no_name(fakeplat: Fakeplat, expected: Any) -> None:
    """Without arguments, later releases show the latest pipeline of the default branch's newest commit."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, ref="main", iid=1)
    create_pipeline(fakeplat, {"name": "b", "status": "success"}, iid=2)
    content = post_query(fakeplat, "rep", '{ project(fullPath: "acme/site") { pipeline { iid } } }')
    assert expected == content["data"]["project"]["pipeline"]
    assert (expected is None) == ("errors" in content)


@pytest.mark.fakeplat(version="latest")
def test_jobs_of_a_runner_have_the_fields_of_all_jobs(fakeplat: Fakeplat) -> None:
    """The interface of jobs has their pipeline, project, status, log, files and rights."""
    fakeplat.load({"runners": [{"description": "big", "runner_type": "instance_type"}]})
    fields = """detailedStatus { label } pipeline { id } project { fullPath } runner { id } trace { htmlSummary }
        artifacts { nodes { name } } browseArtifactsPath playPath userPermissions { readBuild }"""
    query = f"{{ runners {{ nodes {{ jobs {{ count nodes {{ {fields} }} }} }} }} }}"
    assert [{"jobs": {"count": 0, "nodes": []}}] == query_data(fakeplat, "root", query)["runners"]["nodes"]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        (None, "push", "REPOSITORY_SOURCE"),
        ("ci.yml@acme/docs", "push", "EXTERNAL_PROJECT_SOURCE"),
        ("https://ci.example.test/a.yml", "push", "REMOTE_SOURCE"),
        (None, "parent_pipeline", "PARAMETER_SOURCE"),
        (None, "external", "UNKNOWN_SOURCE"),
    ],
)
def test_a_pipeline_tells_where_its_configuration_is(
    fakeplat: Fakeplat, path: str | None, source: str, expected: str
) -> None:
    """`configSource` follows from the settings of the project and from what started the pipeline."""
    load_project(fakeplat, ci_config_path=path)
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, source=source)
    query = f'pipeline(iid: "{newest(fakeplat).iid}") {{ configSource }}'
    assert {"configSource": expected} == query_project(fakeplat, "rep", query)["pipeline"]


@pytest.mark.fakeplat(version="latest")
def test_jobs_are_counted_to_a_limit(fakeplat: Fakeplat) -> None:
    """A count ends one beyond its limit, which is from 1 to 1000."""
    create_pipeline(fakeplat, *({"name": name, "status": "success"} for name in "abc"))
    call = f'pipeline(iid: "{newest(fakeplat).iid}")'
    found = query_project(fakeplat, "rep", f"{call} {{ jobs {{ count least: count(limit: 1) }} }}")["pipeline"]["jobs"]
    assert {"count": 3, "least": 2} == found
    for limit, message in ((0, "greater than 0"), (1001, "less than or equal to 1000")):
        query = f'{{ project(fullPath: "acme/site") {{ {call} {{ jobs {{ count(limit: {limit}) }} }} }} }}'
        assert [f"limit must be {message}"] == list_messages(query_refused(fakeplat, "rep", query))


@by_release(WAITS_END_WITH_PIPELINES, "expected", {"18.1": [None, 0.0], "18.2": [5.0, None]})
def test_a_pipeline_without_a_start_waited_until_its_end(fakeplat: Fakeplat, expected: list[float | None]) -> None:
    """Later releases measure the wait of a pipeline that never started, and show none of no length."""
    created, found = "2020-11-20T08:00:00Z", []
    ended = {"finished_at": "2020-11-20T08:00:05Z"}
    for status, times in (("skipped", ended), ("success", {**ended, "started_at": created})):
        create_pipeline(fakeplat, {"name": "a", "status": status}, created_at=created, **times)
        query = f'pipeline(iid: "{newest(fakeplat).iid}") {{ queuedDuration }}'
        found.append(query_project(fakeplat, "rep", query)["pipeline"]["queuedDuration"])
    assert expected == found
