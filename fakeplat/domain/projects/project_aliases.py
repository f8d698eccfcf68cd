"""Aliases of projects, by which git finds them (paid). Source: docs/platform/projects.md."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors
from fakeplat.model.projects import Project, ProjectAlias
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature


def list_aliases(world: World) -> Sequence[ProjectAlias]:
    """Return all aliases."""
    return world.project_aliases.all()


def get_alias(world: World, name: str) -> ProjectAlias:
    """Return the alias with a name, or refuse with 404."""
    alias = world.project_aliases.find("name", name)
    if alias is None:
        raise RecordNotFound(reason=f"no project has the alias {name}")
    return alias


def find_project(world: World, name: str) -> Project | None:
    """Return the project with an alias, or None; aliases count in paid tiers only."""
    alias = world.project_aliases.find("name", name)
    return world.projects[alias.project_id] if alias is not None and has_feature(world, "premium") else None


def create(ctx: WriteContext, project: Project, name: str) -> ProjectAlias:
    """Give a project an alias that no other one has."""
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    errors.when(ctx.world.project_aliases.find("name", name) is not None, "name", TAKEN)
    errors.refuse()
    table = ctx.world.project_aliases
    return table.add(ProjectAlias(table.next_id(), project.id, name))
