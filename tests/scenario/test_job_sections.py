"""Jobs of pipelines in scenarios, and back. Source: docs/contract.md ('Scenarios', 'Alerts, SCIM, pipelines')."""

from typing import Any

import orjson
import pytest
from attrs import evolve

from fakeplat import scenario
from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import pipeline_creation
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.test_delivery_sections import build_scenario, export_key, list_changes
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, project, reload_export

FULL: dict[str, Any] = {
    "name": "deploy: [eu]",
    "stage": "deploy",
    "stage_index": 4,
    "kind": "build",
    "status": "failed",
    "ref": "other",
    "tag": True,
    "when": "manual",
    "allow_failure": True,
    "start_in": 60,
    "needs": [{"name": "build"}, {"name": "lint", "artifacts": False, "optional": True}],
    "variables": {"A": "1", "B": "2"},
    "environment": {"name": "production", "url": "https://x.test", "action": "stop", "on_stop": "x", "auto_stop_in": 9},
    "coverage_regex": "[0-9]+",
    "retry": {"max": 2, "when": ["script_failure"]},
    "timeout": 3600,
    "interruptible": True,
    "resource_group": "production",
    "tags": ["linux"],
    "artifacts": {"paths": ["out"], "reports": {"junit": ["a.xml"]}, "when": "always", "expire_in": "1 day"},
    "dependencies": ["build"],
    "options": {"script": ["make"]},
    "user": "mia",
    "retried": True,
    "created_at": "2020-11-18T08:00:01.000Z",
    "updated_at": "2020-11-18T08:09:00.000Z",
    "queued_at": "2020-11-18T08:00:02.000Z",
    "scheduled_at": "2020-11-18T08:00:03.000Z",
    "started_at": "2020-11-18T08:01:00.000Z",
    "finished_at": "2020-11-18T08:09:00.000Z",
    "failure_reason": "script_failure",
    "coverage": 87.5,
    "log": "boom\n",
    "erased_at": "2020-11-19T08:09:00.000Z",
    "erased_by": "ada",
    "target_url": "https://y.test",
    "description": "Why",
}
PIPELINE = {"iid": 7, "user": "dev", "created_at": "2020-11-18T08:00:00.000Z"}


def build_job_scenario(*jobs: Any, **keys: Any) -> dict[str, Any]:
    return build_scenario(pipelines=[{**PIPELINE, **keys, "jobs": [*jobs]}])


def export_jobs(platform: Platform) -> list[dict[str, Any]]:
    return list(export_key(platform, "pipelines")[0]["jobs"])


def summarize_jobs(platform: Platform) -> list[tuple[str, str, int]]:
    return [(job.name, job.status, job.stage_index) for job in platform.view.jobs.all()]


def test_jobs_are_exported_as_declared() -> None:
    """Jobs and bridges are exported with each declared key and answer the same when loaded."""
    bridge = {
        "name": "next",
        "stage": "deploy",
        "stage_index": 4,
        "status": "success",
        "trigger": {"project": "acme/docs", "strategy": "depend", "includes": [{"kind": "local", "location": "x.yml"}]},
        "queued_at": None,
        "started_at": None,
        "finished_at": None,
    }
    platform = create_platform(build_job_scenario(FULL, bridge))
    first, second = export_jobs(platform)
    assert {key: value for key, value in FULL.items() if key != "kind"} == first
    assert {**bridge, "stage_index": 4} == {"stage_index": 4, **second}
    assert [] == list_changes(platform)
    assert [] == list(build_validator().iter_errors(orjson.loads(orjson.dumps(scenario.export_world(platform)))))


def test_stages_are_numbered_as_they_appear() -> None:
    """Stages are numbered by appearance or from a given index, which the export omits where it is the default."""
    platform = create_platform(
        build_job_scenario(
            {"name": "a", "stage": "build", "status": "success"},
            {"name": "b", "status": "success"},
            {"name": "c", "stage": "build", "status": "success"},
            {"name": "d", "stage": "late", "stage_index": 7, "status": "success"},
            {"name": "e", "stage": "later", "status": "success"},
        )
    )
    assert [0, 1, 0, 7, 8] == [job.stage_index for job in platform.view.jobs.all()]
    assert [None, None, None, 7, None] == [job.get("stage_index") for job in export_jobs(platform)]


