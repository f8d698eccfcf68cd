"""Pipelines, their stages and jobs. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from typing import Any

import pytest

from fakeplat.core.release import profile_of
from fakeplat.harness.fake import Fakeplat
from tests.api.jobs import create_pipeline, job, statuses
from tests.api.merge_requests import get_json
from tests.api.pipelines import SITE, create_pipelines, load_project, newest
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    list_scalar_fields,
    post_query,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

STATUS = "{ text label icon group tooltip hasDetails detailsPath favicon action { title method } }"
JOBS = (
    {"name": "build", "stage": "build", "status": "success"},
    {"name": "rspec 1/2", "stage": "test", "status": "success", "needs": [{"name": "build"}]},
    {"name": "rspec 2/2", "stage": "test", "status": "failed", "retried": True},
    {"name": "rspec 2/2", "stage": "test", "status": "failed", "allow_failure": True},
    {"name": "lint", "stage": "test", "status": "success"},
)


def query_nodes(fake: Fakeplat, by: str | None, selection: str, field: str) -> Any:
    """Return the rows of a connection of the newest pipeline."""
    query = f'pipeline(iid: "{newest(fake).iid}") {{ {field} {{ nodes {selection} }} }}'
    return query_project(fake, by, query)["pipeline"][field]["nodes"]


def get_pipeline_gid(fake: Fakeplat) -> str:
    return f"gid://gitlab/Ci::Pipeline/{newest(fake).id}"


def test_pipelines_of_a_project_are_listed(fakeplat: Fakeplat) -> None:
    """Pipelines are listed newest first, filtered by status, ref and commit, without child pipelines."""
    create_pipelines(
        fakeplat,
        {"iid": 1, "status": "success"},
        {"iid": 2, "status": "failed", "ref": "master"},
        {"iid": 3, "status": "failed", "sha": "a" * 40},
        {"iid": 4, "status": "failed", "source": "parent_pipeline"},
    )
    for arguments, expected in (
        ("", ["3", "2", "1"]),
        ("(status: FAILED)", ["3", "2"]),
        ('(ref: "master")', ["2"]),
        (f'(sha: "{"a" * 40}")', ["3"]),
        ('(status: SUCCESS, ref: "feature")', ["1"]),
        ("(first: 1)", ["3"]),
    ):
        pipelines = query_project(fakeplat, "rep", f"pipelines{arguments} {{ count nodes {{ iid }} }}")["pipelines"]
        assert expected == [row["iid"] for row in pipelines["nodes"]], arguments


@pytest.mark.fakeplat(version="13.8")
def test_a_pipeline_shows_what_rest_shows(fakeplat: Fakeplat) -> None:
    """A pipeline has the values that REST shows, under the names of GraphQL."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "coverage": 12.5}, user="dev", iid=3)
    rest = get_json(fakeplat, f"{SITE}/pipelines/{newest(fakeplat).id}")
    scalars = list_scalar_fields("Pipeline", profile_of((13, 8)))
    selection = f"id {scalars} detailedStatus {STATUS} user {{ username }} project {{ fullPath }}"
    pipeline = query_project(fakeplat, "dev", f'pipeline(iid: "3") {{ {selection} }}')["pipeline"]
    assert (get_pipeline_gid(fakeplat), "3", rest["sha"], "SUCCESS", 12.5) == tuple(
        pipeline[name] for name in ("id", "iid", "sha", "status", "coverage")
    )
    detailed = rest["detailed_status"]
    assert (detailed["label"], detailed["favicon"], detailed["details_path"], None) == tuple(
        pipeline["detailedStatus"][name] for name in ("label", "favicon", "detailsPath", "action")
    )
    assert ("dev", "acme/site", f"/acme/site/-/pipelines/{rest['id']}") == (
        pipeline["user"]["username"],
        pipeline["project"]["fullPath"],
        pipeline["path"],
    )
    assert (False, False, False) == tuple(pipeline[name] for name in ("active", "retryable", "cancelable"))


