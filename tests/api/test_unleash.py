"""The Unleash API, with which applications read feature flags. Source: docs/platform/feature-flags.md ('Unleash')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LEGACY_FEATURE_FLAGS, UNLEASH_PROJECTS_ARE_IDS
from fakeplat.scenario.export import export_world
from tests.api.requests import UNAUTHORIZED, outcome
from tests.by_release import by_release

INSTANCE_ID = "site-instance-id"
PATH = "feature_flags/unleash/acme%2Fsite"
DEFAULT = {"name": "default", "parameters": {}}
GRADUAL = {"name": "gradualRolloutUserId", "parameters": {"groupId": "default", "percentage": "50"}}
USERS = {"name": "userWithId", "parameters": {"userIds": "max,fred"}}
SCENARIO = {
    "users": [{"username": "ada"}],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "members": {"ada": "owner"},
            "projects": [
                {"path": "site", "visibility": "private", "unleash_instance_id": INSTANCE_ID},
                {"path": "docs", "visibility": "public"},
            ],
        }
    ],
}

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)


def read_unleash(fake: Fakeplat, app_name: str | None, path: str = f"{PATH}/client/features") -> Any:
    headers = {"UNLEASH-INSTANCEID": INSTANCE_ID, **({"UNLEASH-APPNAME": app_name} if app_name else {})}
    reply = fake.as_user(None).get(path, headers=headers)
    assert 200 == reply.status, reply
    return reply.json()


def list_features(fake: Fakeplat, app_name: str | None) -> Any:
    return read_unleash(fake, app_name)["features"]


def load_flags(fake: Fakeplat, *flags: dict[str, Any], **project: Any) -> None:
    fragment = {"path": "site", **project, "feature_flags": list(flags)}
    fake.load({"groups": [{"path": "acme", "projects": [fragment]}]})


def build_legacy_flag(name: str, *scopes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": name, "scopes": [{"environment_scope": "*", "active": True}, *scopes], **fields}


def build_flag(name: str, *strategies: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": name, "strategies": list(strategies), **fields}


@pytest.mark.parametrize("path", [PATH, f"{PATH}/features", f"{PATH}/client/features"])
@pytest.mark.parametrize(
    ("params", "headers"),
    [
        ({}, {}),
        ({"instance_id": "other"}, {}),
        ({}, {"Unleash-InstanceId": "other"}),
        ({"instance_id": INSTANCE_ID}, {"Unleash-InstanceId": "other"}),
    ],
)
def test_an_application_needs_the_instance_id_of_the_project(
    fakeplat: Fakeplat, path: str, params: dict[str, str], headers: dict[str, str]
) -> None:
    """Without the project's instance id the answer is 401; the header beats the parameter."""
    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get(path, params=params, headers=headers))
    assert UNAUTHORIZED == outcome(fakeplat.as_user("ada").get(path, params=params, headers=headers))


@pytest.mark.parametrize("path", ["client/register", "client/metrics"])
def test_reports_need_the_instance_id(fakeplat: Fakeplat, path: str) -> None:
    """Registrations and metrics without the instance id are 401."""
    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).post(f"{PATH}/{path}", json={"appName": "production"}))


def test_an_unknown_project_is_unauthorized(fakeplat: Fakeplat) -> None:
    """An instance id says nothing about projects that do not exist, or about others."""
    for project in ("5000", "acme%2Fnothing", "acme%2Fdocs"):
        path = f"feature_flags/unleash/{project}/client/features"
        assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get(path, params={"instance_id": INSTANCE_ID}))


@pytest.mark.parametrize("path", ["features", "client/features"])
def test_flags_are_read_by_parameters_or_headers(fakeplat: Fakeplat, path: str) -> None:
    """The instance id and the application's name are headers or parameters; the project is an id or a full path."""
    load_flags(fakeplat, build_flag("fresh", DEFAULT, description="New design"))
    expected = {
        "version": 1,
        "features": [{"name": "fresh", "description": "New design", "enabled": True, "strategies": [DEFAULT]}],
    }
    id_ = fakeplat.world.project("acme/site").id

    assert expected == read_unleash(fakeplat, "production", f"{PATH}/{path}")
    params = {"instance_id": INSTANCE_ID, "app_name": "production"}
    by_id = fakeplat.as_user(None).get(f"feature_flags/unleash/{id_}/{path}", params=params)
    assert (200, expected) == outcome(by_id)


