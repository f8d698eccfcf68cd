"""Links to the assets of releases. Source: docs/platform/releases.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fakeplat.api.releases.release_scopes import PROJECT_WITH_RELEASES, area
from fakeplat.api.releases.releases import check_link_type, choose_path
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.releases import release_links, releases
from fakeplat.entities.releases import ReleaseLinkView
from fakeplat.model.projects import Project
from fakeplat.model.releases import ReleaseLink
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

PATH: Final = "releases/:tag_name/assets/links"


@area.operation(
    "GET", PATH, scope=PROJECT_WITH_RELEASES, params=Paged, view=ReleaseLinkView, many=True, refusals=(404,)
)
def list_release_links(ctx: ReadContext, project: Project, tag_name: str) -> Sequence[ReleaseLink]:
    """List the links of a release, newest first."""
    return release_links.list_links(ctx.world, releases.get(ctx.world, project, tag_name))


@area.operation("GET", f"{PATH}/:link_id", scope=PROJECT_WITH_RELEASES, view=ReleaseLinkView, refusals=(404,))
def get_release_link(ctx: ReadContext, project: Project, tag_name: str, link_id: str) -> ReleaseLink:
    """Get a link of a release."""
    return release_links.get_link(ctx.world, releases.get(ctx.world, project, tag_name), link_id)


class CreateReleaseLink(Params):
    """A new link."""

    name: str
    url: str
    filepath: str | None = None
    direct_asset_path: Annotated[str | None, Lifetime(since="15.9")] = None
    link_type: str | None = None


@area.operation(
    "POST", PATH, scope=PROJECT_WITH_RELEASES, params=CreateReleaseLink, view=ReleaseLinkView, refusals=(400, 403, 404)
)
def create_release_link(ctx: WriteContext, project: Project, tag_name: str, p: CreateReleaseLink) -> ReleaseLink:
    """Add a link to a release."""
    release = releases.get(ctx.world, project, tag_name)
    authorize(ctx, Ability.CREATE_RELEASE, project)
    releases.require_tag(ctx, project, tag_name)
    return release_links.create(ctx, release, **_fields(p))


def _fields(p: Params) -> dict[str, Any]:
    fields = choose_path(p.given())
    return {**fields, "link_type": check_link_type(fields["link_type"])} if "link_type" in fields else fields


class UpdateReleaseLink(Params):
    """Changes of a link."""

    name: str | None = None
    url: str | None = None
    filepath: str | None = None
    direct_asset_path: Annotated[str | None, Lifetime(since="15.9")] = None
    link_type: str | None = None

    rules = (at_least_one_of("name", "url"),)


@area.operation(
    "PUT",
    f"{PATH}/:link_id",
    scope=PROJECT_WITH_RELEASES,
    params=UpdateReleaseLink,
    view=ReleaseLinkView,
    refusals=(400, 403, 404),
)
def update_release_link(
    ctx: WriteContext, project: Project, tag_name: str, link_id: str, p: UpdateReleaseLink
) -> ReleaseLink:
    """Update a link of a release."""
    release = releases.get(ctx.world, project, tag_name)
    authorize(ctx, Ability.UPDATE_RELEASE, project)
    releases.require_tag(ctx, project, tag_name)
    link = release_links.get_link(ctx.world, release, link_id)
    return release_links.update(ctx, release, link, **_fields(p))


@area.operation(
    "DELETE",
    f"{PATH}/:link_id",
    scope=PROJECT_WITH_RELEASES,
    view=ReleaseLinkView,
    status=200,
    refusals=(403, 404),
)
def delete_release_link(ctx: WriteContext, project: Project, tag_name: str, link_id: str) -> ReleaseLink:
    """Delete a link of a release."""
    release = releases.get(ctx.world, project, tag_name)
    authorize(ctx, Ability.DESTROY_RELEASE, project)
    releases.require_tag(ctx, project, tag_name)
    link = release_links.get_link(ctx.world, release, link_id)
    release_links.delete(ctx, link)
    return link
