"""Audit events of sign-ins, keys, addresses and states of users, access tokens, deploy tokens and CI variables.

Source: app/services/audit_event_service.rb and ee/app/services of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    AUDITED_DEPLOY_TOKENS,
    AUDITED_INSTANCE_VARIABLES,
    AUDITED_KEYS,
    AUDITED_PERSONAL_TOKENS,
    AUDITED_RESOURCE_TOKENS,
    AUDITED_USER_STATES,
    AUDITED_VARIABLE_MASKING,
)
from tests.api.oauth import SCENARIO, Browser
from tests.api.requests import person
from tests.by_release import by_release
from tests.gpg_keys import GPG_KEY
from tests.ssh_keys import ED25519

pytestmark = pytest.mark.fakeplat(
    scenario=SCENARIO, tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z", version="latest"
)
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
OLD = pytest.mark.fakeplat(version="13.5.0")


def details_of(fake: Fakeplat, path: str = "audit_events") -> list[dict[str, Any]]:
    """The details of the events, newest first, without the address and the path."""
    return [
        {name: value for name, value in event["details"].items() if name not in ("ip_address", "entity_path")}
        for event in fake.as_user("root").get(path).json()
    ]


def build_target(id_: Any, kind: str, details: str) -> dict[str, Any]:
    return {"target_id": id_, "target_type": kind, "target_details": details}


def name_of(fake: Fakeplat, username: str) -> str:
    return str(fake.world.user(username).name)


# sign-ins


@OLD
def test_sign_ins_are_recorded(fakeplat: Fakeplat) -> None:
    """A sign-in is recorded with the user as author and target."""
    Browser(fakeplat).sign_in("dev")

    (event,) = fakeplat.as_user("root").get("audit_events").json()
    dev = person(fakeplat, "dev")
    assert (dev, dev, "User") == (event["author_id"], event["entity_id"], event["entity_type"])
    expected = {"with": "standard", **build_target(dev, "User", name_of(fakeplat, "dev"))}
    assert {**expected, "ip_address": "127.0.0.1", "entity_path": "dev"} == event["details"]


@OLD
def test_two_factors_are_recorded(fakeplat: Fakeplat) -> None:
    """Wrong codes, too; the password alone is not."""
    walk = Browser(fakeplat)
    page = walk.sign_in("two")
    page = walk.submit(page, **{"user[otp_attempt]": "000000"})
    walk.submit(page, **{"user[otp_attempt]": fakeplat.one_time_code("two")})

    two = person(fakeplat, "two")
    assert [
        {"with": "two-factor", **build_target(two, "User", "two")},
        {"failed_login": "OTP", "author_name": "two", "target_details": "two"},
    ] == details_of(fakeplat)


@OLD
@pytest.mark.parametrize(
    ("username", "name"), [("nobody", "nobody"), ("dev", "dev"), ("bob", "bob"), ("", "An unauthenticated user")]
)
def test_failed_sign_ins_are_recorded(fakeplat: Fakeplat, username: str, name: str) -> None:
    """A failed sign-in is recorded with the sent name and without an author."""
    Browser(fakeplat).sign_in(username, "bob-password")

    (event,) = fakeplat.as_user("root").get("audit_events").json()
    assert (-1, -1, "User") == (event["author_id"], event["entity_id"], event["entity_type"])
    expected = {"failed_login": "STANDARD", "author_name": name, "target_details": name}
    assert {**expected, "ip_address": "127.0.0.1", "entity_path": None} == event["details"]


@pytest.mark.fakeplat(tier="free")
def test_without_the_tier_no_sign_in_is_recorded(fakeplat: Fakeplat) -> None:
    """On the free tier neither sign-ins nor failed sign-ins are recorded."""
    Browser(fakeplat).sign_in("dev", "wrong")
    Browser(fakeplat).sign_in("dev")
    assert [] == list(fakeplat.bench.platform.view.audit_events.all())


# keys and addresses


def as_custom(*texts: str) -> list[tuple[str, str]]:
    return [("custom_message", text) for text in texts]


KINDS: dict[str, tuple[dict[str, str], str, list[tuple[str, str]]]] = {
    "keys": ({"title": "laptop", "key": ED25519}, "laptop", as_custom("Added SSH key", "Removed SSH key")),
    "gpg_keys": ({"key": GPG_KEY}, "", as_custom("Added GPG key", "Removed GPG key")),
    "emails": ({"email": "dev@two.test"}, "dev@two.test", [("add", "email"), ("remove", "email")]),
}


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_keys_and_addresses_are_recorded(fakeplat: Fakeplat, kind: str, own: bool) -> None:
    """What a user gets and loses is recorded at the user, whoever does it; refused ones are not."""
    body, name, expected = KINDS[kind]
    dev = person(fakeplat, "dev")
    path, client = ("user", fakeplat.as_user("dev")) if own else (f"users/{dev}", fakeplat.as_user("root"))
    id_ = client.post(f"{path}/{kind}", json=body).json()["id"]
    assert 400 == client.post(f"{path}/{kind}", json={}).status
    client.delete(f"{path}/{kind}/{id_}")
    assert 404 == client.delete(f"{path}/{kind}/{id_}").status

    recorded = [
        dict(event["details"])
        for event in fakeplat.as_user("root").get(f"audit_events?entity_type=User&entity_id={dev}").json()
    ]
    assert expected[::-1] == [(key, details[key]) for details in recorded for key in [next(iter(details))]]
    assert {id_} == {details["target_id"] for details in recorded}
    assert not name or {name} == {details["target_details"] for details in recorded}
    author = "dev" if own else "root"
    assert {fakeplat.world.user(author).name} == {details["author_name"] for details in recorded}


@by_release(AUDITED_KEYS, "count", {"14.0": 1, "14.1": 4})
def test_which_keys_are_recorded(fakeplat: Fakeplat, count: int) -> None:
    """New SSH keys are recorded in all releases, the end of one and GPG keys from 14.1 on."""
    dev = fakeplat.as_user("dev")
    for kind in ("keys", "gpg_keys"):
        dev.delete(f"user/{kind}/{dev.post(f'user/{kind}', json=KINDS[kind][0]).json()['id']}")
    assert count == len(details_of(fakeplat))


# users

STATES = ("block", "unblock", "ban", "unban", "deactivate", "activate")
BLOCKED = ["Blocked user"]
ALL_STATES = [f"{verb} user" for verb in ("Blocked", "Unblocked", "Banned", "Unbanned", "Deactivated", "Activated")]


@by_release(AUDITED_USER_STATES, "expected", {"15.7": BLOCKED, "15.8": ALL_STATES})
def test_states_of_users_are_recorded(fakeplat: Fakeplat, expected: list[str]) -> None:
    """That a user is blocked is recorded in all releases, the other states later."""
    fakeplat.clock.advance("200d")
    eve = person(fakeplat, "eve")
    for verb in STATES:
        assert 201 == fakeplat.as_user("root").post(f"users/{eve}/{verb}").status
    recorded = details_of(fakeplat, f"audit_events?entity_type=User&entity_id={eve}")[::-1]

    assert expected == [details["custom_message"] for details in recorded]
    assert {(eve, "eve")} == {(details["target_id"], details["target_details"]) for details in recorded}


@pytest.mark.fakeplat(version="latest", scenario={"users": [{"username": "new", "state": "blocked_pending_approval"}]})
def test_approvals_are_recorded(fakeplat: Fakeplat) -> None:
    """So is that a user who signed up was approved."""
    new = person(fakeplat, "new")
    assert 201 == fakeplat.as_user("root").post(f"users/{new}/approve").status
    assert ["Instance access request approved"] == [details["custom_message"] for details in details_of(fakeplat)]


# access tokens


def test_personal_access_tokens_are_recorded(fakeplat: Fakeplat) -> None:
    """The target is their user."""
    root, dev = fakeplat.as_user("root"), person(fakeplat, "dev")
    body = {"name": "x", "scopes": ["api"]}
    token = root.post(f"users/{dev}/personal_access_tokens", json=body).json()["id"]
    root.delete(f"personal_access_tokens/{token}")
    root.delete(f"personal_access_tokens/{token}")

    common = {"author_name": "Administrator", **build_target(dev, "User", "dev")}
    path = f"audit_events?entity_type=User&entity_id={dev}"
    assert [
        {"custom_message": f"Revoked personal access token with id {token}", **common},
        {"custom_message": f"Created personal access token with id {token}", **common},
    ] == details_of(fakeplat, path)


@by_release(AUDITED_PERSONAL_TOKENS, "count", {"13.5": 0, "13.6": 1})
def test_revocations_are_recorded_since_13_6(fakeplat: Fakeplat, count: int) -> None:
    """Revoking a personal access token is recorded from release 13.6 on."""
    token = fakeplat.as_user("dev").get("personal_access_tokens").json()[0]["id"]
    fakeplat.as_user("dev").delete(f"personal_access_tokens/{token}")
    assert count == len(details_of(fakeplat))


def test_project_access_tokens_are_recorded(fakeplat: Fakeplat) -> None:
    """Project access tokens are recorded with scopes and level, the token being the target."""
    mia = fakeplat.as_user("mia")
    body = {"name": "ci", "scopes": ["api", "read_repository"], "access_level": 30}
    token = mia.post(f"{SITE}/access_tokens", json=body).json()["id"]
    mia.delete(f"{SITE}/access_tokens/{token}")

    common = {"author_name": name_of(fakeplat, "mia"), **build_target(token, "PersonalAccessToken", "ci")}
    messages = [details for details in details_of(fakeplat, f"{SITE}/audit_events") if "custom_message" in details]
    created = f"Created project access token with token_id: {token} with scopes: "
    assert [
        {"custom_message": f"Revoked project access token with token_id: {token}", **common},
        {"custom_message": f'{created}["api", "read_repository"] and Developer access level.', **common},
    ] == messages


def test_group_access_tokens_are_recorded(fakeplat: Fakeplat) -> None:
    """Creating a group access token is recorded with its scopes."""
    token = fakeplat.as_user("ada").post(f"{ACME}/access_tokens", json={"name": "ci", "scopes": ["api"]}).json()["id"]

    messages = [
        details["custom_message"]
        for details in details_of(fakeplat, f"{ACME}/audit_events")
        if "custom_message" in details
    ]
    assert [f'Created group token with token_id: {token} with scopes: ["api"].'] == messages


# deploy tokens


@pytest.mark.parametrize(("kind", "path", "by"), [("project", SITE, "mia"), ("group", ACME, "ada")])
def test_deploy_tokens_are_recorded(fakeplat: Fakeplat, kind: str, path: str, by: str) -> None:
    """Creating and deleting a deploy token are recorded with its name and scopes."""
    caller = fakeplat.as_user(by)
    scopes = ["read_repository", "read_registry"]
    token = caller.post(f"{path}/deploy_tokens", json={"name": "pull", "scopes": scopes}).json()["id"]
    caller.delete(f"{path}/deploy_tokens/{token}")

    common = {"author_name": name_of(fakeplat, by), **build_target(token, "DeployToken", "pull")}
    text = (
        f"{kind} deploy token with name: pull with token_id: {token} with scopes: [:read_repository, :read_registry]."
    )
    assert [
        {"custom_message": f"Destroyed {text}", **common},
        {"custom_message": f"Created {text}", **common},
    ] == details_of(fakeplat, f"{path}/audit_events")


@by_release(AUDITED_RESOURCE_TOKENS, "count", {"18.8": 0, "18.9": 2})
def test_project_access_tokens_are_not_recorded_before(fakeplat: Fakeplat, count: int) -> None:
    """Access tokens of projects leave audit events; the first release that is known to do so is 18.9."""
    mia = fakeplat.as_user("mia")
    token = mia.post(f"{SITE}/access_tokens", json={"name": "ci", "scopes": ["api"]}).json()["id"]
    mia.delete(f"{SITE}/access_tokens/{token}")
    texts = [details.get("custom_message", "") for details in details_of(fakeplat)]
    assert count == len([text for text in texts if "project access token with token_id" in text])


@by_release(AUDITED_DEPLOY_TOKENS, "count", {"14.8": 0, "14.9": 2})
def test_deploy_tokens_are_not_recorded_before(fakeplat: Fakeplat, count: int) -> None:
    """Before release 14.9 deploy tokens leave no audit event."""
    body = {"name": "pull", "scopes": ["read_repository"]}
    token = fakeplat.as_user("mia").post(f"{SITE}/deploy_tokens", json=body).json()["id"]
    fakeplat.as_user("mia").delete(f"{SITE}/deploy_tokens/{token}")
    assert count == len(details_of(fakeplat))


# CI variables


@OLD
@pytest.mark.parametrize(
    ("path", "by", "name", "kind", "model"),
    [
        (SITE, "mia", "ci_variable", "CiVariable", "Ci::Variable"),
        (ACME, "ada", "ci_group_variable", "CiGroupVariable", "Ci::GroupVariable"),
    ],
)
def test_variables_are_recorded(fakeplat: Fakeplat, path: str, by: str, name: str, kind: str, model: str) -> None:
    """Of changes to variables only that of the protection is recorded, without values."""
    caller = fakeplat.as_user(by)
    caller.post(f"{path}/variables", json={"key": "KEY", "value": "long-enough"})
    caller.put(f"{path}/variables/KEY", json={"value": "another-value", "protected": True, "masked": True})
    caller.delete(f"{path}/variables/KEY")

    removed, changed, added = details_of(fakeplat, f"{path}/audit_events")
    author = {"author_name": name_of(fakeplat, by)}
    assert {"add": name, **author, **build_target("KEY", kind, "KEY")} == added
    assert {"remove": name, **author, **build_target("KEY", kind, "KEY")} == removed
    expected = {"change": "variable protection", "from": "false", "to": "true", **author}
    assert {**expected, **build_target(changed["target_id"], model, "KEY")} == changed


@by_release(
    AUDITED_VARIABLE_MASKING,
    "expected",
    {"18.8": ["variable protection", None], "18.9": ["variable masking", "variable protection", None]},
)
def test_newer_releases_record_masking(fakeplat: Fakeplat, expected: list[str | None]) -> None:
    """Newer releases record the masking of a variable as its own event; the first known to do so is 18.9."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{SITE}/variables", json={"key": "KEY", "value": "long-enough"})
    mia.put(f"{SITE}/variables/KEY", json={"protected": True, "masked": True})
    changes = [details.get("change") for details in details_of(fakeplat, f"{SITE}/audit_events")]
    assert expected == changes


