"""The catalogue of components. Source: docs/platform/pipelines-jobs.md ('The catalogue of components')."""

from typing import Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import catalog
from fakeplat.domain.releases import releases
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

area: Final = Area("Projects", login=Login.ALWAYS)


class PublishCatalog(Params):
    """The tag of a release, and what is known of its components, which the repository tells as well."""

    version: str
    metadata: dict[str, object]


@area.operation(
    "POST",
    "catalog/publish",
    scope=PROJECT,
    params=PublishCatalog,
    job_token=True,
    refusals=(403, 404, 422),
    since="<=18.9",
)
def publish_catalog(ctx: WriteContext, project: Project, p: PublishCatalog) -> dict[str, Any]:
    """Publish a release as a version of the components of a project."""
    release = releases.get(ctx.world, project, p.version)
    authorize(ctx, Ability.CREATE_RELEASE, project)
    catalog.publish(ctx, project, release)
    return {"catalog_url": f"{ctx.origin}/explore/catalog/{urls.project_path(ctx, project)}"}
