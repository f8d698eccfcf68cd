"""Error tracking settings of projects. Source: docs/platform/error-tracking.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.model.projects import ErrorTrackingClientKey, ErrorTrackingSetting, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_KEY_PREFIX: Final = "glet_"
_API_PATH: Final = "api/0/projects/"


def find_setting(world: World, project: Project) -> ErrorTrackingSetting | None:
    """Return the settings of a project; None before its page stored any."""
    return world.error_tracking_settings.find("project", project.id)


def get_setting(world: World, project: Project) -> ErrorTrackingSetting:
    """Return the settings of a project, or refuse with 404."""
    setting = find_setting(world, project)
    if setting is None:
        reason = f"{describe(world, project)} has no error tracking settings; a scenario or its page creates them"
        raise NotFound("Error Tracking Setting", reason=reason)
    return setting


class ErrorTrackingFields(TypedDict, total=False):
    """Fields of the settings."""

    active: bool
    project_name: str | None
    api_url: str | None
    integrated: bool


def set_setting(ctx: WriteContext, project: Project, **fields: Unpack[ErrorTrackingFields]) -> ErrorTrackingSetting:
    """Create or change the settings of a project."""
    table, existing = ctx.world.error_tracking_settings, find_setting(ctx.world, project)
    if existing is not None:
        return table.change(existing, **fields)
    return table.add(ErrorTrackingSetting(table.next_id(), project.id, **fields))


def external_url(setting: ErrorTrackingSetting) -> str | None:
    """Return the address of the errors for browsers: that of the API without its path."""
    return None if setting.api_url is None else setting.api_url.replace(_API_PATH, "", 1)


def list_client_keys(world: World, project: Project) -> Sequence[ErrorTrackingClientKey]:
    """Return the keys with which clients send errors of a project."""
    return world.error_tracking_client_keys.where("project", project.id)


def get_client_key(world: World, project: Project, id_: int) -> ErrorTrackingClientKey:
    """Return the client key of a project with an id, or refuse with 404."""
    key = world.error_tracking_client_keys.get(id_)
    if key is None or key.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no client key {id_}")
    return key


def create_client_key(
    ctx: WriteContext, project: Project, public_key: str = "", *, active: bool = True
) -> ErrorTrackingClientKey:
    """Create a client key; by default a random one."""
    table = ctx.world.error_tracking_client_keys
    value = public_key or f"{_KEY_PREFIX}{ctx.random_hex('error_tracking', 16)}"
    return table.add(ErrorTrackingClientKey(table.next_id(), project.id, value, active))
