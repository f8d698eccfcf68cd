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
from fakeplat.policy.context import ReadContext, WriteContext


class GetHealth(Params):
    """Whether a new report is written."""

    generate: bool = False


def _plan(ctx: ReadContext, records: Sequence[Project], p: GetHealth) -> Callable[[WriteContext], object] | None:
    project = records[0]
    wanted = p.generate and health.is_on(ctx.world, project) and can(ctx, Ability.ADMIN_PROJECT, project)
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
    if not health.is_on(ctx.world, project):
        raise NotFound(reason=f"the feature {health.FEATURE} is off")
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    repository = health.find_reported(ctx.world, project)
    if repository is None:
        raise NotFound(reason="no report was written yet; generate=true writes one")
    return repository
