"""What administrators and users set in later releases, beside the application settings.

Source: lib/api/entities/appearance.rb, lib/api/broadcast_messages.rb, app/models/notification_setting.rb,
doc/user/custom_roles/abilities.md.
"""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import Outcome, form, invalid, invalid_record, person, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", version="latest", tier="ultimate")
APPEARANCE: Final = "application/appearance"
TEXTS: Final = {
    "pwa_name": "Acme",
    "pwa_short_name": "A",
    "pwa_description": "The forge of Acme",
    "member_guidelines": "Be kind.",
}


def test_the_appearance_of_the_web_app(fakeplat: Fakeplat) -> None:
    """Later releases name the progressive web app, and tell who manages members what to do."""
    calls = fakeplat.as_user("root")
    before = calls.get(APPEARANCE).json()
    assert {**dict.fromkeys(TEXTS, ""), "pwa_icon": None} == {name: before[name] for name in (*TEXTS, "pwa_icon")}
    assert {**before, **TEXTS} == calls.put(APPEARANCE, json=TEXTS).json()
    icon = calls.request("PUT", APPEARANCE, **form(pwa_icon=("app.png", "image/png", b"\x89PNG"))).json()["pwa_icon"]

    assert "/uploads/-/system/appearance/pwa_icon/" in icon
    assert {**before, **TEXTS, "pwa_icon": icon} == calls.get(APPEARANCE).json()


@pytest.mark.parametrize(
    ("name", "longest"),
    [("pwa_name", 255), ("pwa_short_name", 255), ("pwa_description", 2048), ("member_guidelines", 4096)],
)
def test_texts_of_the_appearance_have_a_length(fakeplat: Fakeplat, name: str, longest: int) -> None:
    """A text of the appearance that is too long is refused and changes nothing."""
    text = f"is too long (maximum is {longest} characters)"
    sent = {name: "x" * (longest + 1), "title": "New"}

    assert invalid_record(**{name: [text]}) == refusal(fakeplat, "root", "PUT", APPEARANCE, json=sent)
    assert "" == fakeplat.as_user("root").get(APPEARANCE).json()["title"]


def test_broadcast_messages_have_a_theme_and_levels(fakeplat: Fakeplat) -> None:
    """A broadcast message has a theme, indigo by default, and the levels of the members who see it."""
    calls = fakeplat.as_user("root")
    plain = calls.post("broadcast_messages", json={"message": "Hello"}).json()
    assert (["indigo"], []) == ([plain["theme"]], plain["target_access_levels"])
    changes = {"theme": "light-red", "target_access_levels": [30, 40]}
    path = f"broadcast_messages/{plain['id']}"

    assert {**plain, **changes} == calls.put(path, json=changes).json()
    assert {**plain, **changes, "target_access_levels": []} == calls.put(path, json={"target_access_levels": []}).json()


@pytest.mark.parametrize("sent", [{"theme": "pink"}, {"target_access_levels": [31]}], ids="-".join)
def test_refusals_of_broadcast_messages(fakeplat: Fakeplat, sent: dict[str, Any]) -> None:
    """A theme or a level that does not exist is refused."""
    (name,) = sent
    body = {"message": "Hello", **sent}
    expected = invalid(f"{name} does not have a valid value")
    assert expected == refusal(fakeplat, "root", "POST", "broadcast_messages", json=body)


LATER_EVENTS: Final = (
    "change_reviewer_merge_request",
    "merge_when_pipeline_succeeds",
    "service_account_failed_pipeline",
    "service_account_success_pipeline",
    "service_account_fixed_pipeline",
)


@pytest.mark.parametrize("path", ["notification_settings", "projects/acme%2Fsite/notification_settings"])
def test_later_events_of_notification_settings(fakeplat: Fakeplat, path: str) -> None:
    """Users choose the events of later releases, all of which are off by default."""
    events = (*LATER_EVENTS, "approver")
    calls = fakeplat.as_user("ada")
    shown = calls.put(path, json={"level": "custom"}).json()["events"]
    assert dict.fromkeys(events, False) == {name: shown[name] for name in events}
    changed = calls.put(path, json=dict.fromkeys(events, True)).json()["events"]

    assert {**shown, **dict.fromkeys(events, True)} == changed


@pytest.mark.parametrize(
    ("expected", "version", "tier"),
    [
        ([], "13.8", "ultimate"),
        (["merge_when_pipeline_succeeds"], "13.9", "ultimate"),
        ([*LATER_EVENTS], "18.9", "free"),
        ([*LATER_EVENTS, "approver"], "18.9", "premium"),
    ],
)
def test_releases_have_their_events(fakeplat_factory: Any, expected: list[str], version: str, tier: str) -> None:
    """A release shows the events that it has; that of approvers is of paid tiers."""
    calls = fakeplat_factory(scenario="starter", version=version, tier=tier).as_user("ada")
    events = calls.put("notification_settings", json={"level": "custom"}).json()["events"]
    assert set(expected) == events.keys() & {*LATER_EVENTS, "approver"}


PERMISSIONS: Final = {
    "admin_integrations": "17.1",
    "admin_runners": "17.1",
    "read_crm_contact": "17.1",
    "admin_protected_branch": "17.4",
    "read_compliance_dashboard": "17.7",
    "admin_protected_environments": "17.9",
    "read_security_scan_profiles": "18.7",
    "apply_security_scan_profiles": "18.9",
}


@pytest.mark.parametrize("version", ["17.0", "17.1", "17.7", "18.3", "18.9"])
def test_roles_have_the_permissions_of_the_release(fakeplat_factory: Any, version: str) -> None:
    """A custom role shows the permissions that its release has."""
    calls = fakeplat_factory(scenario="starter", version=version, tier="ultimate").as_user("root")
    body = {"base_access_level": 10, "name": "x", **dict.fromkeys(PERMISSIONS, True), "read_runners": True}
    role = calls.post("member_roles", json=body).json()
    known = {name for name, since in PERMISSIONS.items() if float(since) <= float(version)}

    assert dict.fromkeys(known, True) == {name: role[name] for name in PERMISSIONS if name in role}


ENVIRONMENT: Final = {"name": "production", "deploy_access_levels": [{"access_level": 40}]}
FORBIDDEN: Final[Outcome] = (403, {"message": "403 Forbidden"})


def test_a_role_manages_protected_environments(fakeplat: Fakeplat) -> None:
    """A role that may manage protected environments lets a Developer protect one."""
    root, path = fakeplat.as_user("root"), "projects/acme%2Fsite/protected_environments"
    root.post("projects/acme%2Fsite/environments", json={"name": "production"})
    body = {"base_access_level": 30, "name": "Keeper", "admin_protected_environments": True}
    role = root.post("member_roles", json=body).json()["id"]
    member = {"user_id": person(fakeplat, "eve"), "access_level": 30}
    root.post("projects/acme%2Fsite/members", json=member)
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", path, json=ENVIRONMENT)
    root.put(f"projects/acme%2Fsite/members/{member['user_id']}", json={"access_level": 30, "member_role_id": role})

    assert 201 == fakeplat.as_user("eve").post(path, json=ENVIRONMENT).status