@pytest.mark.parametrize(
    ("jobs", "status"),
    [
        ([{"name": "a", "status": "success"}, {"name": "b", "status": "failed"}], "failed"),
        ([{"name": "a", "status": "failed", "allow_failure": True}], "success"),
        ([{"name": "a", "status": "failed", "retried": True}, {"name": "a", "status": "running"}], "running"),
        ([{"name": "a", "status": "manual", "when": "manual"}], "manual"),
        ([{"name": "a", "status": "skipped"}], "skipped"),
    ],
)
def test_the_status_of_a_pipeline_follows_from_its_jobs(jobs: list[dict[str, Any]], status: str) -> None:
    """The status of a pipeline results from its jobs, unless the scenario gives one."""
    (pipeline,) = create_platform(build_job_scenario(*jobs)).view.pipelines.all()
    assert status == pipeline.status
    (pipeline,) = create_platform(build_job_scenario(*jobs, status="canceled")).view.pipelines.all()
    assert "canceled" == pipeline.status


def test_the_times_of_a_pipeline_follow_from_its_jobs() -> None:
    """A pipeline lasts from the first start to the last end of its jobs; its duration is the time they ran."""
    times = [
        {"started_at": "2020-11-18T08:00:10.000Z", "finished_at": "2020-11-18T08:00:20.000Z"},
        {"started_at": "2020-11-18T08:01:00.000Z", "finished_at": "2020-11-18T08:01:05.000Z"},
    ]
    jobs = [{"name": name, "status": "success", **rest} for name, rest in zip("ab", times, strict=True)]
    (pipeline,) = create_platform(build_job_scenario(*jobs)).view.pipelines.all()
    assert ("2020-11-18T08:00:10.000Z", "2020-11-18T08:01:05.000Z", 15) == (
        pipeline.started_at,
        pipeline.finished_at,
        pipeline.duration,
    )


def test_jobs_have_the_times_of_their_status() -> None:
    """A finished job starts at its creation and ends at its last update; a skipped job has no times."""
    platform = create_platform(
        build_job_scenario(
            {"name": "a", "status": "success", "updated_at": "2020-11-18T08:00:05.000Z"},
            {"name": "b", "status": "skipped"},
        )
    )
    first, second = platform.view.jobs.all()
    created = PIPELINE["created_at"]
    assert (created, created, "2020-11-18T08:00:05.000Z") == (first.queued_at, first.started_at, first.finished_at)
    assert (None, None, None) == (second.queued_at, second.started_at, second.finished_at)


def test_jobs_without_a_status_start() -> None:
    """Jobs without a status run as in a new pipeline: the first stage is pending, later ones wait."""
    platform = create_platform(
        build_job_scenario({"name": "a", "stage": "build"}, {"name": "b"}, {"name": "c", "when": "manual"})
    )
    assert [("a", "pending", 0), ("b", "created", 1), ("c", "created", 1)] == summarize_jobs(platform)
    assert "pending" == platform.view.pipelines.all()[0].status
    platform.settle()
    assert [("a", "success", 0), ("b", "success", 1), ("c", "manual", 1)] == summarize_jobs(platform)


@pytest.mark.parametrize("status", ["pending", "running"])
def test_unfinished_jobs_go_on(status: str) -> None:
    """An unfinished job continues with the clock, but waits where runners are external."""
    platform = create_platform(
        build_job_scenario({"name": "a", "status": status}, {"name": "b", "stage": "deploy", "status": "created"})
    )
    assert [("a", status, 0), ("b", "created", 1)] == summarize_jobs(platform)
    platform.settle()
    assert [("a", "success", 0), ("b", "success", 1)] == summarize_jobs(platform)
    waiting = create_platform(
        build_scenario(runners="external", pipelines=[{**PIPELINE, "jobs": [{"name": "a", "status": status}]}])
    )
    waiting.settle()
    assert [("a", status, 0)] == summarize_jobs(waiting)


def test_a_delayed_job_starts_at_its_time() -> None:
    """A delayed job starts at its scheduled time, or at once if that is over."""
    job = {"name": "a", "status": "scheduled", "when": "delayed", "start_in": 60}
    for scheduled_at in ("2020-11-18T09:00:00Z", "2099-11-18T09:00:00Z"):
        platform = create_platform(build_job_scenario({**job, "scheduled_at": scheduled_at}))
        platform.settle()
        assert [("a", "success", 0)] == summarize_jobs(platform)


