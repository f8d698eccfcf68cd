"""Deploy keys, deploy tokens, freeze periods and feature flags in scenarios, and back."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export
from tests.ssh_keys import ED25519, RSA

VIEWERS = ("root", "rep")
TIMES = {"created_at": "2020-11-01T00:00:00.000Z", "updated_at": "2020-11-02T00:00:00.000Z"}
SITE: dict[str, Any] = {
    "deploy_tokens": [
        {
            "name": "ci",
            "username": "deployer",
            "value": "deploy-secret",
            "scopes": ["read_repository", "read_registry"],
            "expires_at": "2030-01-01T00:00:00.000Z",
            "revoked": True,
            "created_at": TIMES["created_at"],
        },
    ],
    "freeze_periods": [
        {"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1", "cron_timezone": "Berlin", **TIMES},
    ],
    "feature_flags": [
        {
            "name": "legacy",
            "iid": 3,
            "description": "Old",
            "active": False,
            "version": "legacy_flag",
            **TIMES,
            "scopes": [
                {"environment_scope": "*", **TIMES},
                {
                    "environment_scope": "review/*",
                    "active": True,
                    "strategies": [{"name": "userWithId", "parameters": {"userIds": "a,b"}}],
                    **TIMES,
                },
            ],
        },
        {
            "name": "rollout",
            "iid": 4,
            "version": "new_version_flag",
            **TIMES,
            "strategies": [
                {"name": "default"},
                {
                    "name": "gradualRolloutUserId",
                    "parameters": {"groupId": "default", "percentage": "50"},
                    "scopes": ["staging", "production"],
                },
                {"name": "gitlabUserList", "scopes": [], "user_list": "testers"},
            ],
        },
    ],
    "feature_flag_user_lists": [{"name": "testers", "iid": 2, "user_xids": "a,b", **TIMES}],
}
KEYS: list[dict[str, Any]] = [
    {"title": "laptop", "key": RSA, "user": "dev", "projects": {"acme/site": True, "acme/docs": False}, **TIMES},
    {"title": "all", "key": ED25519, "public": True, "expires_at": "2030-01-01T00:00:00.000Z", **TIMES},
]
SAID: dict[str, Any] = {
    "extends": "starter",
    "projects": [{"path_with_namespace": "acme/site", **SITE}],
    "deploy_keys": KEYS,
}


def export_key(platform: Any, key: str) -> Any:
    (site,) = [
        project
        for project in scenario.export_world(platform)["projects"]
        if project["path_with_namespace"] == "acme/site"
    ]
    return site[key]


@pytest.mark.parametrize("key", SITE)
def test_deployments_of_a_project_are_exported(key: str) -> None:
    """The export of a project repeats every declared deployment key."""
    assert SITE[key] == export_key(create_platform(SAID), key)


def test_deploy_keys_are_exported_with_their_projects() -> None:
    """A deploy key is exported once, with all its projects."""
    assert KEYS == scenario.export_world(create_platform(SAID))["deploy_keys"]


@pytest.mark.parametrize("version", ["13.5.1", "latest"])
def test_it_is_the_same_after_a_round_trip(version: str) -> None:
    """Every viewer gets the same responses about deployments after a round trip."""
    platform = create_platform({**SAID, "instance": {"version": version}})
    before = collect_responses(platform, VIEWERS)
    assert all(status < 500 for status, _ in before.values())
    assert [] == list(compare_values(before, collect_responses(reload_export(platform), VIEWERS)))


def test_the_schema_knows_all_keys() -> None:
    """The schema accepts a scenario with all keys of deployments."""
    assert [] == list(build_validator().iter_errors(SAID))


def test_defaults_are_chosen() -> None:
    """Deploy tokens, feature flags and strategies that are given by name only get the defaults of the platform."""
    keys = {
        "deploy_tokens": [{"name": "ci"}],
        "feature_flags": ["on", {"name": "more", "strategies": [{"name": "default"}]}],
    }
    platform = create_platform({"extends": "starter", "projects": [{"path_with_namespace": "acme/site", **keys}]})
    (token,) = platform.view.deploy_tokens.all()
    flags = {flag.name: flag for flag in platform.view.feature_flags.all()}

    assert (f"platform+deploy-token-{token.id}", ("read_repository",)) == (token.username, token.scopes)
    assert {"new_version_flag"} == {flag.version for flag in flags.values()}
    assert ["*"] == [scope.environment_scope for scope in flags["more"].strategies[0].scopes]


def test_a_fragment_can_be_loaded_twice() -> None:
    """Loading the same fragment twice updates flags, user lists, deploy keys and tokens; it adds none."""
    platform = create_platform(SAID)
    keys = {key: SITE[key] for key in ("deploy_tokens", "feature_flags", "feature_flag_user_lists")}
    fragment = {"projects": [{"path_with_namespace": "acme/site", **keys}], "deploy_keys": KEYS}
    before = scenario.export_world(platform)
    scenario.load(platform, fragment)

    assert before == scenario.export_world(platform)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"freeze_periods": [{"freeze_start": "x", "freeze_end": "0 7 * * 1"}]}, "is invalid syntax"),
        ({"feature_flags": ["Upper"]}, "Name can contain only lowercase letters"),
        (
            {
                "feature_flag_user_lists": ["testers"],
                "feature_flags": [{"name": "on", "strategies": [{"name": "gitlabUserList", "user_list": "tester"}]}],
            },
            "unknown user list 'tester'",
        ),
        ({"deploy_tokens": [{"name": "x", "scopes": ["api"]}]}, "scopes"),
    ],
    ids=["freeze period", "flag", "user list", "token"],
)
def test_mistakes_are_reported(keys: dict[str, Any], expected: str) -> None:
    """A mistake in deployments is refused with the platform's text or the nearest name."""
    with pytest.raises(ScenarioError, match=expected):
        create_platform({"extends": "starter", "projects": [{"path_with_namespace": "acme/site", **keys}]})
