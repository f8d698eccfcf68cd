"""Environments of projects, as far as alerts name them."""

from typing import Any

from fakeplat.domain.checks import BLANK, TAKEN, Faults, too_long
from fakeplat.model.environments import Environment
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import Doing


def by_name(world: World, project: Project, name: str) -> Environment | None:
    """The environment with exactly this name."""
    return world.environments.find("place", (project.id, name))


def create(cx: Doing, project: Project, name: str, **fields: Any) -> Environment:
    """Make an environment from a name and any field of the record."""
    faults = Faults()
    faults.when(not name.strip(), "name", BLANK)
    faults.when(by_name(cx.world, project, name), "name", TAKEN)
    too_long(faults, "name", name)
    faults.refuse()
    table, created_at = cx.world.environments, fields.get("created_at", cx.instant)
    times = {"created_at": created_at, "updated_at": created_at}
    return table.add(Environment(id=table.next_id(), project_id=project.id, name=name, **{**times, **fields}))


def drop(cx: Doing, project: Project) -> None:
    """Remove all environments of a project that goes."""
    for environment in list(cx.world.environments.where("project", project.id)):
        cx.world.environments.remove(environment)
