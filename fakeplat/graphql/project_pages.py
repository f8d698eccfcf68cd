"""Addresses of pages of projects. Source: docs/platform/graphql.md ('Namespaces')."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain import settings, urls
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=16.2"
PAGES: Final = Type("ProjectStatisticsRedirect", "The pages that show what a project stores.", since=_SINCE)
PAGES.attributes(
    {
        "buildArtifacts: String!": "The URL of the artifacts of jobs.",
        "containerRegistry: String!": "The URL of the images.",
        "packages: String!": "The URL of the packages.",
        "repository: String!": "The URL of the files.",
        "snippets: String!": "The URL of the snippets.",
        "wiki: String!": "The URL of the pages of the wiki.",
    }
)


@PROJECT.field("statisticsDetailsPaths: ProjectStatisticsRedirect", since=_SINCE)
def statistics_pages(ctx: ReadContext, project: Project) -> Mapping[str, str]:
    """The pages that show what the project stores."""
    url = urls.project_url(ctx, project)
    branch = project.default_branch or settings.default_branch(ctx.world, project)
    return {
        "build_artifacts": f"{url}/-/artifacts",
        "container_registry": f"{url}/container_registry",
        "packages": f"{url}/-/packages",
        "repository": f"{url}/-/tree/{branch}",
        "snippets": f"{url}/-/snippets",
        "wiki": f"{url}/-/wikis/pages",
    }


@PROJECT.field("exploreCatalogPath: String", since="17.6")
def catalog_path(ctx: ReadContext, project: Project) -> str | None:
    """The path of the page in the catalogue, if the project is in it."""
    return None if project.catalog_resource_at is None else f"/explore/catalog/{urls.project_path(ctx, project)}"
