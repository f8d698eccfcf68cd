"""Environments, deployments and resource groups in scenarios, and back."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.timestamps import HOUR
from fakeplat.domain.ci import pipeline_creation
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.worlds import create_platform, reload_export

VIEWERS = ("root", "rep")
FULL: dict[str, Any] = {
    "iid": 4,
    "environment": "production",
    "ref": "feature",
    "sha": "2" * 40,
    "status": "failed",
    "user": "dev",
    "created_at": "2020-11-18T08:00:00.000Z",
    "updated_at": "2020-11-18T08:09:00.000Z",
    "finished_at": "2020-11-18T08:09:00.000Z",
    "merge_requests": [1, 2],
    "on_stop": "stop",
}
ENVIRONMENT: dict[str, Any] = {
    "name": "review/a",
    "slug": "review-old-name",
    "state": "stopped",
    "external_url": "https://a.test",
    "auto_stop_at": None,
    "created_at": "2020-11-01T08:00:00.000Z",
    "updated_at": "2020-11-02T08:00:00.000Z",
}


def build_fragment(**keys: Any) -> dict[str, Any]:
    return {"projects": [{"path_with_namespace": "acme/site", **keys}]}


def build_scenario(**keys: Any) -> dict[str, Any]:
    return {"extends": "starter", "instance": {"version": "latest"}, **build_fragment(**keys)}


def export_site(platform: Platform) -> dict[str, Any]:
    projects = scenario.export_world(platform)["projects"]
    (site,) = [each for each in projects if each["path_with_namespace"] == "acme/site"]
    return dict(site)


def test_a_new_environment_was_last_changed_when_it_was_created() -> None:
    """An environment that only says when it was created was not changed since then."""
    created_at = ENVIRONMENT["created_at"]
    platform = create_platform(build_scenario(environments=[{"name": "staging", "created_at": created_at}]))
    (environment,) = platform.view.environments.all()

    assert (created_at, created_at) == (environment.created_at, environment.updated_at)


def test_deployments_survive_a_round_trip() -> None:
    """Environments, deployments and resource groups keep each declared key after a round trip."""
    platform = create_platform(
        build_scenario(
            environments=[ENVIRONMENT, "production"],
            deployments=[
                FULL,
                {"environment": "production", "ref": "feature"},
                {"environment": "staging", "status": "running", "ref": "v1.0", "tag": True},
            ],
            resource_groups=["deploy", {"key": "db", "process_mode": "oldest_first"}],
        )
    )
    exported = export_site(platform)
    first, second, third = exported["deployments"]
    before = collect_responses(platform, VIEWERS)

    assert [] == list(compare_values(before, collect_responses(reload_export(platform), VIEWERS)))
    assert FULL == first
    assert (5, "success", 40) == (second["iid"], second["status"], len(second["sha"]))
    assert ("staging", "running", True) == (third["environment"], third["status"], third["tag"])
    assert {name: value for name, value in ENVIRONMENT.items() if value is not None} == exported["environments"][0]
    assert ["review/a", "production", "staging"] == [environment["name"] for environment in exported["environments"]]
    assert ["unordered", "oldest_first"] == [group.process_mode for group in platform.view.resource_groups.all()]


def test_a_later_fragment_changes_a_deployment() -> None:
    """A later fragment with the iid of a deployment changes that deployment."""
    platform = create_platform(build_scenario(deployments=[{"iid": 3, "environment": "production"}]))
    entry = {"iid": 3, "environment": "production", "status": "canceled"}
    scenario.load(platform, build_fragment(deployments=[entry]))

    assert ["canceled"] == [deployment.status for deployment in platform.view.deployments.all()]


def test_an_environment_stops_when_the_scenario_says_so() -> None:
    """An environment stops at its declared auto_stop_at when the clock reaches that time."""
    declared = {"name": "review/a", "auto_stop_at": "2020-11-20T10:00:00Z"}
    platform = create_platform({**build_scenario(environments=[declared]), "clock": {"start": "2020-11-20T09:00:00Z"}})
    before = platform.view.environments.all()[0].state
    platform.advance(2 * HOUR)

    assert ("available", "stopped") == (before, platform.view.environments.all()[0].state)


def add_job(platform: Platform, name: str) -> None:
    with platform.acting() as ctx:
        owner = ctx.world.projects[5001]
        pipeline_creation.create_with_jobs(ctx, owner, [PlannedJob(name=name)], ref="master", sha="1" * 40)


def test_a_deployment_names_its_job() -> None:
    """A deployment refers to its job by pipeline and job name, in a fragment and in the export."""
    platform = create_platform(build_scenario())
    add_job(platform, "deploy")
    deployment = {"environment": "production", "pipeline": 1, "job": "deploy"}
    scenario.load(platform, build_fragment(deployments=[deployment]))
    (exported,) = export_site(platform)["deployments"]

    assert [platform.view.jobs.all()[0].id] == [each.job_id for each in platform.view.deployments.all()]
    assert deployment == {name: exported[name] for name in deployment}


@pytest.mark.parametrize(
    ("deployment", "text"),
    [
        ({"environment": "x", "ref": "gone"}, "unknown branch 'gone'"),
        ({"environment": "x", "merge_requests": [99]}, "unknown merge request 99"),
        ({"environment": "x", "job": "deploy", "pipeline": 9}, "unknown pipeline"),
        ({"environment": "x", "job": "build", "pipeline": 1}, "unknown job"),
        ({"environment": "x", "job": "deploy", "pipeline": 1, "attempt": 2}, "unknown job"),
        ({"environment": "/x"}, "cannot start or end with '/'"),
    ],
    ids=range(6),
)
def test_mistakes_in_deployments_are_named(deployment: dict[str, Any], text: str) -> None:
    """A deployment that names an unknown branch, merge request, pipeline or job is refused."""
    platform = create_platform(build_scenario())
    add_job(platform, "deploy")

    with pytest.raises(ScenarioError, match=text):
        scenario.load(platform, build_fragment(deployments=[deployment]))