def change_instance_variable(fake: Fakeplat) -> None:
    root = fake.as_user("root")
    root.post("admin/ci/variables", json={"key": "KEY", "value": "long-enough"})
    root.put("admin/ci/variables/KEY", json={"protected": True})
    root.delete("admin/ci/variables/KEY")


def test_newer_releases_record_variables_of_the_instance(fakeplat: Fakeplat) -> None:
    """Newer releases record variables of the instance with their own entity type."""
    change_instance_variable(fakeplat)
    events = fakeplat.as_user("root").get("audit_events").json()
    assert [(1, "Gitlab::Audit::InstanceScope", "gitlab_instance")] * 3 == [
        (event["entity_id"], event["entity_type"], event["details"]["entity_path"]) for event in events
    ]
    removed, changed, added = details_of(fakeplat)
    author = {"author_name": "Administrator"}
    common = {**author, **build_target(added["target_id"], "Ci::InstanceVariable", "KEY")}
    assert {"add": "ci_instance_variable", "custom_message": "Added ci instance variable", **common} == added
    assert {"remove": "ci_instance_variable", "custom_message": "Removed ci instance variable", **common} == removed
    assert {"change": "variable protection", "from": "false", "to": "true", **common} == changed


@by_release(AUDITED_INSTANCE_VARIABLES, "count", {"18.8": 0, "18.9": 3})
def test_variables_of_the_instance_are_not_recorded_before(fakeplat: Fakeplat, count: int) -> None:
    """Older releases do not record variables of the instance."""
    change_instance_variable(fakeplat)
    assert count == len(details_of(fakeplat))
