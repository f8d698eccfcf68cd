"""Pipelines that follow from pushes and merge requests, with the jobs of the committed configuration."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Pipeline
from tests.api.ci_files import commit_ci, commit_file

TESTS = "test:\n  script: make test\n"
FOR_BOTH = "test:\n  script: make test\nreview:\n  script: review\n  only: [merge_requests]\n"


def list_pipelines(fake: Fakeplat) -> list[Pipeline]:
    return list(fake.bench.platform.view.pipelines.all())


def list_summaries(fake: Fakeplat) -> list[tuple[str, str, str]]:
    return [(pipeline.source, pipeline.ref, pipeline.status) for pipeline in list_pipelines(fake)]


def job_names(fake: Fakeplat, pipeline: Pipeline) -> list[str]:
    return [job.name for job in fake.bench.platform.view.jobs.where("pipeline", pipeline.id)]


def open_merge_request(fake: Fakeplat, branch: str) -> Any:
    fields = {"source_branch": branch, "target_branch": "master", "title": "A change"}
    reply = fake.as_user("dev").post("/projects/acme%2Fsite/merge_requests", json=fields)
    assert 201 == reply.status
    return reply.json()


def test_a_push_runs_the_jobs_of_the_pushed_configuration(fakeplat: Fakeplat) -> None:
    """The pipeline belongs to the pusher and knows the commit before the push."""
    before = fakeplat.as_user("ada").get("/projects/acme%2Fsite/repository/branches/master").json()["commit"]["id"]
    sha = commit_ci(fakeplat, "build:\n  stage: build\n  script: make\n" + TESTS)

    (pipeline,) = list_pipelines(fakeplat)
    assert ("push", "master", "pending", sha, before) == (
        pipeline.source,
        pipeline.ref,
        pipeline.status,
        pipeline.sha,
        pipeline.before_sha,
    )
    assert ["build", "test"] == job_names(fakeplat, pipeline)


def test_a_tag_gets_a_pipeline_of_its_own(fakeplat: Fakeplat) -> None:
    """A pushed tag creates a pipeline of the jobs with `only: [tags]`."""
    commit_ci(fakeplat, "release:\n  script: publish\n  only: [tags]\n")
    created = fakeplat.as_user("ada").post("/projects/acme%2Fsite/repository/tags?tag_name=v9&ref=master")

    assert 201 == created.status
    assert [("push", "v9", "pending")] == list_summaries(fakeplat)
    assert list_pipelines(fakeplat)[0].tag


@pytest.mark.parametrize("words", ["[ci skip]", "[skip ci]", "[CI-SKIP]", "[skip_ci]"])
def test_a_message_skips_the_pipeline(fakeplat: Fakeplat, words: str) -> None:
    """A commit message that skips CI creates a skipped pipeline without jobs."""
    commit_ci(fakeplat, TESTS, message=f"Change the docs {words}")

    (pipeline,) = list_pipelines(fakeplat)
    assert "skipped" == pipeline.status
    assert [] == job_names(fakeplat, pipeline)


def test_a_wrong_configuration_makes_a_failed_pipeline(fakeplat: Fakeplat) -> None:
    """The first mistake stands in `yaml_errors`."""
    commit_ci(fakeplat, "test:\n  stage: nowhere\n  script: make\n")

    (pipeline,) = list_pipelines(fakeplat)
    assert (
        "failed",
        "test job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post",
    ) == (
        pipeline.status,
        pipeline.yaml_errors,
    )


def test_nothing_happens_without_a_configuration(fakeplat: Fakeplat) -> None:
    """A project without the file has no pipelines."""
    fakeplat.load(
        {
            "groups": [
                {
                    "path": "plain",
                    "projects": [
                        {"path": "site", "repository": {"commits": [{"message": "first", "files": {"a": "b"}}]}}
                    ],
                }
            ]
        }
    )
    commit_file(fakeplat, "c", "d", project="plain/site", branch="master", by="root")

    assert [] == list_pipelines(fakeplat)


def test_nothing_happens_without_jobs_for_the_ref(fakeplat: Fakeplat) -> None:
    """A configuration whose jobs are for tags makes no pipeline of a branch."""
    commit_ci(fakeplat, "release:\n  script: publish\n  only: [tags]\n")

    assert [] == list_pipelines(fakeplat)


def test_the_rules_of_the_workflow_prevent_a_pipeline(fakeplat: Fakeplat) -> None:
    """`workflow:rules` are judged before the jobs."""
    commit_ci(fakeplat, TESTS + "workflow:\n  rules:\n    - if: $CI_COMMIT_TAG\n")

    assert [] == list_summaries(fakeplat)


def test_a_project_with_another_path_reads_that_file(fakeplat: Fakeplat) -> None:
    """Pipelines are configured by the file that `ci_config_path` names."""
    fakeplat.as_user("ada").put("/projects/acme%2Fsite", json={"ci_config_path": "ci/main.yml"})
    commit_file(fakeplat, "ci/main.yml", "other:\n  script: make\n")

    assert ["other"] == job_names(fakeplat, list_pipelines(fakeplat)[0])


def test_no_pipeline_runs_while_builds_are_disabled(fakeplat: Fakeplat) -> None:
    """The feature of the project switches them off."""
    fakeplat.as_user("ada").put("/projects/acme%2Fsite", json={"builds_access_level": "disabled"})
    commit_ci(fakeplat, TESTS)

    assert [] == list_pipelines(fakeplat)


def test_only_changed_files_select_a_job(fakeplat: Fakeplat) -> None:
    """`changes` compares with the commit before the push; in a new branch everything counts as changed."""
    commit_ci(fakeplat, TESTS + "docs:\n  script: mkdocs\n  only:\n    changes: ['docs/*']\n")
    commit_file(fakeplat, "docs/a.md", "text")
    commit_file(fakeplat, "b.md", "text")
    fakeplat.as_user("ada").post("/projects/acme%2Fsite/repository/branches?branch=new&ref=master")

    assert [["test"], ["test", "docs"], ["test"], ["test", "docs"]] == [
        job_names(fakeplat, pipeline) for pipeline in list_pipelines(fakeplat)
    ]


def test_a_new_merge_request_gets_the_jobs_for_merge_requests(fakeplat: Fakeplat) -> None:
    """A new merge request creates a pipeline of its own, which is the head pipeline."""
    commit_ci(fakeplat, FOR_BOTH)
    commit_file(fakeplat, "a", "text", branch="topic", start="master")
    merge_request = open_merge_request(fakeplat, "topic")

    (own,) = [pipeline for pipeline in list_pipelines(fakeplat) if pipeline.source == "merge_request_event"]
    assert f"refs/merge-requests/{merge_request['iid']}/head" == own.ref
    assert ["review"] == job_names(fakeplat, own)
    head = fakeplat.as_user("dev").get(f"/projects/acme%2Fsite/merge_requests/{merge_request['iid']}").json()
    assert own.id == head["head_pipeline"]["id"]


def test_a_push_to_a_merge_request_runs_its_jobs_again(fakeplat: Fakeplat) -> None:
    """Each new commit of a merge request creates one pipeline."""
    commit_ci(fakeplat, FOR_BOTH)
    commit_file(fakeplat, "a", "text", branch="topic", start="master")
    open_merge_request(fakeplat, "topic")
    commit_file(fakeplat, "b", "text", branch="topic")

    sources = [pipeline.source for pipeline in list_pipelines(fakeplat)]
    assert ["push", "push", "merge_request_event", "push", "merge_request_event"] == sources


def test_a_merge_request_waits_for_its_pipeline_and_merges_itself(fakeplat: Fakeplat) -> None:
    """A client that polls the merge request sees it merged."""
    commit_ci(fakeplat, TESTS)
    commit_file(fakeplat, "a", "text", branch="topic", start="master")
    iid = open_merge_request(fakeplat, "topic")["iid"]
    path = f"/projects/acme%2Fsite/merge_requests/{iid}"
    while fakeplat.as_user("mia").get(path).json()["merge_status"] != "can_be_merged":
        pass
    accepted = fakeplat.as_user("mia").put(f"{path}/merge", json={"merge_when_pipeline_succeeds": True})
    states = [fakeplat.as_user("mia").get(path).json()["state"] for _ in range(4)]

    assert 200 == accepted.status
    assert "merged" == states[-1]


def test_a_child_pipeline_decides_about_its_bridge(fakeplat: Fakeplat) -> None:
    """With `strategy: depend` the next stage waits for the child pipeline."""
    commit_file(fakeplat, "child.yml", "unit:\n  script: make unit\n")
    fakeplat.pipelines.add(job="unit", outcome="failed")
    commit_ci(
        fakeplat,
        "tests:\n  trigger: {include: child.yml, strategy: depend}\ndeploy:\n  stage: deploy\n  script: make deploy\n",
    )
    fakeplat.settle()

    parent, child = list_pipelines(fakeplat)[-2:]
    assert ("failed", "parent_pipeline", "failed") == (parent.status, child.source, child.status)
    jobs = {job.name: job.status for job in fakeplat.bench.platform.view.jobs.where("pipeline", parent.id)}
    assert {"tests": "failed", "deploy": "skipped"} == jobs


def test_a_bridge_starts_a_pipeline_of_another_project(fakeplat: Fakeplat) -> None:
    """Without `strategy` a bridge succeeds once the other project's pipeline exists."""
    commit_file(fakeplat, ".gitlab-ci.yml", TESTS, project="acme/docs", update=True)
    commit_ci(
        fakeplat,
        "docs:\n  trigger: {project: acme/docs}\n  variables: {VERSION: '$CI_COMMIT_REF_NAME'}\n",
    )
    fakeplat.settle()

    upstream, downstream = list_pipelines(fakeplat)[-2:]
    assert ("success", "pipeline", "success") == (upstream.status, downstream.source, downstream.status)
    assert [("VERSION", "master")] == [(variable.key, variable.value) for variable in downstream.variables]