@by_release(UNLEASH_PROJECTS_ARE_IDS, "status", {"16.10": 200, "16.11": 401})
def test_later_releases_find_the_project_by_id_only(fakeplat: Fakeplat, status: int) -> None:
    """The path of a project finds it in early releases, its id in all of them."""
    id_ = fakeplat.world.project("acme/site").id
    for project, expected in (("acme%2Fsite", status), (id_, 200)):
        path = f"feature_flags/unleash/{project}/client/features"
        assert expected == fakeplat.as_user(None).get(path, params={"instance_id": INSTANCE_ID}).status


def test_readers_may_revalidate(fakeplat: Fakeplat) -> None:
    """The entity tag changes with the flags of the environment."""
    load_flags(fakeplat, build_flag("fresh", DEFAULT))
    id_ = fakeplat.world.project("acme/site").id
    path, headers = f"feature_flags/unleash/{id_}/client/features", {"UNLEASH-INSTANCEID": INSTANCE_ID}
    tag = fakeplat.as_user(None).get(path, headers={**headers, "UNLEASH-APPNAME": "staging"}).headers["ETag"]
    known = {**headers, "UNLEASH-APPNAME": "staging", "If-None-Match": tag}
    assert 304 == fakeplat.as_user(None).get(path, headers=known).status

    load_flags(fakeplat, build_flag("other", DEFAULT))
    assert 200 == fakeplat.as_user(None).get(path, headers=known).status


def test_flexible_rollouts_are_shown(fakeplat: Fakeplat) -> None:
    """A flexible rollout has its group, percentage and stickiness; a flag that is off is shown as such."""
    rollout = {"name": "flexibleRollout", "parameters": {"groupId": "a", "rollout": "15", "stickiness": "DEFAULT"}}
    load_flags(fakeplat, build_flag("fresh", rollout, active=False))

    assert [{"name": "fresh", "enabled": False, "strategies": [rollout]}] == list_features(fakeplat, "production")


def test_without_a_name_of_the_application_there_are_no_features(fakeplat: Fakeplat) -> None:
    """The application's name is the environment; without one the list is empty."""
    load_flags(fakeplat, build_flag("fresh", DEFAULT))

    assert {"version": 1, "features": []} == read_unleash(fakeplat, None)


@pytest.mark.parametrize("method", ["register", "metrics"])
def test_reports_of_applications_are_accepted(fakeplat: Fakeplat, method: str) -> None:
    """Registrations and metrics are 200 and change nothing; their fields are no unknown parameters."""
    before = fakeplat.world.project("acme/site")
    headers = {"UNLEASH-INSTANCEID": INSTANCE_ID}
    body = {"appName": "production", "instanceId": INSTANCE_ID, "strategies": ["default"]}
    reply = fakeplat.as_user(None).post(f"{PATH}/client/{method}", json=body, headers=headers)

    assert (200, 200) == outcome(reply)
    assert None is fakeplat.requests[-1].reason
    assert before == fakeplat.world.project("acme/site")
    assert (200, 200) == outcome(fakeplat.as_user(None).get(PATH, headers=headers))


def test_the_most_specific_scope_of_a_legacy_flag_decides(fakeplat: Fakeplat) -> None:
    """The name of the environment beats a pattern, and a pattern the scope of all environments."""
    scopes = [
        {"environment_scope": "production", "active": False, "strategies": [USERS]},
        {"environment_scope": "review/*", "active": True, "strategies": [GRADUAL]},
        {"environment_scope": "review/one", "active": True, "strategies": [USERS, GRADUAL]},
    ]
    load_flags(fakeplat, build_legacy_flag("fresh", *scopes))
    states = {
        name: [(feature["enabled"], feature["strategies"]) for feature in list_features(fakeplat, name)]
        for name in ("staging", "production", "review/two", "review/one")
    }
    assert {
        "staging": [(True, [DEFAULT])],
        "production": [(False, [USERS])],
        "review/two": [(True, [GRADUAL])],
        "review/one": [(True, [USERS, GRADUAL])],
    } == states


def test_a_legacy_flag_that_is_off_is_off_in_each_environment(fakeplat: Fakeplat) -> None:
    """A feature is enabled if its flag and the scope are active."""
    load_flags(fakeplat, build_legacy_flag("fresh", {"environment_scope": "production", "active": True}, active=False))

    assert [{"name": "fresh", "enabled": False, "strategies": [DEFAULT]}] == list_features(fakeplat, "production")


