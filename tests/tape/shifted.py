"""Worlds that hold the same as the starter, under other ids."""

from typing import Any

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from tests.scenario.worlds import made

OLD = "2001-01-01T00:00:00Z"
IN_FRONT: dict[str, Any] = {
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
    """The starter after things that were there before it, and are gone."""
    told = scenario.export_world(made("starter"))
    said = {**told, **{key: [*first, *told[key]] for key, first in IN_FRONT.items()}}
    said["users"] = [told["users"][0], *IN_FRONT["users"], *told["users"][1:]]
    platform = made(said)
    for path in ("groups/strange0", "groups/strange1", *(f"users/{_id(platform, n)}" for n in range(3))):
        _remove(platform, path)
    platform.settle()
    platform.clock.set(made("starter").clock.now())
    return platform


def _id(platform: Platform, number: int) -> int:
    user = platform.view.users.find("username", f"stranger{number}")
    assert user is not None
    return user.id


def _remove(platform: Platform, path: str) -> None:
    response = platform.handle(Request("DELETE", f"/api/v4/{path}", headers={"private-token": "root-token"}))
    assert response.status < 300, response