def test_an_export_of_what_goes_on_goes_on() -> None:
    """A running pipeline ends the same way in the loaded world as in the exported one."""
    platform = create_platform(build_scenario())
    with platform.acting() as ctx:
        jobs = [PlannedJob(name="a"), PlannedJob(name="b", stage="deploy", stage_index=1)]
        pipeline_creation.create_with_jobs(ctx, project(ctx.world, "acme/site"), jobs, ref="feature", sha="a" * 40)
    loaded = reload_export(platform)
    assert summarize_jobs(platform) == summarize_jobs(loaded)
    for world in (platform, loaded):
        world.settle()
    assert [("a", "success", 0), ("b", "success", 1)] == summarize_jobs(platform) == summarize_jobs(loaded)


def test_a_fragment_changes_the_job_of_a_name() -> None:
    """A fragment changes the latest job of a name, and the status of its pipeline follows."""
    platform = create_platform(
        build_job_scenario({"name": "a", "status": "failed", "retried": True}, {"name": "a", "status": "running"})
    )
    changed = {"iid": 7, "jobs": [{"name": "a", "status": "failed"}]}
    scenario.load(platform, {"projects": [{"path_with_namespace": "acme/site", "pipelines": [changed]}]})
    assert [("a", "failed", 0), ("a", "failed", 0)] == summarize_jobs(platform)
    assert "failed" == platform.view.pipelines.all()[0].status
    platform.settle()
    assert [("a", "failed", 0), ("a", "failed", 0)] == summarize_jobs(platform)


def test_the_order_of_jobs_of_several_pipelines_survives() -> None:
    """Jobs keep their order across pipelines, even if a retried job is newer than those of a later pipeline."""
    platform = create_platform(
        build_scenario(
            pipelines=[
                {**PIPELINE, "jobs": [{"name": "a", "status": "failed", "retried": True}]},
                {**PIPELINE, "iid": 8, "jobs": [{"name": "b", "status": "success"}]},
            ]
        )
    )
    with platform.acting() as ctx:
        first = ctx.world.jobs.all()[0]
        jobs = ctx.world.jobs
        jobs.add(evolve(first, id=jobs.next_id(), name="c", retried=False))
    names = [job.name for job in platform.view.jobs.all()]
    assert ["a", "b", "c"] == names == [job.name for job in reload_export(platform).view.jobs.all()]
    assert [] == list_changes(platform)


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ({"name": "a", "user": "nobody"}, "unknown user 'nobody'"),
        ({"name": "a", "trigger": {}, "downstream_pipeline": "acme/site#99"}, "unknown pipeline 'acme/site#99'"),
        ({"name": "a", "trigger": {}, "downstream_pipeline": "x"}, "unknown pipeline 'x'"),
        ({"name": "a", "status": "done"}, "must be one of created"),
        ({"status": "success"}, "name"),
    ],
)
def test_mistakes_are_named(job: dict[str, Any], message: str) -> None:
    """A mistake in a job is refused with the path of its entry."""
    with pytest.raises(ScenarioError) as error:
        create_platform(build_job_scenario(job))
    assert message in str(error.value)
    assert "pipelines[0].jobs[0]" in str(error.value)


def test_an_unknown_canceling_pipeline_is_named() -> None:
    """An unknown iid in `auto_canceled_by` is refused with that iid."""
    with pytest.raises(ScenarioError) as error:
        create_platform(build_scenario(pipelines=[{**PIPELINE, "auto_canceled_by": 99}]))
    assert "unknown pipeline 99" in str(error.value)


def test_artifacts_expire_after_a_duration_in_words() -> None:
    """`expire_in` is exported as the declared text, and a text that is no duration is refused."""
    job = {"name": "a", "status": "success"}
    platform = create_platform(build_job_scenario({**job, "artifacts": {"expire_in": "3 mins 4 sec"}}))
    assert [{"expire_in": "3 mins 4 sec"}] == [row["artifacts"] for row in export_jobs(platform)]
    with pytest.raises(ScenarioError, match="'7 elephants' is neither a duration such as '1 week' nor 'never'"):
        create_platform(build_job_scenario({**job, "artifacts": {"expire_in": "7 elephants"}}))


def test_the_log_is_no_artifact_file() -> None:
    """The type `trace` is refused among artifact files, because the log of a job has its own key."""
    job = {"name": "a", "status": "success", "artifact_files": [{"file_type": "trace", "files": {"a": "b"}}]}
    with pytest.raises(ScenarioError, match="file_type"):
        create_platform(build_job_scenario(job))
