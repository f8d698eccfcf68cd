"""Tags, and the deprecated operations of their releases. Source: docs/platform/tags.md."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paging, TokenPaged
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import branches, repositories, tags
from fakeplat.domain.repository.tags import ProjectTag
from fakeplat.entities.repository.tags import TagReleaseView, TagView
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.repository import TAGS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import JOBS_READ_REPOSITORIES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Tags", login=Login.NEVER, located_first=True)
PATH: Final = "repository/tags"


class ListTags(TokenPaged):
    """Filters and order of the list of tags."""

    order_by: Annotated[Literal["name", "updated", "version"], Lifetime(since="15.4", values=("version",))] = "updated"
    sort: Literal["asc", "desc"] = "desc"
    search: str | None = None
    pagination: Annotated[str | None, Lifetime(since="<=18.9")] = None
    page_token: Annotated[str | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "GET",
    PATH,
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=ListTags,
    view=TagView,
    many=True,
    paging=Paging(token=attrgetter("name"), token_prefix=TAGS),
    refusals=(422,),
    job_token=JOBS_READ_REPOSITORIES,
)
def list_tags(ctx: ReadContext, project: Project, p: ListTags) -> Sequence[ProjectTag]:
    """List tags by the date of their commits."""
    project_tags = tags.list_tags(ctx.world, project)
    if p.order_by == "updated":
        # Sorting is stable: tags of equal dates are ordered by name, in the same direction as all others.
        project_tags.sort(key=lambda tag: tags.updated_at(ctx.world, project, tag))
    elif p.order_by == "version":
        project_tags.sort(key=lambda tag: tags.version_order(tag.name))
    ordered = project_tags if p.sort == "asc" else project_tags[::-1]
    if not p.search:
        return ordered
    by_name = {tag.name: tag for tag in ordered}
    return [by_name[name] for name in branches.filter_names(by_name, p.search)]


@area.operation(
    "GET",
    f"{PATH}/:tag_name",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    view=TagView,
    refusals=(404,),
)
def get_tag(ctx: ReadContext, project: Project, tag_name: str) -> ProjectTag:
    """Get a tag."""
    return tags.get_tag(ctx.world, project, tag_name)


class CreateTag(Params):
    """A new tag; one with a message is annotated. With a description, it gets a release, too."""

    tag_name: str
    ref: str
    message: str | None = None
    release_description: Annotated[str | None, Lifetime(until="14.0")] = None


@area.operation(
    "POST",
    PATH,
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateTag,
    view=TagView,
    refusals=(400, 403),
)
def create_tag(ctx: WriteContext, project: Project, p: CreateTag) -> ProjectTag:
    """Create a tag."""
    authorize(ctx, Ability.PUSH_CODE, project)
    tag = tags.create(ctx, project, p.tag_name, p.ref, p.message)
    if p.release_description:
        # The tag stays, even if it cannot have a release.
        with ctx.attempt():
            authorize(ctx, Ability.CREATE_RELEASE, project)
            releases.create(ctx, project, tag.name, description=p.release_description)
    return tag


class DescribeTag(Params):
    """The description of a release."""

    description: str


@area.operation(
    "POST",
    f"{PATH}/:tag_name/release",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=DescribeTag,
    view=TagReleaseView,
    refusals=(403, 404, 409),
    until="14.0",
)
def create_tag_release(ctx: WriteContext, project: Project, tag_name: str, p: DescribeTag) -> Release:
    """Create the release of a tag; deprecated."""
    authorize(ctx, Ability.CREATE_RELEASE, project)
    tag = tags.get_tag(ctx.world, project, tag_name)
    return releases.create(ctx, project, tag.name, description=p.description)


@area.operation(
    "PUT",
    f"{PATH}/:tag_name/release",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=DescribeTag,
    view=TagReleaseView,
    refusals=(403, 404),
    until="14.0",
)
def update_tag_release(ctx: WriteContext, project: Project, tag_name: str, p: DescribeTag) -> Release:
    """Update the description of the release of a tag; deprecated."""
    release = releases.get_permitted(ctx, Ability.UPDATE_RELEASE, project, tag_name)
    return releases.update(ctx, project, release, description=p.description)


@area.operation(
    "GET",
    f"{PATH}/:tag_name/signature",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    since="15.7",
    refusals=(404,),
)
def get_repository_tag_signature(ctx: ReadContext, project: Project, tag_name: str) -> dict[str, str]:
    """Get the kind of signature that a tag has."""
    tag = tags.get_tag(ctx.world, project, tag_name)
    kind = tags.find_signature_type(tag)
    if kind is None:
        raise NotFound("Signature", reason=f"the tag {tag.name!r} is not signed")
    return {"signature_type": kind}


@area.operation(
    "DELETE", f"{PATH}/:tag_name", scope=PROJECT, ability=Ability.DOWNLOAD_CODE, refusals=(400, 403, 404, 412)
)
def delete_tag(ctx: WriteContext, project: Project, tag_name: str) -> None:
    """Delete a tag."""
    authorize(ctx, Ability.PUSH_CODE, project)
    tag = tags.get_tag(ctx.world, project, tag_name)
    # A tag may point to a tree or blob, which has no date to compare the header with.
    if tag.commit is not None:
        commit = repositories.open_repository(ctx.world, project).objects.commit(tag.commit)
        ctx.check_unmodified_since(to_iso(commit.author.timestamp))
    tags.delete(ctx, project, tag)
