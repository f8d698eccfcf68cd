"""CI variables, pipeline schedules and triggers by GraphQL.

Source: docs/platform/graphql.md, docs/platform/variables.md, docs/platform/pipelines-jobs.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ADMINISTRATORS_CHANGE_TRIGGERS, SETTINGS_PATHS_ARE_FOR_OWNERS
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

SITE = {
    "path_with_namespace": "acme/site",
    "variables": [
        {"key": "TOKEN", "value": "hush-hush", "masked": True, "environment_scope": "review/*"},
        {"key": "AREA", "value": "north", "variable_type": "file", "protected": True},
    ],
    "pipeline_schedules": [
        {
            "description": "Nightly",
            "ref": "main",
            "cron": "0 1 * * *",
            "owner": "dev",
            "variables": [{"key": "A", "value": "1"}],
        },
        {"description": "Weekly", "ref": "main", "cron": "0 1 * * 1", "owner": "mia", "active": False},
    ],
    "triggers": [{"description": "Nightly build", "owner": "mia"}],
}
ACME = {"path": "acme", "variables": [{"key": "REGION", "value": "eu", "environment_scope": "production"}]}
pytestmark = pytest.mark.fakeplat(
    version="latest", scenario={"extends": "starter", "groups": [ACME], "projects": [SITE]}
)
VARIABLES = """ciVariables(sort: KEY_ASC) { nodes { id key value variableType protected masked raw hidden
    environmentScope description } }"""


def test_a_project_shows_its_variables(fakeplat: Fakeplat) -> None:
    """Maintainers see the variables of a project with their values, in the order of their keys."""
    first, second = query_project(fakeplat, "mia", VARIABLES)["ciVariables"]["nodes"]

    assert first.pop("id").startswith("gid://gitlab/Ci::Variable/")
    assert {
        "key": "AREA",
        "value": "north",
        "variableType": "FILE",
        "protected": True,
        "masked": False,
        "raw": False,
        "hidden": False,
        "environmentScope": "*",
        "description": None,
    } == first
    assert ("TOKEN", "hush-hush", "review/*") == (second["key"], second["value"], second["environmentScope"])


def test_a_hidden_variable_shows_no_value(fakeplat: Fakeplat) -> None:
    """The value of a hidden variable is null."""
    fakeplat.as_user("mia").post(
        "projects/acme%2Fsite/variables", json={"key": "ZED", "value": "never-shown", "masked_and_hidden": True}
    )
    last = query_project(fakeplat, "mia", "ciVariables(sort: KEY_DESC) { nodes { key value hidden } }")["ciVariables"]

    assert {"key": "ZED", "value": None, "hidden": True} == last["nodes"][0]


@pytest.mark.parametrize("by", ["dev", "gus"])
def test_variables_are_for_those_who_administer_them(fakeplat: Fakeplat, by: str) -> None:
    """Developers and Guests get null for variables of projects, of groups and of the instance."""
    fields = f"{VARIABLES} inheritedCiVariables {{ nodes {{ key }} }}"
    shown = query_project(fakeplat, by, fields)
    query = '{ group(fullPath: "acme") { ciVariables { nodes { key } } } ciVariables { nodes { key } } }'
    others = query_data(fakeplat, by, query)

    assert {"ciVariables": None, "inheritedCiVariables": None} == shown
    assert {"group": {"ciVariables": None}, "ciVariables": None} == others


def test_a_project_inherits_variables_of_its_groups(fakeplat: Fakeplat) -> None:
    """A project shows the variables of the groups above it, and a group the environment scopes of its own ones."""
    fields = "inheritedCiVariables { nodes { key environmentScope groupName groupCiCdSettingsPath } }"
    query = """{ group(fullPath: "acme") { ciVariables { limit nodes { key value } }
        none: environmentScopes(name: "x") { nodes { name } }
        environmentScopes { nodes { name } } } }"""
    group = query_data(fakeplat, "ada", query)["group"]

    for caller, path in (("mia", None), ("ada", "/groups/acme/-/settings/ci_cd")):
        (variable,) = query_project(fakeplat, caller, fields)["inheritedCiVariables"]["nodes"]
        assert ("REGION", "production", "Acme", path) == tuple(variable.values())
    assert {"limit": 30_000, "nodes": [{"key": "REGION", "value": "eu"}]} == group["ciVariables"]
    assert [] == group["none"]["nodes"]
    assert {"limit": 8_000} == query_project(fakeplat, "mia", "ciVariables { limit }")["ciVariables"]
    assert [{"name": "production"}] == group["environmentScopes"]["nodes"]


def test_administrators_see_the_variables_of_the_instance(fakeplat: Fakeplat) -> None:
    """Variables of the instance have no environment scope."""
    fakeplat.as_user("root").post("admin/ci/variables", json={"key": "PROXY", "value": "none"})
    data = query_data(fakeplat, "root", "{ ciVariables { nodes { key value environmentScope } } }")

    assert [{"key": "PROXY", "value": "none", "environmentScope": None}] == data["ciVariables"]["nodes"]


# Schedules

SCHEDULES = """pipelineSchedules { count nodes { id description active cron cronTimezone ref refForDisplay refPath
    forTag editPath owner { username } variables { nodes { id key value variableType } }
    userPermissions { updatePipelineSchedule playPipelineSchedule adminPipelineSchedule } } }"""


def list_schedules(fake: Fakeplat, by: str) -> Any:
    return query_project(fake, by, SCHEDULES)["pipelineSchedules"]["nodes"]


def test_a_schedule_shows_what_its_owner_may_do(fakeplat: Fakeplat) -> None:
    """The owner of a schedule sees its variables and may delete it; a protected branch is for those who may push."""
    nightly, _ = list_schedules(fakeplat, "dev")
    (variable,) = nightly.pop("variables")["nodes"]

    assert {
        "description": "Nightly",
        "active": True,
        "cron": "0 1 * * *",
        "cronTimezone": "UTC",
        "ref": "main",
        "refForDisplay": "main",
        "refPath": "/acme/site/-/commits/main",
        "forTag": False,
        "editPath": None,
        "owner": {"username": "dev"},
        "userPermissions": {
            "updatePipelineSchedule": False,
            "playPipelineSchedule": False,
            "adminPipelineSchedule": True,
        },
    } == {key: value for key, value in nightly.items() if key != "id"}
    assert ("A", "1", "ENV_VAR") == (variable["key"], variable["value"], variable["variableType"])


def test_others_see_neither_variables_nor_the_path_of_changes(fakeplat: Fakeplat) -> None:
    """Reporters see schedules without variables, and may not change them."""
    nightly, _ = list_schedules(fakeplat, "rep")

    assert (None, None) == (nightly["variables"], nightly["editPath"])
    assert {False} == {*nightly["userPermissions"].values()}


def test_schedules_are_filtered_and_ordered(fakeplat: Fakeplat) -> None:
    """Schedules are filtered by status and ids, and ordered by a field."""
    number = list_schedules(fakeplat, "dev")[0]["id"].rpartition("/")[2]
    fields = f"""inactive: pipelineSchedules(status: INACTIVE) {{ nodes {{ description }} }}
        all: pipelineSchedules(ids: []) {{ nodes {{ description }} }}
        one: pipelineSchedules(ids: ["{number}"]) {{ nodes {{ description }} }}
        sorted: pipelineSchedules(sort: DESCRIPTION_DESC) {{ nodes {{ description }} }}"""
    shown = query_project(fakeplat, "dev", fields)

    assert [["Weekly"], ["Nightly"], ["Nightly", "Weekly"], ["Weekly", "Nightly"]] == [
        [row["description"] for row in shown[key]["nodes"]] for key in ("inactive", "one", "all", "sorted")
    ]


def test_a_schedule_is_created_and_changed(fakeplat: Fakeplat) -> None:
    """A schedule is created with variables; an update changes, removes and adds them."""
    fields = """pipelineSchedule { id description active ref refForDisplay forTag editPath
        variables { nodes { id key value } } }"""
    variables = [{"key": key, "value": "1", "variableType": "ENV_VAR"} for key in ("X", "Y")]
    given = {
        "projectPath": "acme/site",
        "description": "Hourly",
        "cron": "0 * * * *",
        "ref": "main",
        "active": False,
        "variables": variables,
    }
    create = write_mutation("pipelineScheduleCreate", fields)
    schedule = query_data(fakeplat, "mia", create, input=given)["pipelineScheduleCreate"]["pipelineSchedule"]
    first, second = schedule["variables"]["nodes"]
    changes = [
        {**variables[0], "id": first["id"], "value": "2"},
        {**variables[1], "id": second["id"], "destroy": True},
        {"key": "Z", "value": "3", "variableType": "FILE"},
    ]
    update = write_mutation("pipelineScheduleUpdate", fields)
    sent = {"id": schedule["id"], "active": True, "variables": changes}
    changed = query_data(fakeplat, "mia", update, input=sent)["pipelineScheduleUpdate"]["pipelineSchedule"]

    assert ("Hourly", False, "main") == (schedule["description"], schedule["active"], schedule["ref"])
    assert f"/acme/site/-/pipeline_schedules/{schedule['id'].rpartition('/')[2]}/edit" == schedule["editPath"]
    assert (True, "main", False) == (changed["active"], changed["refForDisplay"], changed["forTag"])
    assert {("X", "2"), ("Z", "3")} == {(row["key"], row["value"]) for row in changed["variables"]["nodes"]}


def test_a_schedule_with_an_invalid_cron_is_refused(fakeplat: Fakeplat) -> None:
    """An invalid cron expression is an error of the payload."""
    create = write_mutation("pipelineScheduleCreate", "pipelineSchedule { id }")
    given = {"projectPath": "acme/site", "description": "Bad", "cron": "never", "ref": "main"}
    content = query_refused(fakeplat, "mia", create, input=given)

    assert {"pipelineSchedule": None, "errors": ["Cron syntax is invalid"]} == content["data"]["pipelineScheduleCreate"]


def test_a_schedule_keeps_to_open_branches_and_variables(fakeplat: Fakeplat) -> None:
    """Schedules of protected branches, and variables of those who may give none, are errors of the payload."""
    client = fakeplat.as_user("mia")
    assert 201 == client.post("projects/acme%2Fsite/repository/branches?branch=open&ref=main").status
    role = {"ci_pipeline_variables_minimum_override_role": "maintainer"}
    assert 200 == client.put("projects/acme%2Fsite", json=role).status
    given = {"projectPath": "acme/site", "description": "Hourly", "cron": "0 * * * *", "ref": "open"}
    create = write_mutation("pipelineScheduleCreate", "pipelineSchedule { id }")
    made = query_data(fakeplat, "dev", create, input=given)["pipelineScheduleCreate"]["pipelineSchedule"]
    update = write_mutation("pipelineScheduleUpdate", "pipelineSchedule { id }")
    variables = [{"key": "X", "value": "1", "variableType": "ENV_VAR"}]

    for changes, message in (
        ({"ref": "main"}, "The current user is not authorized to {} the pipeline schedule"),
        ({"variables": variables}, "The current user is not authorized to set pipeline schedule variables"),
    ):
        created = query_refused(fakeplat, "dev", create, input={**given, **changes})["data"]["pipelineScheduleCreate"]
        sent = {"id": made["id"], **changes}
        updated = query_refused(fakeplat, "dev", update, input=sent)["data"]["pipelineScheduleUpdate"]
        assert {"pipelineSchedule": None, "errors": [message.format("create")]} == created
        assert {"pipelineSchedule": made, "errors": [message.format("update")]} == updated


def test_a_schedule_is_played_taken_over_and_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers take over a schedule, play it and delete it."""
    nightly, _ = list_schedules(fakeplat, "mia")
    given = {"id": nightly["id"]}
    take = write_mutation("pipelineScheduleTakeOwnership", "pipelineSchedule { owner { username } }")
    taken = query_data(fakeplat, "mia", take, input=given)["pipelineScheduleTakeOwnership"]
    play = write_mutation("pipelineSchedulePlay", "pipelineSchedule { id }")
    played = query_data(fakeplat, "mia", play, input=given)["pipelineSchedulePlay"]
    delete = write_mutation("pipelineScheduleDelete", "")

    assert {"pipelineSchedule": {"owner": {"username": "mia"}}, "errors": []} == taken
    assert {"pipelineSchedule": given, "errors": []} == played
    assert {"errors": []} == query_data(fakeplat, "mia", delete, input=given)["pipelineScheduleDelete"]
    assert ["Weekly"] == [row["description"] for row in list_schedules(fakeplat, "mia")]


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("pipelineScheduleUpdate", "mia"),
        ("pipelineScheduleTakeOwnership", "rep"),
        ("pipelineSchedulePlay", "rep"),
        ("pipelineScheduleDelete", "rep"),
    ],
)
def test_who_may_not_change_a_schedule_is_refused(fakeplat: Fakeplat, name: str, by: str) -> None:
    """Maintainers change no schedules of others, and Reporters neither play nor delete them."""
    nightly, _ = list_schedules(fakeplat, "dev")
    content = query_refused(fakeplat, by, write_mutation(name, ""), input={"id": nightly["id"]})

    assert [NOT_AVAILABLE] == list_messages(content)


