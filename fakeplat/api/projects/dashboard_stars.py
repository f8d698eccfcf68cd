"""Stars for dashboards of metrics, until 16.0. Source: docs/platform/metrics-dashboards.md."""

from typing import Annotated, Final
from urllib.parse import unquote_plus

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadRequest, Reason, Refusal
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import NotBlank, NotBlankIfSent, Params
from fakeplat.domain.projects import dashboard_stars
from fakeplat.entities.projects.dashboard_stars import DashboardStarView
from fakeplat.model.projects import DashboardStar, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import WriteContext

area: Final = Area("Metrics dashboards", login=Login.ALWAYS)
_PATH: Final = "metrics/user_starred_dashboards"


class NotStarred(BadRequest):
    """400 with key ``errors``."""

    def __init__(self, errors: object, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"errors": errors}, reason=reason)


class CreateStar(Params):
    """The path of the dashboard, which may be encoded once more."""

    dashboard_path: Annotated[str, NotBlank]


class DeleteStars(Params):
    """The path of the dashboard; without it, all of the project."""

    dashboard_path: Annotated[str | None, NotBlankIfSent] = None


@area.operation(
    "POST",
    _PATH,
    scope=PROJECT,
    params=CreateStar,
    view=DashboardStarView,
    login=Login.NEVER,
    refusals=(400,),
    until="16.0",
)
def star_metrics_dashboard(ctx: WriteContext, project: Project, p: CreateStar) -> DashboardStar:
    """Star a dashboard of metrics."""
    path, decision = unquote_plus(p.dashboard_path), decide(ctx, Ability.STAR_METRICS_DASHBOARD, project)
    if not decision.allowed:
        raise NotStarred("You are not authorized to add star to this dashboard", reason=decision.why)
    if not dashboard_stars.is_dashboard(ctx.world, project, path):
        raise NotStarred("Dashboard with requested path can not be found", reason=f"there is no dashboard {path}")
    user = ctx.signed_in_user
    if dashboard_stars.find_star(ctx.world, project, user, path) is not None:
        raise NotStarred({"dashboard_path": ["has already been taken"]}, reason=f"{user.username} has starred {path}")
    return dashboard_stars.add_star(ctx, project, user, path)


@area.operation("DELETE", _PATH, scope=PROJECT, params=DeleteStars, status=200, until="16.0")
def unstar_metrics_dashboard(ctx: WriteContext, project: Project, p: DeleteStars) -> dict[str, int]:
    """Remove the caller's star for a dashboard, or all of them in the project."""
    path = unquote_plus(p.dashboard_path) if p.dashboard_path else None
    return {"deleted_rows": dashboard_stars.remove_stars(ctx, project, ctx.signed_in_user, path)}