@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        ("{project: acme/none}", "downstream_bridge_project_not_found"),
        ("{project: ada/notes, branch: none}", "downstream_bridge_project_not_found"),
        ("{include: none.yml}", "downstream_pipeline_creation_failed"),
        ("{project: acme/site, branch: master}", "invalid_bridge_trigger"),
    ],
)
def test_a_bridge_fails_without_a_downstream_pipeline(fakeplat: Fakeplat, trigger: str, reason: str) -> None:
    """The reason says what is missing."""
    commit_ci(fakeplat, f"docs:\n  trigger: {trigger}\n", by="mia")
    fakeplat.settle()

    (bridge,) = fakeplat.bench.platform.view.jobs.all()
    assert ("failed", reason) == (bridge.status, bridge.failure_reason)


def test_a_child_pipeline_comes_from_an_artifact(fakeplat: Fakeplat) -> None:
    """A job of the parent writes the configuration of the child."""
    fakeplat.pipelines.add(job="generate", artifacts={"child.yml": "unit:\n  script: make unit\n"})
    commit_ci(
        fakeplat,
        "generate:\n  stage: build\n  script: make ci\n  artifacts: {paths: [child.yml]}\n"
        "tests:\n  trigger: {include: [{artifact: child.yml, job: generate}], strategy: depend}\n",
    )
    fakeplat.settle()

    parent, child = list_pipelines(fakeplat)
    assert ("success", "parent_pipeline", "success") == (parent.status, child.source, child.status)
    assert ["unit"] == job_names(fakeplat, child)


