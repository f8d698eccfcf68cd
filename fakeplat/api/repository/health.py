"""Reports about the health of repositories. Source: docs/platform/repository.md ('Health')."""

from collections.abc import Callable, Sequence
from functools import partial

from fakeplat.api.repository.repository import area
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Reading
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import health
from fakeplat.entities.repository.health import RepositoryHealthView
from fakeplat.model.projects import Project
from fakeplat.model.repository import Repository
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import HEALTH_IS_FOR_WHO_PUSHES
from fakeplat.policy.context import ReadContext, WriteContext


class GetHealth(Params):
    """Whether a new report is written."""

    generate: bool = False


def _is_on(ctx: ReadContext, project: Project) -> bool:
    return ctx.profile.has(HEALTH_IS_FOR_WHO_PUSHES) or health.is_on(ctx.world, project)


def _needed_ability(ctx: ReadContext) -> Ability:
    return Ability.PUSH_CODE if ctx.profile.has(HEALTH_IS_FOR_WHO_PUSHES) else Ability.ADMIN_PROJECT


def _plan(ctx: ReadContext, records: Sequence[Project], p: GetHealth) -> Callable[[WriteContext], object] | None:
    project = records[0]
    wanted = p.generate and _is_on(ctx, project) and can(ctx, _needed_ability(ctx), project)
    return partial(health.generate, project=project) if wanted else None


@area.operation(
    "GET",
    "repository/health",
    name="get_repository_health",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=GetHealth,
    view=RepositoryHealthView,
    since="17.10",
    refusals=(403, 404),
    reading=Reading(advances=lambda _world, _records: (), effect=_plan),
)
def get_repository_health(ctx: ReadContext, project: Project) -> Repository:
    """Get the last report about a repository, or a new one."""
    if not _is_on(ctx, project):
        raise NotFound(reason=f"the feature {health.FEATURE} is off")
    authorize(ctx, _needed_ability(ctx), project)
    repository = health.find_reported(ctx.world, project)
    if repository is None:
        raise NotFound(reason="no report was written yet; generate=true writes one")
    return repository
