"""CI variables, triggers, pipeline schedules and runners in scenarios."""

from typing import Any

import pytest
from attrs import asdict

from fakeplat import scenario
from fakeplat.platform import Platform
from fakeplat.scenario.errors import ScenarioError
from tests.scenario.worlds import create_platform, reload_export

NOW = "2020-11-20T09:00:00.000Z"
EARLIER = "2020-10-01T00:00:00.000Z"
RICH: dict[str, Any] = {
    "extends": "starter",
    "clock": {"start": NOW},
    "variables": [{"key": "A", "value": ""}],
    "groups": [
        {
            "full_path": "acme",
            "variables": [{"key": "B", "value": "x", "variable_type": "file", "created_at": EARLIER}],
        }
    ],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "variables": [
                {"key": "C", "value": "long-enough", "protected": True, "masked": True, "updated_at": NOW},
                {"key": "C", "value": "y", "environment_scope": "review/*", "created_at": EARLIER},
            ],
            "triggers": [
                {"owner": "mia", "description": "Deploy", "created_at": EARLIER, "updated_at": NOW, "last_used": NOW},
                {"owner": "ada", "token": "known"},
            ],
            "pipelines": [{"ref": "master"}, {"ref": "feature"}],
            "pipeline_schedules": [
                {
                    "description": "Nightly",
                    "ref": "master",
                    "cron": "0 4 * * *",
                    "cron_timezone": "Berlin",
                    "owner": "dev",
                    "variables": [{"key": "A", "value": ""}, {"key": "B", "value": "x", "variable_type": "file"}],
                    "last_pipeline": 2,
                    "created_at": EARLIER,
                    "updated_at": NOW,
                },
                {"description": "Off", "ref": "gone", "cron": "@daily", "active": False},
            ],
        }
    ],
    "runners": [
        {
            "description": "Shared",
            "token": "shared",
            "tag_list": ["ruby"],
            "run_untagged": False,
            "contacted_at": EARLIER,
            "ip_address": "192.0.2.1",
            "name": "runner-1",
            "version": "13.5.0",
            "revision": "1",
            "platform": "linux",
            "architecture": "amd64",
        },
        {"group": "acme", "active": False, "locked": True, "created_at": EARLIER},
        {"projects": ["acme/site", "acme/docs"], "maximum_timeout": 600, "access_level": "ref_protected"},
    ],
}
TABLES = ("ci_variables", "triggers", "pipeline_schedules", "runners", "runner_projects", "scheduled_tasks")


def list_records(platform: Platform, table: str) -> list[Any]:
    """The records of a table without their ids, grouped by what they belong to."""
    rows = [{**asdict(record), "id": None} for record in getattr(platform.view, table).all()]
    return sorted(rows, key=lambda row: str(row.get("subject")))


@pytest.mark.parametrize("table", TABLES)
def test_what_a_scenario_says_is_exported_and_loaded_again(table: str) -> None:
    """Every CI record keeps all its fields, with the scheduled runs, after a round trip."""
    platform = create_platform(RICH)
    before = list_records(platform, table)

    assert before
    assert before == list_records(reload_export(platform), table)


def test_omitted_keys_have_defaults() -> None:
    """A runner's type defaults to that of its owner, a schedule's next run follows from its cron."""
    world = create_platform(RICH).view

    assert ["instance_type", "group_type", "project_type"] == [runner.runner_type for runner in world.runners.all()]
    assert [("2020-11-21T03:19:00.000Z", True), ("2020-11-21T00:19:00.000Z", False)] == [
        (schedule.next_run_at, schedule.active) for schedule in world.pipeline_schedules.all()
    ]
    assert [30, 5] == [len(trigger.token) for trigger in world.triggers.all()]
    assert [20, 20] == [len(runner.token) for runner in world.runners.all() if runner.token != "shared"]


def test_entries_update_what_is_there() -> None:
    """A variable is updated by its key and scope, a trigger and a runner by their token."""
    platform = create_platform(RICH)
    scenario.load(
        platform,
        {
            "variables": [{"key": "A", "value": "new"}],
            "runners": [{"token": "shared", "active": False}],
            "projects": [
                {"path_with_namespace": "acme/site", "triggers": [{"owner": "mia", "token": "known"}]},
            ],
        },
    )
    world = platform.view

    assert {("A", "new"), ("B", "x"), ("C", "long-enough"), ("C", "y")} == {
        (variable.key, variable.value) for variable in world.ci_variables.all()
    }
    assert [False, False, True] == [runner.active for runner in world.runners.all()]
    mia = world.users.find("username", "mia")
    assert mia is not None
    assert {mia.id} == {trigger.owner_id for trigger in world.triggers.all()}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ({"variables": [{"key": "A-B", "value": "x"}]}, "can contain only letters, digits and '_'."),
        ({"variables": [{"key": "A"}]}, "needs 'value'"),
        ({"triggers": [{"owner": "nobody"}]}, "unknown user 'nobody'"),
        (
            {"pipeline_schedules": [{"description": "x", "ref": "x", "cron": "never"}]},
            "is invalid syntax",
        ),
        (
            {"pipeline_schedules": [{"description": "x", "ref": "x", "cron": "@daily", "last_pipeline": 5}]},
            "unknown pipeline 5",
        ),
    ],
)
def test_mistakes_in_projects(entries: dict[str, Any], expected: str) -> None:
    """Mistakes in the CI keys of projects are reported with their location."""
    with pytest.raises(ScenarioError, match=expected):
        create_platform({"extends": "starter", "projects": [{"path_with_namespace": "acme/site", **entries}]})


@pytest.mark.parametrize(
    ("runner", "expected"),
    [
        ({"group": "nowhere"}, "unknown group 'nowhere'"),
        ({"projects": ["acme/nothing"]}, "unknown project 'acme/nothing'"),
        ({"group": "acme", "projects": ["acme/site"]}, "not to both"),
        ({"run_untagged": False}, "can not be empty when runner is not allowed to pick untagged jobs"),
    ],
)
def test_mistakes_in_runners(runner: dict[str, Any], expected: str) -> None:
    """A runner whose entry does not fit a group, projects or the instance is refused with the reason."""
    with pytest.raises(ScenarioError, match=expected):
        create_platform({"extends": "starter", "runners": [runner]})
