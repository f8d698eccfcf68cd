"""Helpers to create worlds from scenarios and look up their records."""

from typing import Any

import orjson

from fakeplat import scenario
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.domain.people.namespaces import find_by_path, find_project_by_path
from fakeplat.domain.people.users import find_by_username
from fakeplat.model.people import Group, Token, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.platform import Platform


def create_platform(source: Any, **options: Any) -> Platform:
    """Create a platform from a scenario's name, path or data."""
    return scenario.create_platform(scenario.get_scenario(source), **options)


def create_world(source: Any, **options: Any) -> World:
    """Return the records of a scenario's world."""
    return create_platform(source, **options).view


def reload_export(platform: Platform) -> Platform:
    """Create a platform from the export of another one, through JSON."""
    return create_platform(orjson.loads(orjson.dumps(scenario.export_world(platform))))


def get_user(view: World, username: str) -> User:
    record = find_by_username(view, username)
    assert record is not None, username
    return record


def get_group(view: World, path: str) -> Group:
    record = find_by_path(view, path)
    assert isinstance(record, Group), path
    return record


def project(view: World, path: str) -> Project:
    record = find_project_by_path(view, path)
    assert record is not None, path
    return record


def list_tokens(view: World, username: str) -> list[Token]:
    return list(view.tokens.where("user", get_user(view, username).id))


def list_levels(view: World, container: Group | Project) -> dict[str, int]:
    """Return the levels of the direct members of a group or project."""
    kind = "group" if isinstance(container, Group) else "project"
    return {
        view.users[member.user_id].username: member.access_level
        for member in view.members.where("source", (kind, container.id))
    }


def write(platform: Platform, method: str, target: str, by: str, **body: Any) -> dict[str, Any]:
    """Send a writing request that must succeed; return its JSON."""
    headers = {"private-token": by, "content-type": JSON}
    response = platform.handle(Request(method, f"/api/v4/{target}", headers=headers, body=orjson.dumps(body)))
    assert response.status < 300, (method, target, response)
    content: dict[str, Any] = orjson.loads(response.body or b"{}") or {}
    return content


def get_status(platform: Platform, target: str, token: str) -> int:
    """Return the status of a GET."""
    return platform.handle(Request("GET", f"/api/v4/{target}", headers={"private-token": token})).status
