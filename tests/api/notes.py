"""Helpers for tests of notes, discussions, award emoji and to-dos."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.planning_records import SITE, get_json

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


def create_note(fake: Fakeplat, body: str, by: str = "ada", target: str = ONE, **rest: Any) -> dict[str, Any]:
    """Create a note."""
    reply = fake.as_user(by).post(f"{target}/notes", json={"body": body, **rest})
    assert 201 == reply.status, reply.text
    note: dict[str, Any] = reply.json()
    return note


def list_bodies(fake: Fakeplat, target: str = ONE, by: str = "ada", query: str = "") -> list[str]:
    """Return the texts of all notes of an issue or merge request, oldest first."""
    return [note["body"] for note in get_json(fake, f"{target}/notes?sort=asc&per_page=100{query}", by)]


def list_system_notes(fake: Fakeplat, target: str = ONE, by: str = "ada") -> list[str]:
    """Return the texts of the system notes of an issue or merge request, oldest first."""
    system_notes = get_json(fake, f"{target}/notes?activity_filter=only_activity&per_page=100", by)
    return [note["body"] for note in sorted(system_notes, key=lambda note: int(note["id"]))]


def list_todos(fake: Fakeplat, by: str, query: str = "") -> list[tuple[str, str]]:
    """Return action and text of a user's to-dos, newest first."""
    return [(todo["action_name"], todo["body"]) for todo in get_json(fake, f"todos?per_page=100{query}", by)]
