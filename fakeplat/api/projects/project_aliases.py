"""Aliases of projects. Source: docs/platform/projects.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import get_project
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import project_aliases
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.projects import ProjectAliasView
from fakeplat.model.projects import ProjectAlias
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Project aliases", login=Login.ALWAYS, located_first=True)
ADMIN: Final = Ability.ADMIN_PROJECT_ALIASES


@area.operation("GET", "project_aliases", ability=ADMIN, params=Paged, view=ProjectAliasView, many=True, tier="premium")
def list_project_aliases(ctx: ReadContext) -> Sequence[ProjectAlias]:
    """List the aliases of all projects."""
    return project_aliases.list_aliases(ctx.world)


@area.operation("GET", "project_aliases/:name", ability=ADMIN, view=ProjectAliasView, refusals=(404,), tier="premium")
def get_project_alias(ctx: ReadContext, name: str) -> ProjectAlias:
    """Get an alias by its name."""
    return project_aliases.get_alias(ctx.world, name)


class CreateProjectAlias(Params):
    """A project, by its id or full path, and its new alias."""

    project_id: str
    name: str


@area.operation(
    "POST",
    "project_aliases",
    ability=ADMIN,
    params=CreateProjectAlias,
    view=ProjectAliasView,
    refusals=(400, 404),
    tier="premium",
)
def create_project_alias(ctx: WriteContext, p: CreateProjectAlias) -> ProjectAlias:
    """Create an alias of a project."""
    return project_aliases.create(ctx, get_project(ctx, p.project_id), p.name)


@area.operation("DELETE", "project_aliases/:name", ability=ADMIN, refusals=(404,), tier="premium")
def delete_project_alias(ctx: WriteContext, name: str) -> None:
    """Delete an alias by its name."""
    purge(ctx, project_aliases.get_alias(ctx.world, name))