def test_a_pipeline_that_is_asked_for_tells_the_mistakes_of_its_configuration(fakeplat: Fakeplat) -> None:
    """A requested pipeline with an invalid configuration is created as failed."""
    commit_file(fakeplat, ".gitlab-ci.yml", "review: [", branch="topic", start="master", update=True)
    iid = open_merge_request(fakeplat, "topic")["iid"]

    reply = fakeplat.as_user("dev").post(f"/projects/acme%2Fsite/merge_requests/{iid}/pipelines")

    assert (200, "failed", True) == (reply.status, reply.json()["status"], bool(reply.json()["yaml_errors"]))
    assert ("merge_request_event", f"refs/merge-requests/{iid}/head", "failed") == list_summaries(fakeplat)[-1]


@pytest.mark.parametrize("outcome", ["success", "failed"])
def test_a_bridge_takes_over_the_status_of_another_project(fakeplat: Fakeplat, outcome: str) -> None:
    """`needs:pipeline` waits for the newest pipeline of that project, if it is not finished yet."""
    fakeplat.pipelines.add(project="acme/docs", outcome=outcome, after="1h")
    commit_file(fakeplat, ".gitlab-ci.yml", TESTS, project="acme/docs", update=True)
    commit_ci(fakeplat, "docs:\n  needs: {pipeline: acme/docs}\n")
    fakeplat.clock.advance("30m")
    waiting = list_pipelines(fakeplat)[-1].status
    fakeplat.settle()

    assert ("pending", outcome) == (waiting, list_pipelines(fakeplat)[-1].status)


