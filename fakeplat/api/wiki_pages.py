"""HTML pages of wikis, and the files in them, at their web URLs. Source: docs/contract.md ('URLs')."""

from fakeplat.api.pages import area, page_not_found, render_html_page
from fakeplat.api.repository.repository import render_raw_file
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.domain.people import namespaces
from fakeplat.domain.wikis import pages, wikis
from fakeplat.entities import urls
from fakeplat.entities.wikis import WikiPageView
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature


@area.operation("GET", "*project/-/wikis/*slug", ours=True)
def get_wiki_page_page(ctx: ReadContext, project: str, slug: str) -> RawBody:
    """Show the page of a wiki page, or download a file of the wiki."""
    container = _find_container(ctx, project)
    if container is None or not can(ctx, Ability.READ_WIKI, container):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no wiki at /{project}")
    git = wikis.open_repository(ctx.world, container)
    page = pages.find_page(git, slug)
    if page is not None:
        kind = "projects" if isinstance(container, Project) else "groups"
        api_url = urls.api_url(ctx, f"{kind}/{container.id}/wikis/{page.slug.replace('/', '%2F')}")
        return render_html_page("Wiki page", WikiPageView(page, ctx).values(), api_url)
    entry = None if git.is_empty else git.entry("HEAD", slug)
    if entry is None or entry.kind != "blob":
        raise page_not_found(ctx, f"the wiki at /{project} has no page or file {slug!r}")
    return render_raw_file(git.objects.blob(entry.sha), entry.name)


def _find_container(ctx: ReadContext, path: str) -> Container | None:
    if not path.startswith("groups/"):
        return namespaces.find_project_by_path(ctx.world, path)
    group = namespaces.find_by_path(ctx.world, path.removeprefix("groups/"))
    return group if isinstance(group, Group) and has_feature(ctx.world, "premium", group) else None