# Triggers

TRIGGERS = """pipelineTriggers { count nodes { id description token hasTokenExposed canAccessProject lastUsed
    owner { username } } }"""


def test_a_trigger_shows_its_token_to_its_owner(fakeplat: Fakeplat) -> None:
    """Only the owner of a trigger sees its whole token; Developers see no triggers."""
    triggers = {by: query_project(fakeplat, by, TRIGGERS)["pipelineTriggers"] for by in ("mia", "ada", "dev")}
    own, other = (triggers[by]["nodes"][0] for by in ("mia", "ada"))

    assert (True, True, {"username": "mia"}) == (own["hasTokenExposed"], own["canAccessProject"], own["owner"])
    assert (False, own["token"][:4]) == (other["hasTokenExposed"], other["token"])
    assert None is triggers["dev"]


@by_release(ADMINISTRATORS_CHANGE_TRIGGERS, "expected", {"18.1": False, "18.2": True})
def test_administrators_change_triggers(fakeplat: Fakeplat, expected: bool) -> None:
    """Administrators see the tokens of others and change them in later releases."""
    (trigger,) = query_project(fakeplat, "root", TRIGGERS)["pipelineTriggers"]["nodes"]
    update = write_mutation("pipelineTriggerUpdate", "pipelineTrigger { description }")
    given = {"id": trigger["id"], "description": "Rare"}
    changed = post_query(fakeplat, "root", update, input=given)["data"]["pipelineTriggerUpdate"]

    assert (expected, expected) == (trigger["hasTokenExposed"], changed is not None)


