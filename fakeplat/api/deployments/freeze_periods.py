"""Freeze periods of projects. Source: docs/platform/freeze-periods.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.deployments import freeze_periods
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.environments import FreezePeriodView
from fakeplat.model.deployments import FreezePeriod
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Freeze periods", login=Login.ALWAYS)
PATH: Final = "freeze_periods/:freeze_period_id"


@area.operation(
    "GET",
    "freeze_periods",
    scope=PROJECT,
    ability=Ability.READ_FREEZE_PERIOD,
    params=Paged,
    view=FreezePeriodView,
    many=True,
)
def list_freeze_periods(ctx: ReadContext, project: Project) -> Sequence[FreezePeriod]:
    """List the freeze periods of a project."""
    return freeze_periods.list_freeze_periods(ctx.world, project)


@area.operation("GET", PATH, scope=PROJECT, ability=Ability.READ_FREEZE_PERIOD, view=FreezePeriodView, refusals=(404,))
def get_freeze_period(ctx: ReadContext, project: Project, freeze_period_id: int) -> FreezePeriod:
    """Get a freeze period of a project."""
    return freeze_periods.get_freeze_period(ctx.world, project, freeze_period_id)


class CreateFreezePeriod(Params):
    """A new freeze period."""

    freeze_start: str
    freeze_end: str
    cron_timezone: str = "UTC"


@area.operation(
    "POST",
    "freeze_periods",
    scope=PROJECT,
    ability=Ability.CREATE_FREEZE_PERIOD,
    params=CreateFreezePeriod,
    view=FreezePeriodView,
    refusals=(400,),
)
def create_freeze_period(ctx: WriteContext, project: Project, p: CreateFreezePeriod) -> FreezePeriod:
    """Create a freeze period in a project."""
    return freeze_periods.create(ctx, project, **p.given())


class UpdateFreezePeriod(Params):
    """Changes of a freeze period."""

    freeze_start: str | None = None
    freeze_end: str | None = None
    cron_timezone: str | None = None


@area.operation(
    "PUT",
    PATH,
    scope=PROJECT,
    ability=Ability.UPDATE_FREEZE_PERIOD,
    params=UpdateFreezePeriod,
    view=FreezePeriodView,
    refusals=(400, 404),
)
def update_freeze_period(
    ctx: WriteContext, project: Project, freeze_period_id: int, p: UpdateFreezePeriod
) -> FreezePeriod:
    """Update a freeze period of a project."""
    period = freeze_periods.get_freeze_period(ctx.world, project, freeze_period_id)
    return freeze_periods.update(ctx, period, **p.given())


@area.operation("DELETE", PATH, scope=PROJECT, ability=Ability.DESTROY_FREEZE_PERIOD, refusals=(404, 412))
def delete_freeze_period(ctx: WriteContext, project: Project, freeze_period_id: int) -> None:
    """Delete a freeze period of a project."""
    period = freeze_periods.get_freeze_period(ctx.world, project, freeze_period_id)
    ctx.check_unmodified_since(period.updated_at)
    purge(ctx, period)
