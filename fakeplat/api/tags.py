"""Tags; their releases are an area of their own. Source: docs/platform/tags.md."""

from collections.abc import Sequence
from typing import Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.core.stamps import SECOND, stamp
from fakeplat.domain.repository import branches, repositories, tags
from fakeplat.domain.repository.tags import TagAt
from fakeplat.entities.tags import TagView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand

area: Final = Area("Tags", login=Login.NEVER, located_first=True)
PATH: Final = "repository/tags"


class ListTags(Paged):
    """Filters and order of the list."""

    order_by: Literal["name", "updated"] = "updated"
    sort: Literal["asc", "desc"] = "desc"
    search: str | None = None


@area.operation("GET", PATH, under=PROJECT, may=May.DOWNLOAD_CODE, takes=ListTags, shows=TagView, many=True)
def list_tags(cx: Context, project: Project, p: ListTags) -> Sequence[TagAt]:
    """List tags by the date of their commits."""
    found = tags.every(cx.world, project)
    if p.order_by == "updated":
        found.sort(key=lambda tag: tags.updated(cx.world, project, tag))
    ordered = found if p.sort == "asc" else found[::-1]
    if not p.search:
        return ordered
    by_name = {tag.name: tag for tag in ordered}
    return [by_name[name] for name in branches.named(by_name, p.search)]


@area.operation(
    "GET",
    f"{PATH}/:tag_name",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    shows=TagView,
    refuses=(404,),
)
def get_tag(cx: Context, project: Project, tag_name: str) -> TagAt:
    """Get a tag."""
    return tags.get(cx.world, project, tag_name)


class CreateTag(Params):
    """A new tag; one with a message is annotated."""

    tag_name: str
    ref: str
    message: str | None = None


@area.operation(
    "POST",
    PATH,
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=CreateTag,
    shows=TagView,
    refuses=(400, 403),
)
def create_tag(cx: Doing, project: Project, p: CreateTag) -> TagAt:
    """Create a tag."""
    demand(cx, May.PUSH_CODE, project)
    return tags.create(cx, project, p.tag_name, p.ref, p.message)


@area.operation("DELETE", f"{PATH}/:tag_name", under=PROJECT, may=May.DOWNLOAD_CODE, refuses=(400, 403, 404, 412))
def delete_tag(cx: Doing, project: Project, tag_name: str) -> None:
    """Delete a tag."""
    demand(cx, May.PUSH_CODE, project)
    found = tags.get(cx.world, project, tag_name)
    if found.commit is not None:
        commit = repositories.opened(cx.world, project).objects.commit(found.commit)
        cx.unmodified_since(stamp(commit.author.when * SECOND))
    tags.delete(cx, project, found)