@by_release(SETTINGS_PATHS_ARE_FOR_OWNERS, "expected", {"18.1": "/groups/acme/-/settings/ci_cd", "18.2": None})
def test_paths_of_settings_are_for_owners(fakeplat: Fakeplat, expected: str | None) -> None:
    """Who may not change the variables of a group sees no path of its settings in later releases."""
    fields = "inheritedCiVariables { nodes { groupCiCdSettingsPath } }"
    (variable,) = query_project(fakeplat, "mia", fields)["inheritedCiVariables"]["nodes"]

    assert {"groupCiCdSettingsPath": expected} == variable


def test_a_trigger_is_created_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers create a trigger, change its description and delete it."""
    create = write_mutation("pipelineTriggerCreate", "pipelineTrigger { id description hasTokenExposed }")
    given = {"projectPath": "acme/site", "description": "Weekly build"}
    trigger = query_data(fakeplat, "mia", create, input=given)["pipelineTriggerCreate"]["pipelineTrigger"]
    update = write_mutation("pipelineTriggerUpdate", "pipelineTrigger { description }")
    changed = query_data(fakeplat, "mia", update, input={"id": trigger["id"], "description": "Rare build"})
    delete = write_mutation("pipelineTriggerDelete", "")

    assert ("Weekly build", True) == (trigger["description"], trigger["hasTokenExposed"])
    assert {"description": "Rare build"} == changed["pipelineTriggerUpdate"]["pipelineTrigger"]
    assert {"errors": []} == query_data(fakeplat, "mia", delete, input={"id": trigger["id"]})["pipelineTriggerDelete"]
    assert 1 == query_project(fakeplat, "mia", TRIGGERS)["pipelineTriggers"]["count"]


@pytest.mark.parametrize(("name", "by"), [("pipelineTriggerUpdate", "ada"), ("pipelineTriggerDelete", "dev")])
def test_who_may_not_change_a_trigger_is_refused(fakeplat: Fakeplat, name: str, by: str) -> None:
    """Triggers are changed by their owners only, and deleted by Maintainers."""
    trigger = query_project(fakeplat, "mia", TRIGGERS)["pipelineTriggers"]["nodes"][0]
    given = {"id": trigger["id"], **({"description": "New"} if name.endswith("Update") else {})}
    content = query_refused(fakeplat, by, write_mutation(name, ""), input=given)

    assert [NOT_AVAILABLE] == list_messages(content)
