"""Error tracking settings of projects. Source: docs/platform/error-tracking.md."""

from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.projects import error_tracking
from fakeplat.entities.projects.projects import ErrorTrackingView
from fakeplat.model.projects import ErrorTrackingSetting, Project
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