def test_stages_have_groups_of_jobs(fakeplat: Fakeplat) -> None:
    """Parallel jobs form one group of their stage, and retried jobs are left out."""
    create_pipeline(fakeplat, *JOBS)
    jobs = "{ nodes { name detailedStatus { label } needs { nodes { name } } } }"
    stages = query_nodes(
        fakeplat,
        "rep",
        f"{{ name detailedStatus {{ group }} groups {{ nodes {{ name size jobs {jobs} }} }} }}",
        "stages",
    )
    assert ["build", "test"] == [stage["name"] for stage in stages]
    assert ["success", "success-with-warnings"] == [stage["detailedStatus"]["group"] for stage in stages]
    lint, rspec = stages[1]["groups"]["nodes"]
    assert (("lint", 1), ("rspec", 2)) == ((lint["name"], lint["size"]), (rspec["name"], rspec["size"]))
    first, second = rspec["jobs"]["nodes"]
    assert ("rspec 1/2", [{"name": "build"}]) == (first["name"], first["needs"]["nodes"])
    assert ("rspec 2/2", "failed (allowed to fail)") == (second["name"], second["detailedStatus"]["label"])


@pytest.mark.fakeplat(version="13.9")
def test_needs_of_later_releases_have_a_type_of_their_own(fakeplat: Fakeplat) -> None:
    """From release 13.9 on the needs of a job are of the type CiBuildNeed, which has a name."""
    create_pipeline(fakeplat, *JOBS)
    rows = query_nodes(fakeplat, "rep", "{ name needs { nodes { __typename name } } }", "jobs")
    needs = {row["name"]: row["needs"]["nodes"] for row in rows}

    assert [{"__typename": "CiBuildNeed", "name": "build"}] == needs["rspec 1/2"]


def test_groups_show_a_common_status(fakeplat: Fakeplat) -> None:
    """A group of several jobs shows their common status, and a single job its own with its action."""
    create_pipeline(fakeplat, *JOBS)
    stages = query_nodes(fakeplat, "dev", f"{{ groups {{ nodes {{ name detailedStatus {STATUS} }} }} }}", "stages")
    lint, rspec = stages[1]["groups"]["nodes"]
    assert {"title": "Retry", "method": "post"} == lint["detailedStatus"]["action"]
    assert (None, "success-with-warnings") == (rspec["detailedStatus"]["action"], rspec["detailedStatus"]["group"])


@pytest.mark.fakeplat(version="13.6")
def test_jobs_are_for_those_who_read_them(fakeplat: Fakeplat) -> None:
    """Jobs are hidden from Guests, who read pipelines of private projects only, and these from others."""
    create_pipeline(fakeplat, *JOBS)
    selection = (
        f'pipeline(iid: "{newest(fakeplat).iid}") {{ stages {{ nodes {{ name }} }} jobs {{ nodes {{ name }} }} }}'
    )
    names = [{"name": name} for name in ("lint", "rspec 2/2", "rspec 2/2", "rspec 1/2", "build")]
    assert names == query_nodes(fakeplat, "rep", "{ name }", "jobs")
    assert {"stages": None, "jobs": None} == query_project(fakeplat, "gus", selection)["pipeline"]
    load_project(fakeplat, public_builds=False)
    assert {"pipeline": None, "pipelines": {"nodes": []}} == query_project(
        fakeplat, "gus", f'pipeline(iid: "{newest(fakeplat).iid}") {{ id }} pipelines {{ nodes {{ id }} }}'
    )


