"""CI records in the views and differences that tests assert on."""

import json
from typing import Any
from urllib.request import urlopen

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.world import World
from fakeplat.workbench.natural_keys import natural_key
from tests.api.full_world import FULL
from tests.scenario.worlds import create_platform

SITE = "projects/acme%2Fsite"


@pytest.fixture
def fakeplat(fakeplat: Fakeplat) -> Fakeplat:
    fakeplat.load(
        {
            "variables": [{"key": "EVERYWHERE", "value": "yes"}],
            "runners": [{"description": "Shared"}, {"description": "Own", "projects": ["acme/site"]}],
            "groups": [
                {"full_path": "acme", "variables": [{"key": "TEAM", "value": "x"}], "deploy_tokens": [{"name": "pull"}]}
            ],
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "variables": [{"key": "MODE", "value": "fast"}],
                    "triggers": [{"owner": "ada", "description": "Nightly"}],
                    "pipeline_schedules": [{"description": "Daily", "ref": "master", "cron": "@daily"}],
                    "environments": ["production"],
                    "feature_flags": [{"name": "dark", "version": "new_version_flag"}],
                    "freeze_periods": [{"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"}],
                    "resource_groups": ["production"],
                    "pipelines": [
                        {
                            "iid": 1,
                            "ref": "master",
                            "variables": [{"key": "A", "value": "1"}],
                            "jobs": [
                                {"name": "unit", "status": "failed", "retried": True},
                                {"name": "unit", "status": "success"},
                                {"name": "docs", "kind": "external", "status": "success"},
                            ],
                        }
                    ],
                }
            ],
        }
    )
    return fakeplat


def test_a_project_shows_its_ci_records(fakeplat: Fakeplat) -> None:
    """A project in the world view has its CI records under the names of the API."""
    site = fakeplat.world.project("acme/site")
    (pipeline,) = site.pipelines

    assert [("success", "master")] == [(pipeline.status, pipeline.ref) for pipeline in site.pipelines]
    assert [("unit", "failed"), ("unit", "success")] == [(job.name, job.status) for job in pipeline.jobs]
    assert ["docs"] == [status.name for status in pipeline.statuses]
    assert [("A", "1")] == [(variable.key, variable.value) for variable in pipeline.variables]
    assert [] == pipeline.bridges
    assert ["unit", "unit"] == [job.name for job in site.jobs]
    assert [("MODE", "fast", "*")] == [
        (variable.key, variable.value, variable.environment_scope) for variable in site.variables
    ]
    assert ["Nightly"] == [trigger.description for trigger in site.triggers]
    assert ["Daily"] == [schedule.description for schedule in site.pipeline_schedules]
    assert ["Own"] == [runner.description for runner in site.runners]
    assert [("production", "available", [])] == [
        (environment.name, environment.state, environment.deployments) for environment in site.environments
    ]
    assert ([], [], [], []) == (
        site.deployments,
        site.deploy_keys,
        site.deploy_tokens,
        site.feature_flag_user_lists,
    )
    assert ["dark"] == [flag.name for flag in site.feature_flags]
    assert ["0 7 * * 1"] == [period.freeze_end for period in site.freeze_periods]
    assert ["production"] == [group.key for group in site.resource_groups]


def test_groups_and_the_instance_show_theirs(fakeplat: Fakeplat) -> None:
    """Groups and the instance show their variables, runners, deploy tokens and deploy keys."""
    acme = fakeplat.world.group("acme")

    assert (["TEAM"], ["pull"], []) == (
        [variable.key for variable in acme.variables],
        [token.name for token in acme.deploy_tokens],
        acme.runners,
    )
    assert ["EVERYWHERE"] == [variable.key for variable in fakeplat.world.variables]
    assert ["Shared", "Own"] == [runner.description for runner in fakeplat.world.runners]
    assert [] == fakeplat.world.deploy_keys


