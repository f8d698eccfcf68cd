"""What the tests of notes, discussions, awards and to-dos share: fields, and short ways to say things."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.planning_records import SITE, shown

NOTE = {
    "id",
    "type",
    "body",
    "attachment",
    "author",
    "created_at",
    "updated_at",
    "system",
    "noteable_id",
    "noteable_type",
    "resolvable",
    "confidential",
    "noteable_iid",
    "commands_changes",
}
ONE = f"{SITE}/issues/1"
TWO = f"{SITE}/issues/2"


def say(fake: Fakeplat, body: str, by: str = "ada", target: str = ONE, **rest: Any) -> dict[str, Any]:
    """A new note."""
    reply = fake.as_user(by).post(f"{target}/notes", json={"body": body, **rest})
    assert 201 == reply.status, reply.text
    note: dict[str, Any] = reply.json()
    return note


def bodies(fake: Fakeplat, target: str = ONE, by: str = "ada", query: str = "") -> list[str]:
    """The texts of the notes of a thing, the oldest first."""
    return [note["body"] for note in shown(fake, f"{target}/notes?sort=asc&per_page=100{query}", by)]


def told(fake: Fakeplat, target: str = ONE, by: str = "ada") -> list[str]:
    """What the platform noted of a thing, in the order in which it did."""
    found = shown(fake, f"{target}/notes?activity_filter=only_activity&per_page=100", by)
    return [note["body"] for note in sorted(found, key=lambda note: int(note["id"]))]


def to_do(fake: Fakeplat, by: str, query: str = "") -> list[tuple[str, str]]:
    """What somebody has to do: each to-do's action and text, the newest first."""
    return [(todo["action_name"], todo["body"]) for todo in shown(fake, f"todos?per_page=100{query}", by)]
