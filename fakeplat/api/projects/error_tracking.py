"""Error tracking settings of projects. Source: docs/platform/error-tracking.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.projects import error_tracking
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.projects import ErrorTrackingClientKeyView, ErrorTrackingView
from fakeplat.model.projects import ErrorTrackingClientKey, ErrorTrackingSetting, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Error tracking", login=Login.ALWAYS)
_PATH: Final = "error_tracking/settings"


@area.operation("GET", _PATH, scope=PROJECT, ability=Ability.ADMIN_OPERATIONS, view=ErrorTrackingView, refusals=(404,))
def get_error_tracking_settings(ctx: ReadContext, project: Project) -> ErrorTrackingSetting:
    """Get the error tracking settings of a project."""
    return error_tracking.get_setting(ctx.world, project)


class UpdateErrorTracking(Params):
    """Whether errors are tracked, and whether the platform itself collects them."""

    active: Annotated[bool, NotBlank]
    integrated: Annotated[bool | None, Lifetime(since="14.2")] = None


@area.operation(
    "PATCH",
    _PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_OPERATIONS,
    params=UpdateErrorTracking,
    view=ErrorTrackingView,
    refusals=(404,),
)
def update_error_tracking_settings(ctx: WriteContext, project: Project, p: UpdateErrorTracking) -> ErrorTrackingSetting:
    """Enable or disable the error tracking of a project."""
    error_tracking.get_setting(ctx.world, project)
    fields = {name: value for name, value in p.given().items() if value is not None}
    return error_tracking.set_setting(ctx, project, **fields)


class SetErrorTracking(Params):
    """Whether errors are tracked, and whether the platform itself collects them."""

    active: Annotated[bool, NotBlank]
    integrated: bool


@area.operation(
    "PUT",
    _PATH,
    name="create_error_tracking_settings",
    scope=PROJECT,
    ability=Ability.ADMIN_OPERATIONS,
    params=SetErrorTracking,
    view=ErrorTrackingView,
    since="15.10",
)
def set_error_tracking_settings(ctx: WriteContext, project: Project, p: SetErrorTracking) -> ErrorTrackingSetting:
    """Set the error tracking of a project, which needs no settings before."""
    return error_tracking.set_setting(ctx, project, active=p.active, integrated=bool(p.integrated))


_KEYS: Final = "error_tracking/client_keys"


@area.operation(
    "GET",
    _KEYS,
    scope=PROJECT,
    ability=Ability.ADMIN_OPERATIONS,
    params=Paged,
    view=ErrorTrackingClientKeyView,
    many=True,
    since="14.3",
)
def list_error_tracking_client_keys(ctx: ReadContext, project: Project) -> Sequence[ErrorTrackingClientKey]:
    """List the keys with which clients send errors of a project."""
    return error_tracking.list_client_keys(ctx.world, project)


@area.operation(
    "POST", _KEYS, scope=PROJECT, ability=Ability.ADMIN_OPERATIONS, view=ErrorTrackingClientKeyView, since="14.3"
)
def create_error_tracking_client_key(ctx: WriteContext, project: Project) -> ErrorTrackingClientKey:
    """Create a key with which clients send errors of a project."""
    return error_tracking.create_client_key(ctx, project)


@area.operation(
    "DELETE",
    f"{_KEYS}/:key_id",
    scope=PROJECT,
    ability=Ability.ADMIN_OPERATIONS,
    view=ErrorTrackingClientKeyView,
    status=200,
    refusals=(404,),
    since="14.3",
)
def delete_error_tracking_client_key(ctx: WriteContext, project: Project, key_id: int) -> ErrorTrackingClientKey:
    """Delete a key with which clients send errors; the answer is the key."""
    key = error_tracking.get_client_key(ctx.world, project, key_id)
    purge(ctx, key)
    return key