def test_a_running_pipeline_is_listed_among_the_changes(fakeplat: Fakeplat) -> None:
    """A retried job is listed by pipeline, name and number of the try."""
    job = fakeplat.world.project("acme/site").pipelines[0].jobs[1]
    with fakeplat.changes() as c:
        fakeplat.as_user("mia").post(f"{SITE}/jobs/{job.id}/retry")

    assert ["acme/site: 1 unit (try 3)"] == c.created["jobs"]
    assert {"retried": (False, True)} == c.changed["jobs"]["acme/site: 1 unit (try 2)"]
    assert ("success", "running") == c.changed["pipelines"]["acme/site: 1"]["status"]


def test_a_changed_flag_is_listed_in_json(fakeplat: Fakeplat) -> None:
    """The JSON difference lists the strategies of a changed feature flag with their fields."""
    fakeplat.snapshot("before")
    strategy = {"name": "userWithId", "parameters": {"userIds": "7"}, "scopes": [{"environment_scope": "production"}]}
    fakeplat.as_user("mia").put(f"{SITE}/feature_flags/dark", json={"strategies": [strategy]})
    with urlopen(f"{fakeplat.url}/_fakeplat/diff?since=before") as response:
        document = json.load(response)

    before, after = document["changed"]["feature_flags"]["acme/site: dark"]["strategies"]
    assert ([], ["userWithId"], ["production"]) == (
        before,
        [flag["name"] for flag in after],
        [scope["environment_scope"] for flag in after for scope in flag["scopes"]],
    )


def test_variables_are_listed_by_owner_key_and_scope(fakeplat: Fakeplat) -> None:
    """CI variables are listed by owner, key and scope, and those of the instance without an owner."""
    root = fakeplat.as_user("root")
    with fakeplat.changes() as c:
        root.post("admin/ci/variables", json={"key": "GLOBAL", "value": "x"})
        root.post("groups/acme/variables", json={"key": "OURS", "value": "x"})
        root.post(f"{SITE}/variables", json={"key": "MODE", "value": "slow", "environment_scope": "review/*"})

    assert {"ci_variables": ["GLOBAL", "acme/site: MODE (review/*)", "acme: OURS"]} == c.created


@pytest.fixture(scope="module")
def full() -> World:
    return create_platform(FULL).view


TOLD: dict[str, list[Any]] = {
    "pipelines": ["acme/site: 1", "acme/site: 2", "acme/site: 3", "kept/fork: 1"],
    "jobs": ["acme/site: 1 lint", "acme/site: 1 next", "acme/site: 1 test", "acme/site: 3 build", "kept/fork: 1 test"],
    "ci_variables": ["TOKEN", "acme/site: TOKEN", "acme: TOKEN"],
    "triggers": ["acme/site: Deploy"],
    "pipeline_schedules": ["acme/site: Nightly"],
    "runner_projects": ["acme/site: runner 9360003", "kept/fork: runner 9360003"],
    "runners": ["Shared", "runner 9360002", "runner 9360003"],
    "environments": ["acme/site: edge", "acme/site: production"],
    "deployments": ["acme/site: 1", "acme/site: 2"],
    "resource_groups": ["acme/site: production"],
    "feature_flags": ["acme/site: new", "acme/site: old"],
    "feature_flag_user_lists": ["acme/site: testers"],
    "freeze_periods": ["acme/site: 0 23 * * 5 - 0 7 * * 1"],
    "deploy_keys": ["all", "own"],
    "deploy_key_projects": ["acme/site: own", "kept/fork: all"],
    "deploy_tokens": ["acme/site: ci", "acme: ci"],
    "ci_includes": ["https://ci.example.com/base.yml"],
}


@pytest.mark.parametrize("table", TOLD)
def test_each_record_has_a_natural_key(full: World, table: str) -> None:
    """The natural keys of CI records consist of names, with ids only where there is no name."""
    assert TOLD[table] == sorted(natural_key(full, record) for record in getattr(full, table).all())
