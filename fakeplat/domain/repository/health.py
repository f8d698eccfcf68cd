"""Reports about the health of repositories. Source: docs/platform/repository.md ('Health')."""

from typing import Final

from fakeplat.domain.instance import features
from fakeplat.domain.repository import repositories
from fakeplat.git.reachability import reachable_objects
from fakeplat.model.projects import Project
from fakeplat.model.repository import HealthReport, Repository
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

FEATURE: Final = "project_repositories_health"


def is_on(world: World, project: Project) -> bool:
    """Return whether a project has reports, which needs a feature that is off by default."""
    return features.is_enabled(world, FEATURE, project)


def find_reported(world: World, project: Project) -> Repository | None:
    """Return the repository of a project if there is a report about it, else None."""
    record = repositories.record_of(world, project)
    return record if record and record.health else None


def generate(ctx: WriteContext, project: Project) -> None:
    """Write a report of a repository; there is none of a project without one."""
    record = repositories.record_of(ctx.world, project)
    if record is not None:
        git = repositories.open_repository(ctx.world, project)
        objects = reachable_objects(git.objects, git.refs.values())
        report = HealthReport(git.size(), len(git.refs), len(objects), ctx.now_iso)
        ctx.world.repositories.change(record, health=report)