def test_a_pipeline_for_a_merge_request_needs_the_right_to_its_branch(fakeplat: Fakeplat) -> None:
    """Who may not push to a protected source branch gets no pipeline for its merge request."""
    commit_file(fakeplat, ".gitlab-ci.yml", FOR_BOTH, branch="topic", start="master", update=True)
    iid = open_merge_request(fakeplat, "topic")["iid"]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "protected_branches": [{"name": "topic"}]}]})
    before = len(list_pipelines(fakeplat))
    path = f"/projects/acme%2Fsite/merge_requests/{iid}/pipelines"

    assert 405 == fakeplat.as_user("dev").post(path).status
    assert before == len(list_pipelines(fakeplat))
    assert 200 == fakeplat.as_user("mia").post(path).status


@pytest.mark.fakeplat(
    scenario={"extends": "starter", "ci_includes": {"https://example.com/ci.yml": "remote:\n  script: make\n"}}
)
def test_the_configuration_may_be_at_another_address(fakeplat: Fakeplat) -> None:
    """`ci_config_path` can be the address of a file, or the path of a file in another project."""
    commit_file(fakeplat, "ci/main.yml", "shared:\n  script: make\n", project="acme/docs")
    for path in ("https://example.com/ci.yml", "ci/main.yml@acme/docs"):
        fakeplat.as_user("ada").put("/projects/acme%2Fsite", json={"ci_config_path": path})
        commit_file(fakeplat, f"{len(path)}.txt", path)

    assert [["remote"], ["shared"]] == [
        job_names(fakeplat, pipeline) for pipeline in list_pipelines(fakeplat) if pipeline.project_id == 5001
    ]


@pytest.mark.parametrize("interruptible", [True, False, None])
@pytest.mark.parametrize("status", ["created", "pending", "running", "success", "failed", "canceled"])
def test_a_newer_commit_cancels_what_it_makes_redundant(
    fakeplat: Fakeplat, status: str, interruptible: bool | None
) -> None:
    """A pipeline for an older commit is canceled unless a job has started that must not be interrupted."""
    jobs = [
        {"name": "build", "stage": "build", "status": status, "interruptible": interruptible, "allow_failure": True},
        {"name": "test", "stage": "test", "status": "pending", "interruptible": True},
    ]
    older = {"iid": 1, "ref": "master", "status": "running", "jobs": jobs}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": [older]}]})
    commit_ci(fakeplat, TESTS)
    first, second = list_pipelines(fakeplat)

    stays = status in ("running", "success", "failed") and not interruptible
    assert (None if stays else second.id) == first.auto_canceled_by_id
    assert stays == (first.status != "canceled")
