"""Notification settings of users."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, DOCS, SITE, get_json
from tests.api.requests import Outcome, invalid, invalid_record, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
HERE = "notification_settings"


def update_settings(fake: Fakeplat, target: str, by: str = "dev", /, **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).put(target, json=body)
    assert 200 == reply.status, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def test_default_settings(fakeplat: Fakeplat) -> None:
    """Notification settings have the platform's defaults."""
    email = fakeplat.world.user("dev").email
    assert {"level": "participating", "notification_email": email} == get_json(fakeplat, HERE, "dev")
    assert [{"level": "global"}] * 2 == [get_json(fakeplat, f"{container}/{HERE}", "dev") for container in (SITE, ACME)]


@pytest.mark.parametrize("level", ["disabled", "participating", "watch", "global", "mention", "custom"])
def test_every_level_is_kept(fakeplat: Fakeplat, level: str) -> None:
    """Each notification level is stored for the caller; events count only at `custom`."""
    for target in (HERE, f"{SITE}/{HERE}", f"{ACME}/{HERE}"):
        answer = update_settings(fakeplat, target, level=level)
        assert level == answer["level"]
        assert ("events" in answer) == (level == "custom")
        assert answer == get_json(fakeplat, target, "dev")
    assert "global" == get_json(fakeplat, f"{SITE}/{HERE}", "gus")["level"]


def test_custom_events_are_switched_one_by_one(fakeplat: Fakeplat) -> None:
    """Updating custom events keeps those that are not sent."""
    first = update_settings(fakeplat, f"{SITE}/{HERE}", level="custom", new_issue=True)["events"]
    second = update_settings(fakeplat, f"{SITE}/{HERE}", close_issue=True, failed_pipeline=False)["events"]

    assert (True, False, True) == (first["new_issue"], first["close_issue"], first["failed_pipeline"])
    assert (True, True, False) == (second["new_issue"], second["close_issue"], second["failed_pipeline"])
    assert "new_epic" not in first


def test_permissions_show_the_level_of_a_project(fakeplat: Fakeplat) -> None:
    """A project's permissions show the level as a number for direct members."""
    fakeplat.as_user("ada").post(f"{SITE}/members", json={"user_id": fakeplat.world.user("dev").id, "access_level": 30})
    update_settings(fakeplat, f"{SITE}/{HERE}", level="watch")

    assert 2 == get_json(fakeplat, SITE, "dev")["permissions"]["project_access"]["notification_level"]


def test_mail_goes_to_the_address_that_is_set(fakeplat: Fakeplat) -> None:
    """Notifications go to one of the user's own addresses."""
    email = fakeplat.world.user("dev").email
    assert email == update_settings(fakeplat, HERE, notification_email=email)["notification_email"]


@pytest.mark.parametrize(
    ("target", "by", "body", "expected"),
    [
        (HERE, "dev", {"level": "loud"}, (400, {"message": "'loud' is not a valid level"})),
        (f"{SITE}/{HERE}", "dev", {"level": "loud"}, (400, {"message": "'loud' is not a valid level"})),
        (
            HERE,
            "dev",
            {"notification_email": "ada@example.test"},
            invalid_record(notification_email=["is not an email you own"]),
        ),
        (f"{SITE}/{HERE}", "dev", {"new_note": "maybe"}, invalid("new_note is invalid")),
        (f"{SITE}/{HERE}", "eve", {"level": "watch"}, resource_not_found("Project")),
        ("groups/none/notification_settings", "eve", {"level": "watch"}, resource_not_found("Group")),
    ],
)
def test_invalid_settings_are_refused(
    fakeplat: Fakeplat, target: str, by: str, body: dict[str, Any], expected: Outcome
) -> None:
    """Invalid notification settings are refused with the platform's bodies and change nothing."""
    assert expected == refusal(fakeplat, by, "PUT", target, json=body)


def test_deleting_users_and_projects_deletes_settings(fakeplat: Fakeplat) -> None:
    """Deleting a user or a project deletes its notification settings."""
    for by in ("dev", "gus"):
        update_settings(fakeplat, f"{DOCS}/{HERE}", by, level="watch")
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('gus').id}")
    assert 1 == len(fakeplat.bench.platform.view.notification_settings)
    fakeplat.as_user("ada").delete(DOCS)

    assert 0 == len(fakeplat.bench.platform.view.notification_settings)
