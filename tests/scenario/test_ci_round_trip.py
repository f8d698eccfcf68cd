"""A world with every CI record is exported as a scenario that gives the same answers."""

from typing import Any

import pytest

from tests.api.full_world import FULL
from tests.scenario.answers import ANONYMOUS, compare_values
from tests.scenario.ci_answers import collect_ci_responses
from tests.scenario.worlds import create_platform, project, reload_export

VIEWERS = ("root", "ada", "mia", "dev", "rep", "eve", ANONYMOUS)
BUSY: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "repository": {
                "commits": [
                    {
                        "message": "CI",
                        "files": {
                            ".gitlab-ci.yml": (
                                "stages: [test, deploy]\n"
                                "unit: {script: x, coverage: '/\\d+%/'}\n"
                                "lint: {script: x, allow_failure: true}\n"
                                "flaky: {script: x, retry: 1}\n"
                                "ship:\n  stage: deploy\n  script: x\n  resource_group: production\n"
                                "  environment: {name: production, url: 'https://x.test'}\n"
                                "later: {stage: deploy, script: x, when: manual}\n"
                            )
                        },
                    }
                ]
            },
        }
    ],
    "job_outcomes": [
        {"job": "lint", "outcome": "failed"},
        {"job": "flaky", "attempts": ["failed", "success"]},
        {"job": "unit", "log": "93%\n", "artifacts": {"report.txt": "fine"}},
    ],
}


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_a_world_with_every_ci_record_answers_the_same_after_a_round_trip(tier: str) -> None:
    """Every list and record of CI answers the same for every viewer after a round trip."""
    platform = create_platform({**FULL, "instance": {"tier": tier}})
    before = collect_ci_responses(platform, VIEWERS)

    assert all(status < 500 for status, _ in before.values())
    assert [] == list(compare_values(before, collect_ci_responses(reload_export(platform), VIEWERS)))


@pytest.mark.parametrize("steps", range(6))
def test_a_running_pipeline_answers_the_same_after_a_round_trip(steps: int) -> None:
    """A pipeline that is exported at any moment of its run goes on to the same end in the loaded world."""
    platform = create_platform(BUSY)
    with platform.acting(platform.view.users.find("username", "mia")) as ctx:
        from fakeplat.domain.ci import pipeline_creation

        pipeline_creation.create_pipeline(ctx, project(ctx.world, "acme/site"), "master", source="api")
    platform.advance(steps * 450)
    twin = reload_export(platform)

    for world in (platform, twin):
        assert [1] == [pipeline.iid for pipeline in world.view.pipelines.all()]
    assert [] == list(compare_values(collect_ci_responses(platform, ("mia",)), collect_ci_responses(twin, ("mia",))))
    for world in (platform, twin):
        world.settle()
    assert {"success"} == {pipeline.status for pipeline in twin.view.pipelines.all()}
    assert [] == list(compare_values(collect_ci_responses(platform, ("mia",)), collect_ci_responses(twin, ("mia",))))
