"""Broadcast messages. Source: docs/platform/version-and-metadata.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, UNAUTHORIZED, Outcome, invalid, invalid_record, refusal

pytestmark = STARTER_AT_NINE
PATH = "broadcast_messages"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
FIELDS = {
    "message": "Maintenance at noon",
    "starts_at": "2020-11-20T09:00:00.000Z",
    "ends_at": "2020-11-20T10:00:00.000Z",
    "color": "#E75E40",
    "font": "#FFFFFF",
    "target_path": None,
    "broadcast_type": "banner",
    "dismissable": None,
    "active": True,
}


def create_message(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("root").post(PATH, json={"message": "Maintenance at noon", **fields})
    assert 201 == reply.status
    return dict(reply.json())


def test_a_message_is_a_banner_for_an_hour_by_default(fakeplat: Fakeplat) -> None:
    """A new broadcast message is by default a banner for one hour in the platform's colours."""
    message = create_message(fakeplat)

    assert {**FIELDS, "id": message["id"]} == message


def test_everybody_reads_the_newest_first(fakeplat: Fakeplat) -> None:
    """Broadcast messages are read without a login, the newest first."""
    messages = [create_message(fakeplat, message=text) for text in ("One", "Two")]
    nobody = fakeplat.as_user(None)

    assert messages[::-1] == nobody.get(PATH).json()
    assert messages[0] == nobody.get(f"{PATH}/{messages[0]['id']}").json()


def test_a_message_is_active_between_its_times(fakeplat: Fakeplat) -> None:
    """A broadcast message is active only between its start and its end."""
    later = create_message(fakeplat, starts_at="2020-11-20T09:30:00Z", ends_at="2020-11-20T10:00:00Z")
    states = []
    for step in ("29m", "1m", "29m", "2m"):
        fakeplat.clock.advance(step)
        states.append(fakeplat.as_user(None).get(f"{PATH}/{later['id']}").json()["active"])

    assert [False, True, True, False] == states


def test_administrators_update_and_delete_a_message(fakeplat: Fakeplat) -> None:
    """An update of a broadcast message keeps what is not sent."""
    message, root = create_message(fakeplat), fakeplat.as_user("root")
    changes = {"message": "Over", "color": "#000000", "target_path": "/acme/*", "dismissable": True}

    assert {**message, **changes} == root.put(f"{PATH}/{message['id']}", json=changes).json()
    assert STALE == refusal(fakeplat, "root", "DELETE", f"{PATH}/{message['id']}", headers=LONG_AGO)
    assert 204 == root.delete(f"{PATH}/{message['id']}").status
    assert [] == root.get(PATH).json()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("message is missing")),
        ({"message": "x", "broadcast_type": "popup"}, invalid("broadcast_type does not have a valid value")),
        ({"message": "x", "starts_at": "soon"}, invalid("starts_at is invalid")),
        ({"message": " "}, invalid_record(message=["can't be blank"])),
        ({"message": "x", "color": "red?"}, invalid_record(color=["must be a valid color code"])),
        ({"message": "x", "color": "blue"}, invalid_record(color=["must be a valid color code"])),
        ({"message": "x", "font": "white"}, invalid_record(font=["must be a valid color code"])),
        ({"message": "x", "font": "#12345"}, invalid_record(font=["must be a valid color code"])),
    ],
)
def test_invalid_messages_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Any) -> None:
    """Broadcast messages are validated by their parameters first, then by the model."""
    assert expected == refusal(fakeplat, "root", "POST", PATH, json=body)


@pytest.mark.parametrize(
    ("user", "method", "path", "body", "expected"),
    [
        (None, "POST", PATH, {}, invalid("message is missing")),
        (None, "POST", PATH, {"message": "x"}, UNAUTHORIZED),
        ("dev", "POST", PATH, {"message": "x"}, FORBIDDEN),
        ("dev", "PUT", f"{PATH}/1", {"message": "x"}, FORBIDDEN),
        ("dev", "DELETE", f"{PATH}/1", None, FORBIDDEN),
        ("root", "PUT", f"{PATH}/1", {"message": "x"}, NOT_FOUND),
        ("root", "DELETE", f"{PATH}/1", None, NOT_FOUND),
        (None, "GET", f"{PATH}/1", None, NOT_FOUND),
        (None, "GET", f"{PATH}/x", None, invalid("id is invalid")),
    ],
)
def test_refused_requests(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, body: Any, expected: Any
) -> None:
    """Parameters are validated before the caller."""
    assert expected == refusal(fakeplat, user, method, path, json=body)