@pytest.mark.fakeplat(version="13.6")
def test_pipelines_show_what_triggered_them(fakeplat: Fakeplat) -> None:
    """A pipeline shows its upstream and downstream pipelines, if the caller can see them."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/docs", "pipelines": [{"iid": 2, "sha": "a" * 40}]}]})
    bridge = {"name": "next", "status": "success", "trigger": {"project": "acme/docs"}}
    create_pipeline(fakeplat, {**bridge, "downstream_pipeline": "acme/docs#2"})
    assert [{"iid": "2"}] == query_nodes(fakeplat, "gus", "{ iid }", "downstream")
    selection = 'pipeline(iid: "2") { upstream { id } sourceJob { name pipeline { id } } }'
    upstream = {"id": get_pipeline_gid(fakeplat)}
    assert {"upstream": upstream, "sourceJob": {"name": "next", "pipeline": upstream}} == query_project(
        fakeplat, "rep", selection, "acme/docs"
    )["pipeline"]
    assert {"upstream": None} == query_project(fakeplat, None, 'pipeline(iid: "2") { upstream { id } }', "acme/docs")[
        "pipeline"
    ]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("rep", (False, False, False)),
        ("dev", (True, False, False)),
        ("mia", (True, True, False)),
        ("ada", (True, True, True)),
    ],
)
def test_permissions_are_those_of_the_caller(fakeplat: Fakeplat, by: str, expected: tuple[bool, ...]) -> None:
    """`userPermissions` shows whether the caller can update, administer and delete a pipeline."""
    create_pipeline(fakeplat, {"name": "a", "status": "failed"})
    selection = "userPermissions { updatePipeline adminPipeline destroyPipeline } retryable cancelable"
    pipeline = query_project(fakeplat, by, f'pipeline(iid: "{newest(fakeplat).iid}") {{ {selection} }}')["pipeline"]
    assert expected == tuple(pipeline["userPermissions"].values())
    assert (True, False) == (pipeline["retryable"], pipeline["cancelable"])


def test_commits_show_their_pipelines(fakeplat: Fakeplat) -> None:
    """A commit shows its newest pipeline and all by status, unless the caller cannot read them."""
    create_pipelines(fakeplat, {"iid": 1, "status": "failed"}, {"iid": 2, "status": "success"}, {"ref": "master"})
    commit = (
        "sha latestPipeline { iid } pipelines { nodes { iid } } failed: pipelines(status: FAILED) { nodes { iid } }"
    )
    fields = f"{list_scalar_fields('Commit')} {commit}"
    selection = f'repository {{ rootRef exists empty tree(ref: "feature") {{ lastCommit {{ {fields} }} }} }}'
    repository = query_project(fakeplat, "rep", selection)["repository"]
    last = repository["tree"]["lastCommit"]
    rest = get_json(fakeplat, f"{SITE}/repository/commits/feature")
    assert ("master", True, False) == (repository["rootRef"], repository["exists"], repository["empty"])
    assert (rest["id"], rest["title"], rest["web_url"]) == (last["sha"], last["title"], last["webUrl"])
    assert ({"iid": "2"}, [{"iid": "2"}, {"iid": "1"}], [{"iid": "1"}]) == (
        last["latestPipeline"],
        last["pipelines"]["nodes"],
        last["failed"]["nodes"],
    )
    assert {"repository": None} == query_project(fakeplat, "gus", "repository { rootRef }")
    load_project(fakeplat, builds_access_level="disabled")
    hidden = query_project(fakeplat, "rep", selection)["repository"]["tree"]["lastCommit"]
    assert (None, []) == (hidden["latestPipeline"], hidden["pipelines"]["nodes"])
    assert query_project(fakeplat, "rep", 'repository { tree(ref: "gone") { lastCommit { sha } } }') == {
        "repository": {"tree": None}
    }


def run_mutation(fake: Fakeplat, by: str, name: str, selection: str = "") -> Any:
    """Run a mutation of the newest pipeline."""
    return query_data(fake, by, write_mutation(name, selection), input={"id": get_pipeline_gid(fake)})[name]


def test_a_pipeline_is_canceled(fakeplat: Fakeplat) -> None:
    """`pipelineCancel` cancels a pipeline, and is an error in the payload if there is nothing to cancel."""
    create_pipeline(fakeplat, {"name": "a", "status": "running"})
    assert {"errors": []} == run_mutation(fakeplat, "dev", "pipelineCancel")
    assert [("a", "canceled")] == statuses(fakeplat)
    assert {"errors": ["Pipeline is not cancelable"]} == run_mutation(fakeplat, "dev", "pipelineCancel")


def test_a_pipeline_is_retried(fakeplat: Fakeplat) -> None:
    """`pipelineRetry` runs failed jobs again and returns the pipeline."""
    create_pipeline(fakeplat, {"name": "a", "status": "failed"})
    assert {"pipeline": {"status": "RUNNING"}, "errors": []} == run_mutation(
        fakeplat, "dev", "pipelineRetry", "pipeline { status }"
    )
    assert [("a", "failed"), ("a", "pending")] == statuses(fakeplat)


def test_a_pipeline_is_deleted(fakeplat: Fakeplat) -> None:
    """`pipelineDestroy` deletes the pipeline with its jobs."""
    create_pipeline(fakeplat, {"name": "a", "status": "failed"})
    assert {"errors": []} == run_mutation(fakeplat, "ada", "pipelineDestroy")
    assert ([], 0) == (statuses(fakeplat), len(fakeplat.bench.platform.view.pipelines))


@pytest.mark.parametrize(
    ("name", "callers"),
    [
        ("pipelineCancel", (None, "eve", "gus", "rep")),
        ("pipelineRetry", (None, "eve", "gus", "rep")),
        ("pipelineDestroy", (None, "eve", "gus", "rep", "dev", "mia")),
    ],
)
def test_who_changes_pipelines(fakeplat: Fakeplat, name: str, callers: tuple[str | None, ...]) -> None:
    """Changing a hidden, forbidden or missing pipeline is refused with the same error."""
    create_pipeline(fakeplat, {"name": "a", "status": "failed"})
    for caller in callers:
        content = query_refused(fakeplat, caller, write_mutation(name, ""), input={"id": get_pipeline_gid(fakeplat)})
        assert [NOT_AVAILABLE] == list_messages(content), caller
    missing = query_refused(fakeplat, "ada", write_mutation(name, ""), input={"id": "gid://gitlab/Ci::Pipeline/1"})
    assert [NOT_AVAILABLE] == list_messages(missing)
    (wrong,) = list_messages(
        post_query(fakeplat, "ada", write_mutation(name, ""), input={"id": "gid://gitlab/Issue/1"})
    )
    assert wrong.endswith('for id ("gid://gitlab/Issue/1" does not represent an instance of Ci::Pipeline)')


@pytest.mark.fakeplat(version="latest")
def test_a_delayed_job_is_taken_back(fakeplat: Fakeplat) -> None:
    """A delayed job waits for a user once its start is taken back; other jobs stay as they are, without an error."""
    create_pipeline(fakeplat, {"name": "a", "status": "scheduled", "when": "delayed", "start_in": 3600})
    given = {"id": f"gid://gitlab/Ci::Build/{job(fakeplat, 'a').id}"}
    mutation = write_mutation("jobUnschedule", "job { status }")

    assert [NOT_AVAILABLE] == list_messages(post_query(fakeplat, "rep", mutation, input=given))
    assert {"job": {"status": "MANUAL"}, "errors": []} == query_data(fakeplat, "mia", mutation, input=given)[
        "jobUnschedule"
    ]
    before = statuses(fakeplat)
    again = query_data(fakeplat, "mia", mutation, input=given)["jobUnschedule"]
    assert {"job": {"status": "MANUAL"}, "errors": []} == again
    assert before == statuses(fakeplat)


@pytest.mark.fakeplat(version="latest")
def test_a_job_shows_the_end_of_its_log(fakeplat: Fakeplat) -> None:
    """The summary of a log has its last lines as HTML; nobody ran the job of this pipeline."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "log": "one\n<two>\nthree\n"})
    selection = "{ runner { id } runnerManager { id } trace { htmlSummary(lastLines: 2) all: htmlSummary } }"
    summaries = {
        "htmlSummary": "<span>&lt;two&gt;<br/>three</span>",
        "all": "<span>one<br/>&lt;two&gt;<br/>three</span>",
    }

    assert [{"runner": None, "runnerManager": None, "trace": summaries}] == query_nodes(
        fakeplat, "dev", selection, "jobs"
    )
