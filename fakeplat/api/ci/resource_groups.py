"""Resource groups of projects. Source: docs/platform/deployments.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import resource_groups
from fakeplat.entities.ci.jobs import JobBasic, ResourceGroupView
from fakeplat.model.ci import Job, ProcessMode, ResourceGroup
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Resource groups", login=Login.ALWAYS)
# Known from client-go 0.148.0 of 2025-09-23.
_NEWEST_READY: Final = Lifetime(since="<=18.4", values=("newest_ready_first",))


@area.operation(
    "GET",
    "resource_groups",
    scope=PROJECT,
    ability=Ability.READ_RESOURCE_GROUP,
    params=Paged,
    view=ResourceGroupView,
    many=True,
    since="15.0",
)
def list_resource_groups(ctx: ReadContext, project: Project) -> Sequence[ResourceGroup]:
    """List the resource groups of a project."""
    return ctx.world.resource_groups.where("project", project.id)


@area.operation(
    "GET",
    "resource_groups/:key",
    scope=PROJECT,
    ability=Ability.READ_RESOURCE_GROUP,
    view=ResourceGroupView,
    refusals=(404,),
    since="14.3",
)
def get_resource_group(ctx: ReadContext, project: Project, key: str) -> ResourceGroup:
    """Get a resource group."""
    return resource_groups.get_group(ctx.world, project, key)


class UpdateResourceGroup(Params):
    """Changes of a resource group."""

    process_mode: Annotated[ProcessMode | None, _NEWEST_READY] = None


@area.operation(
    "PUT",
    "resource_groups/:key",
    scope=PROJECT,
    ability=Ability.UPDATE_RESOURCE_GROUP,
    params=UpdateResourceGroup,
    view=ResourceGroupView,
    refusals=(404,),
    since="14.3",
)
def update_resource_group(ctx: WriteContext, project: Project, key: str, p: UpdateResourceGroup) -> ResourceGroup:
    """Update the order in which jobs get the resource."""
    group = resource_groups.get_group(ctx.world, project, key)
    return group if p.process_mode is None else resource_groups.set_process_mode(ctx, group, p.process_mode)


@area.operation(
    "GET",
    "resource_groups/:key/upcoming_jobs",
    scope=PROJECT,
    ability=Ability.READ_RESOURCE_GROUP,
    params=Paged,
    view=JobBasic,
    many=True,
    refusals=(404,),
    since="15.5",
)
def list_resource_group_upcoming_jobs(ctx: ReadContext, project: Project, key: str) -> Sequence[Job]:
    """List the jobs that get the resource next."""
    return resource_groups.list_upcoming(ctx.world, resource_groups.get_group(ctx.world, project, key))


@area.operation(
    "GET",
    "resource_groups/:key/current_job",
    scope=PROJECT,
    ability=Ability.READ_RESOURCE_GROUP,
    view=JobBasic,
    refusals=(403, 404),
    since="18.6",
)
def get_resource_group_current_job(ctx: ReadContext, project: Project, key: str) -> Job | None:
    """Get the job that holds the resource; null if none does."""
    group = resource_groups.get_group(ctx.world, project, key)
    authorize(ctx, Ability.READ_BUILD, project)
    return resource_groups.find_current(ctx.world, group)
