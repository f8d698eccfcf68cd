"""Scenarios can ask for histories of pipelines; the seed decides how they went."""

from collections import Counter
from itertools import groupby, pairwise
from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.domain.ci import pipelines, statuses
from fakeplat.model.ci import COMPLETED, Job, Pipeline
from fakeplat.model.world import World
from fakeplat.scenario import ScenarioError
from tests.scenario.test_issue_sections import list_changes
from tests.scenario.worlds import create_platform, create_world, project, write

START = "2020-11-20T09:00:00.000Z"
HISTORY = {"into": "acme/fresh", "commits": 60, "branches": 12, "tags": 3, "merge_requests": 12, "pipelines": 200}
NEW: dict[str, Any] = {
    "extends": "starter",
    "projects": [{"path_with_namespace": "acme/fresh"}],
    "generate": [HISTORY],
}


@pytest.fixture(scope="module")
def generated() -> World:
    return create_world(NEW)


def list_jobs(seen: World, pipeline: Pipeline) -> list[Job]:
    return list(seen.jobs.where("pipeline", pipeline.id))


def test_as_many_pipelines_are_made_as_are_asked_for(generated: World) -> None:
    """The requested number of pipelines is generated in one project or spread evenly over the entry's projects."""
    spread = create_world({"generate": [{"groups": 1, "projects": 3, "pipelines": 8}]})

    assert 200 == len(generated.pipelines.where("project", project(generated, "acme/fresh").id))
    assert [3, 3, 2] == [len(spread.pipelines.where("project", project.id)) for project in spread.projects.all()]


def test_pipelines_belong_to_commits_branches_tags_and_merge_requests(generated: World) -> None:
    """Each generated pipeline has a commit of the repository, a user of the project and a matching source."""
    pipelines = list(generated.pipelines.all())
    requests = {request.id: request for request in generated.merge_requests.all()}

    assert {"push", "merge_request_event", "web", "api", "schedule"} == {pipeline.source for pipeline in pipelines}
    assert {"v0.1.0", "v0.2.0", "v0.3.0"} == {pipeline.ref for pipeline in pipelines if pipeline.tag}
    assert {pipeline.ref for pipeline in pipelines if pipeline.merge_request_id} == {
        f"refs/merge-requests/{requests[pipeline.merge_request_id].iid}/head"
        for pipeline in pipelines
        if pipeline.merge_request_id
    }
    assert all(pipeline.user_id in {user.id for user in generated.users.all()} for pipeline in pipelines)
    assert {"master"} == {pipeline.ref for pipeline in pipelines if pipeline.source in ("web", "api", "schedule")}
    assert {True} == {pipeline.protected for pipeline in pipelines if pipeline.ref == "master"}


def test_a_merge_request_shows_its_pipelines() -> None:
    """Generated merge requests list the pipelines of their branch or of their own."""
    platform = create_platform(NEW)
    requests: Any = write(platform, "GET", "projects/acme%2Ffresh/merge_requests", "root-token")
    lists = [
        write(platform, "GET", f"projects/acme%2Ffresh/merge_requests/{request['iid']}/pipelines", "root-token")
        for request in requests
    ]

    assert any(lists)


def test_most_pipelines_succeed_and_all_have_ended(generated: World) -> None:
    """Most generated pipelines succeeded, some failed or were canceled, and none is running or scheduled."""
    count = Counter(pipeline.status for pipeline in generated.pipelines.all())

    assert {"success", "failed", "canceled"} == count.keys()
    assert count["success"] > 0.6 * count.total()
    assert {*COMPLETED} == {job.status for job in generated.jobs.all()}
    assert [] == [task.kind for task in generated.scheduled_tasks.all()]


def test_the_status_of_a_pipeline_follows_from_its_jobs(generated: World) -> None:
    """The status and coverage of a generated pipeline follow from its jobs that were not retried."""
    retried = 0
    for pipeline in generated.pipelines.all():
        latest = [job for job in list_jobs(generated, pipeline) if not job.retried]
        retried += len(list_jobs(generated, pipeline)) - len(latest)

        assert statuses.combine_jobs(latest) == pipeline.status
        assert len({job.name for job in latest}) == len(latest)
        assert [job.coverage for job in latest if job.coverage is not None] == (
            []
            if pipelines.find_coverage(generated, pipeline) is None
            else [pipelines.find_coverage(generated, pipeline)]
        )
    assert retried > 0


def test_a_retried_job_failed_and_another_took_its_place(generated: World) -> None:
    """A generated retried job failed, and one later job of the same name was created after its end."""
    for job in [job for job in generated.jobs.all() if job.retried]:
        (later,) = [
            other
            for other in generated.jobs.where("latest", job.pipeline_id)
            if other.name == job.name and other.id > job.id
        ]
        assert ("failed", "script_failure") == (job.status, job.failure_reason)
        assert str(job.finished_at) <= later.created_at


def test_times_are_consistent(generated: World) -> None:
    """A generated job is queued, starts and ends in order, after earlier stages and before the world starts."""
    pipelines_ = list(generated.pipelines.where("project", project(generated, "acme/fresh").id))

    assert sorted(pipeline.created_at for pipeline in pipelines_) == [pipeline.created_at for pipeline in pipelines_]
    for pipeline in pipelines_:
        jobs = list_jobs(generated, pipeline)
        for job in jobs:
            times = [pipeline.created_at, job.created_at, job.queued_at, job.started_at, job.finished_at, START]
            known = [time for time in times if time is not None]
            assert sorted(known) == known
        stages = [list(stage) for _, stage in groupby(sorted(jobs, key=get_stage_index), key=get_stage_index)]
        for earlier, later in pairwise(stages):
            ends = [job.finished_at for job in earlier if job.finished_at]
            starts = [job.started_at for job in later if job.started_at]
            assert not ends or not starts or max(ends) <= min(starts)
        assert pipeline.finished_at == max(job.finished_at for job in jobs if job.finished_at)


def get_stage_index(job: Job) -> int:
    return job.stage_index


def test_a_push_to_a_generated_repository_runs_the_same_jobs() -> None:
    """A new pipeline in a generated repository has the same jobs as the generated ones."""
    platform = create_platform(NEW)
    fresh = project(platform.view, "acme/fresh")
    before = {job.name for job in platform.view.jobs.where("project", fresh.id)}
    pipeline = write(platform, "POST", "projects/acme%2Ffresh/pipeline", "root-token", ref="master")
    after = platform.view.jobs.where("pipeline", pipeline["id"])

    assert ["compile", "unit", "lint", "integration", "package"] == [job.name for job in after]
    assert before == {job.name for job in after}


def test_a_generated_history_answers_the_same_after_a_round_trip() -> None:
    """Generated pipelines answer the same after they are exported and loaded."""
    platform = create_platform({"extends": "starter", "generate": [{"into": "acme/site", "pipelines": 30}]})

    assert [] == list_changes(platform, ("root", "dev", "nobody"))


def test_the_seed_decides_about_pipelines() -> None:
    """The same seed generates the same pipelines, and another seed generates others."""

    def export_pipelines(seed: int) -> bytes:
        return orjson.dumps(scenario.export_world(create_platform(NEW, seed=seed))["projects"])

    assert export_pipelines(0) == export_pipelines(0)
    assert export_pipelines(0) != export_pipelines(1)


def test_pipelines_need_a_project() -> None:
    """Generated pipelines without a project to put them into are refused."""
    with pytest.raises(ScenarioError, match="pipelines need projects, or 'into' with a project"):
        create_platform({"extends": "starter", "generate": [{"into": "bob", "pipelines": 1}]})
