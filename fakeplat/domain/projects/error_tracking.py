"""Error tracking settings of projects. Source: docs/platform/error-tracking.md."""

from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import NotFound
from fakeplat.model.projects import ErrorTrackingSetting, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

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
