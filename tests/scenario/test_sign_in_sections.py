"""OAuth applications and single sign-on in scenarios, and back."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.worlds import create_platform, reload_export

TIME = "2020-11-19T09:00:00.000Z"
WORLD: dict[str, Any] = {
    "extends": "starter",
    "instance": {"hosted": True, "tier": "premium"},
    "groups": [{"full_path": "acme", "scim": {"token": "scim", "default_membership_role": "developer"}}],
    "users": [
        {
            "username": "dev",
            "identities": [
                {"provider": "group_saml", "extern_uid": "1", "group": "acme", "active": False},
                {"provider": "github", "extern_uid": "1"},
            ],
            "tokens": [
                {"value": "t", "kind": "oauth", "application": "app", "refresh_token": "r", "scopes": ["openid"]},
                {"value": "s", "kind": "session", "expires_at": "2020-12-01T00:00:00.000Z"},
            ],
        }
    ],
    "applications": [
        {
            "name": "App",
            "uid": "app",
            "secret": "secret",
            "redirect_uri": "https://x.test",
            "scopes": ["api", "openid"],
            "created_at": TIME,
            "trusted": True,
            "authorization_grants": [
                {
                    "user": "dev",
                    "code": "code",
                    "scopes": ["api"],
                    "code_challenge": "x",
                    "code_challenge_method": "plain",
                    "created_at": TIME,
                }
            ],
            "device_grants": [
                {"device_code": "d", "user_code": "AB12CD34", "scopes": ["api"], "created_at": TIME},
                {"device_code": "e", "user": "dev", "last_polled_at": TIME, "created_at": TIME},
            ],
            "application_tokens": [{"value": "a", "scopes": ["api"], "revoked": True, "created_at": TIME}],
        },
        {"name": "Own", "uid": "own", "redirect_uri": "https://x.test", "owner": "dev", "confidential": False},
    ],
}


CHANGES: dict[str, Any] = {
    "applications": [
        {
            "uid": "app",
            "name": "Renamed",
            "redirect_uri": "https://x.test",
            "authorization_grants": [{"user": "dev", "code": "code", "revoked": True}],
            "device_grants": [{"device_code": "d", "user": "dev"}],
            "application_tokens": [{"value": "a", "revoked": False}],
        }
    ],
}


def list_facts(platform: Platform) -> Any:
    """What there is, without ids."""
    world: World = platform.view
    uids = {application.id: application.uid for application in world.oauth_applications.all()}
    names = {user.id: user.username for user in world.users.all()} | {None: None}
    applications = [
        (
            *(row.uid, row.secret, row.name, row.redirect_uri, row.scopes, row.created_at, row.updated_at),
            *(row.confidential, row.trusted, names[row.owner_id], row.dynamic, row.device_code_enabled),
        )
        for row in world.oauth_applications.all()
    ]
    grants = [
        (
            *(uids[row.application_id], names[row.user_id], row.code, row.redirect_uri, row.scopes, row.created_at),
            *(row.code_challenge, row.code_challenge_method, row.revoked),
        )
        for row in world.authorization_grants.all()
    ]
    devices = [
        (
            *(uids[row.application_id], names[row.user_id], row.device_code, row.user_code, row.scopes),
            *(row.created_at, row.last_polled_at),
        )
        for row in world.device_grants.all()
    ]
    tokens = sorted(
        (
            *(row.value, names[row.user_id] or "", row.kind, row.scopes, row.refresh_token or "", row.revoked),
            *(uids.get(row.application_id or 0, ""), row.created_at, row.expires_at or ""),
        )
        for row in world.tokens.all()
    )
    providers = [(row.scim_token, row.enabled, row.default_membership_role) for row in world.saml_providers.all()]
    identities = [
        (names[row.user_id], row.provider, row.extern_uid, row.saml_provider_id is not None, row.active)
        for row in world.identities.all()
    ]
    return applications, grants, tokens, providers, identities, devices


def test_applications_and_sign_on_survive_a_round_trip() -> None:
    """Applications, grants, OAuth tokens, devices, SAML providers and identities survive a round trip."""
    platform = create_platform(WORLD)
    applications, grants, tokens, providers, identities, devices = list_facts(platform)

    assert [("app", "secret"), ("own", applications[1][1])] == [row[:2] for row in applications]
    assert [
        ("app", "dev", "code", "https://x.test", ("api",), TIME, "x", "plain", False),
    ] == grants
    assert [
        ("app", None, "d", "AB12CD34", ("api",), TIME, None),
        ("app", "dev", "e", None, (), TIME, TIME),
    ] == devices
    assert ("a", "", "oauth", ("api",), "", True, "app", TIME, "") in tokens
    assert ("t", "dev", "oauth", ("openid",), "r", False, "app") in [row[:7] for row in tokens]
    assert [("scim", True, 30)] == providers
    assert [("dev", "group_saml", "1", True, False), ("dev", "github", "1", False, True)] == identities
    assert list_facts(platform) == list_facts(reload_export(platform))


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        (
            {"users": [{"username": "dev", "tokens": [{"value": "t", "kind": "oauth", "application": "x"}]}]},
            "unknown application 'x'",
        ),
        (
            {"users": [{"username": "dev", "identities": [{"provider": "p", "extern_uid": "1", "group": "acme"}]}]},
            "has no key scim",
        ),
        ({"applications": [{"name": "x", "redirect_uri": "javascript:x"}]}, "is forbidden by the server."),
    ],
)
def test_mistakes_are_named(fragment: dict[str, Any], text: str) -> None:
    """A mistake in tokens, identities or applications is refused with its reason."""
    with pytest.raises(ScenarioError, match=text):
        create_platform({"extends": "starter", **fragment})


@pytest.mark.fakeplat(scenario=WORLD)
def test_an_entry_changes_an_existing_record(fakeplat: Fakeplat) -> None:
    """An entry updates an application by its id, grants by their codes and a provider by its group."""
    fakeplat.load({**CHANGES, "groups": [{"full_path": "acme", "scim": {"token": "other"}}]})
    applications, grants, tokens, providers, _, devices = list_facts(fakeplat.bench.platform)

    assert ["Renamed", "Own"] == [row[2] for row in applications]
    assert [True] == [row[-1] for row in grants]
    assert [("dev", None), ("dev", None)] == [(row[1], row[3]) for row in devices]
    assert ("a", False) in [(row[0], row[5]) for row in tokens]
    assert [("other", True, 30)] == providers
