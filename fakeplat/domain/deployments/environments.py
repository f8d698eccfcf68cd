"""Environments of projects, as referenced by alerts."""

from typing import Any

from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.environments import Environment
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def find_by_name(world: World, project: Project, name: str) -> Environment | None:
    """Return the environment with exactly this name."""
    return world.environments.find("place", (project.id, name))


def create(ctx: WriteContext, project: Project, name: str, **fields: Any) -> Environment:
    """Create an environment from a name and any field of the record."""
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    errors.when(find_by_name(ctx.world, project, name), "name", TAKEN)
    too_long(errors, "name", name)
    errors.refuse()
    table, created_at = ctx.world.environments, fields.get("created_at", ctx.now_iso)
    times = {"created_at": created_at, "updated_at": created_at}
    return table.add(Environment(id=table.next_id(), project_id=project.id, name=name, **{**times, **fields}))
