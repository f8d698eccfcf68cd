"""Short ways to worlds from scenarios, for the tests here."""

from typing import Any

import orjson

from fakeplat import scenario
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.domain.people.namespaces import find_by_path, find_project_by_path
from fakeplat.domain.people.users import find_by_username
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.users import Token, User
from fakeplat.model.world import World
from fakeplat.platform import Platform


def made(said: Any, **options: Any) -> Platform:
    """A platform from a name, a path or data."""
    return scenario.create_platform(scenario.find_scenario(said), **options)


def world(said: Any, **options: Any) -> World:
    """The records that a scenario makes."""
    return made(said, **options).view


def again(platform: Platform) -> Platform:
    """A platform from what another one holds, by way of JSON."""
    return made(orjson.loads(orjson.dumps(scenario.export_world(platform))))


def user(seen: World, username: str) -> User:
    found = find_by_username(seen, username)
    assert found is not None, username
    return found


def group(seen: World, path: str) -> Group:
    found = find_by_path(seen, path)
    assert isinstance(found, Group), path
    return found


def project(seen: World, path: str) -> Project:
    found = find_project_by_path(seen, path)
    assert found is not None, path
    return found


def tokens(seen: World, username: str) -> list[Token]:
    return list(seen.tokens.where("user", user(seen, username).id))


def levels(seen: World, place: Group | Project) -> dict[str, int]:
    """The direct members of a group or project."""
    kind = "group" if isinstance(place, Group) else "project"
    return {
        seen.users[member.user_id].username: member.access_level
        for member in seen.members.where("source", (kind, place.id))
    }


def write(platform: Platform, method: str, target: str, by: str, **body: Any) -> dict[str, Any]:
    """Change something through the API."""
    headers = {"private-token": by, "content-type": JSON}
    response = platform.handle(Request(method, f"/api/v4/{target}", headers=headers, body=orjson.dumps(body)))
    assert response.status < 300, (method, target, response)
    found: dict[str, Any] = orjson.loads(response.body or b"{}") or {}
    return found


def status(platform: Platform, target: str, token: str) -> int:
    """What a GET answers."""
    return platform.handle(Request("GET", f"/api/v4/{target}", headers={"private-token": token})).status
