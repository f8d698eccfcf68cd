"""Migrations of the instance's databases.

Source: lib/api/admin/batched_background_migrations.rb, lib/api/admin/migrations.rb of the platform and their specs.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import Outcome, invalid, names, refusal

TIME = "2020-11-02T09:00:00.000Z"
MIGRATIONS: list[dict[str, Any]] = [
    {"job_class_name": "BackfillEventIds", "table_name": "events", "progress": 40.0, "created_at": TIME},
    {"job_class_name": "CopyNotes", "table_name": "notes", "status": "paused"},
    {"job_class_name": "CopyBuilds", "table_name": "builds", "database": "ci"},
]
SCHEMA: list[dict[str, Any]] = [{"version": 20240101000000}, {"version": 20230101000000, "pending": False}]
pytestmark = pytest.mark.fakeplat(
    scenario={"extends": "starter", "batched_migrations": MIGRATIONS, "schema_migrations": SCHEMA}, version="latest"
)
PATH = "admin/batched_background_migrations"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def find(fake: Fakeplat, name: str, database: str = "main") -> dict[str, Any]:
    rows = fake.as_user("root").get(f"{PATH}?database={database}").json()
    return dict(next(row for row in rows if row["job_class_name"] == name))


def test_migrations_of_a_database_are_listed(fakeplat: Fakeplat) -> None:
    """The newest migrations of a database come first."""
    root = fakeplat.as_user("root")

    assert ["CopyNotes", "BackfillEventIds"] == names(root.get(PATH).json(), "job_class_name")
    assert ["CopyBuilds"] == names(root.get(f"{PATH}?database=ci").json(), "job_class_name")
    migration = find(fakeplat, "BackfillEventIds")
    assert (
        {
            "id": migration["id"],
            "job_class_name": "BackfillEventIds",
            "table_name": "events",
            "status": "active",
            "progress": 40.0,
            "created_at": TIME,
            "estimated_time_remaining": None,
        }
    ) == migration
    assert migration == root.get(f"{PATH}/{migration['id']}").json()


def test_a_migration_is_paused_and_resumed(fakeplat: Fakeplat) -> None:
    """Only an active migration is paused, only a paused one resumed."""
    path, root = f"{PATH}/{find(fakeplat, 'BackfillEventIds')['id']}", fakeplat.as_user("root")

    text = "You can {} only `{}` batched background migrations."
    expected: Outcome = (422, {"message": text.format("resume", "paused")})
    assert expected == refusal(fakeplat, "root", "PUT", f"{path}/resume")
    assert "paused" == root.put(f"{path}/pause").json()["status"]
    expected = (422, {"message": text.format("pause", "active")})
    assert expected == refusal(fakeplat, "root", "PUT", f"{path}/pause")
    assert "active" == root.put(f"{path}/resume").json()["status"]


def test_migrations_belong_to_a_database(fakeplat: Fakeplat) -> None:
    """A migration is not found in another database, and there are two databases."""
    path = f"{PATH}/{find(fakeplat, 'CopyBuilds', 'ci')['id']}"

    assert NOT_FOUND == refusal(fakeplat, "root", "GET", path)
    assert 200 == fakeplat.as_user("root").get(f"{path}?database=ci").status
    assert invalid("database does not have a valid value") == refusal(fakeplat, "root", "GET", f"{path}?database=x")


def test_a_pending_migration_is_marked(fakeplat: Fakeplat) -> None:
    """A pending migration is marked as done, once; an unknown one is not found."""
    path = "admin/migrations/{}/mark"
    reply = fakeplat.as_user("root").post(path.format(20240101000000))
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())

    expected: Outcome = (422, {"message": "You can mark only pending migrations"})
    for version in (20240101000000, 20230101000000):
        assert expected == refusal(fakeplat, "root", "POST", path.format(version))
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "POST", path.format(123))