def test_only_strategies_of_the_environment_are_shown(fakeplat: Fakeplat) -> None:
    """A flag of the second version shows the strategies with a matching scope, each once; without any it is absent."""
    load_flags(
        fakeplat,
        build_flag("several", {**USERS, "scopes": ["*"]}, {**GRADUAL, "scopes": ["production", "prod*"]}),
        build_flag("staging-only", {**DEFAULT, "scopes": ["staging"]}),
        build_flag("none"),
        build_flag("off", DEFAULT, active=False),
    )
    assert [
        {"name": "several", "enabled": True, "strategies": [USERS, GRADUAL]},
        {"name": "off", "enabled": False, "strategies": [DEFAULT]},
    ] == list_features(fakeplat, "production")


def test_a_strategy_without_scopes_applies_nowhere(fakeplat: Fakeplat) -> None:
    """The API creates strategies without scopes; applications do not see them."""
    body = {"name": "fresh", "version": "new_version_flag", "strategies": [DEFAULT]}
    fakeplat.as_user("ada").post("projects/acme%2Fsite/feature_flags", json=body)

    assert [] == list_features(fakeplat, "production")


def test_a_user_list_is_shown_as_its_users(fakeplat: Fakeplat) -> None:
    """Applications know no lists of the platform, so they get ``userWithId``, also after the list changed."""
    user_list = {"name": "testers", "user_xids": "max,fred"}
    strategy = {"name": "gitlabUserList", "parameters": {}, "user_list": "testers"}
    load_flags(fakeplat, build_flag("fresh", strategy), feature_flag_user_lists=[user_list])
    assert [{"name": "fresh", "enabled": True, "strategies": [USERS]}] == list_features(fakeplat, "production")

    changed = {"user_xids": "max"}
    fakeplat.as_user("ada").put("projects/acme%2Fsite/feature_flags_user_lists/1", json=changed)
    expected = [{"name": "userWithId", "parameters": {"userIds": "max"}}]
    assert [expected] == [feature["strategies"] for feature in list_features(fakeplat, "production")]


def test_legacy_flags_come_first(fakeplat: Fakeplat) -> None:
    """Flags of the first version precede the others, the last created first."""
    load_flags(
        fakeplat,
        build_flag("new-a", DEFAULT),
        build_legacy_flag("old-a"),
        build_flag("new-b", DEFAULT),
        build_legacy_flag("old-b"),
    )

    assert ["old-b", "old-a", "new-a", "new-b"] == [
        feature["name"] for feature in list_features(fakeplat, "production")
    ]


@by_release(LEGACY_FEATURE_FLAGS, "shown", {"13.12": ["old-a", "new-a"], "14.0": ["new-a"]})
def test_legacy_flags_are_not_shown_from_14_0_on(fakeplat: Fakeplat, shown: list[str]) -> None:
    """Applications no longer see flags of the first version."""
    load_flags(fakeplat, build_flag("new-a", DEFAULT), build_legacy_flag("old-a"))

    assert shown == [feature["name"] for feature in list_features(fakeplat, "production")]


def test_a_project_without_repository_still_shows_its_flags(fakeplat: Fakeplat) -> None:
    """Applications read flags whatever the project's visibility and repository."""
    load_flags(fakeplat, build_flag("fresh", DEFAULT))
    closed = {"repository_access_level": "disabled", "merge_requests_access_level": "disabled"}
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={**closed, "builds_access_level": "disabled"})

    assert ["fresh"] == [feature["name"] for feature in list_features(fakeplat, "production")]


def test_an_instance_id_is_generated_and_exported(fakeplat: Fakeplat) -> None:
    """A project has an instance id of its own, which tests and scenarios read as ``unleash_instance_id``."""
    docs = fakeplat.world.project("acme/docs").unleash_instance_id
    assert 20 == len(docs)
    path = "feature_flags/unleash/acme%2Fdocs/client/features"
    assert 200 == fakeplat.as_user(None).get(path, params={"instance_id": docs}).status
    projects = export_world(fakeplat.bench.platform)["projects"]
    instance_ids = {project["path_with_namespace"]: project["unleash_instance_id"] for project in projects}
    assert {"acme/site": INSTANCE_ID, "acme/docs": docs} == instance_ids


def test_the_journal_hides_the_instance_id(fakeplat: Fakeplat) -> None:
    """The instance id is a secret, so the journal masks the parameter."""
    fakeplat.as_user(None).get(f"{PATH}/features", params={"instance_id": INSTANCE_ID, "app_name": "production"})

    assert INSTANCE_ID not in fakeplat.requests[-1].path
