"""Worlds with the records of the starter scenario under other ids."""

from typing import Any

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from tests.scenario.worlds import create_platform

OLD = "2001-01-01T00:00:00Z"
EARLIER_RECORDS: dict[str, Any] = {
    "users": [{"username": f"stranger{number}", "created_at": OLD} for number in range(3)],
    "groups": [{"full_path": f"strange{number}", "created_at": OLD} for number in range(2)],
    "projects": [
        {
            "path_with_namespace": "strange0/thing",
            "created_at": OLD,
            "labels": ["odd", "odder"],
            "milestones": ["never"],
            "issues": ["Nothing", "Less"],
        }
    ],
}


def shifted_starter() -> Platform:
    """Return the starter scenario, loaded after other records that were then deleted."""
    exported = scenario.export_world(create_platform("starter"))
    document = {**exported, **{key: [*first, *exported[key]] for key, first in EARLIER_RECORDS.items()}}
    document["users"] = [exported["users"][0], *EARLIER_RECORDS["users"], *exported["users"][1:]]
    platform = create_platform(document)
    for path in ("groups/strange0", "groups/strange1", *(f"users/{_id(platform, n)}" for n in range(3))):
        _delete(platform, path)
    platform.settle()
    platform.clock.set(create_platform("starter").clock.now())
    return platform


def _id(platform: Platform, number: int) -> int:
    user = platform.view.users.find("username", f"stranger{number}")
    assert user is not None
    return user.id


def _delete(platform: Platform, path: str) -> None:
    response = platform.handle(Request("DELETE", f"/api/v4/{path}", headers={"private-token": "root-token"}))
    assert response.status < 300, response
