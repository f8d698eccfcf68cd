"""Wikis of projects and groups. Source: docs/platform/wikis.md."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeVar, Unpack

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login, Method, OperationOptions
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.wikis import front_matters, page_events, pages, wikis
from fakeplat.domain.wikis.pages import MARKDOWN, Format, WikiPage
from fakeplat.domain.wikis.wikis import Attachment
from fakeplat.entities.wikis import WikiAttachmentView, WikiPageBasic, WikiPageView
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Wikis", login=Login.NEVER)
F = TypeVar("F", bound=Callable[..., Any])


def _declare(
    method: Method,
    path: str,
    name: str,
    *,
    group_since: str = "",
    **options: Unpack[OperationOptions],
) -> Callable[[F], F]:
    """Return a decorator that declares an operation of the wikis of projects, and (paid) of groups."""
    group_options: OperationOptions = {**options, "tier": "premium"}

    def register(function: F) -> F:
        area.operation(method, path, name=name.format(PROJECT.word), scope=PROJECT, **options)(function)
        area.operation(method, path, name=name.format(GROUP.word), scope=GROUP, since=group_since, **group_options)(
            function
        )
        return function

    return register


class ListWikiPages(Params):
    """Whether the pages are listed with their texts."""

    with_content: bool = False


def _list_view(_ctx: ReadContext, p: ListWikiPages) -> type[WikiPageBasic]:
    return WikiPageView if p.with_content else WikiPageBasic


@_declare(
    "GET",
    "wikis",
    "list_{}_wiki_pages",
    ability=Ability.READ_WIKI,
    params=ListWikiPages,
    view=_list_view,
    many=True,
    paging=None,
)
def list_wiki_pages(ctx: ReadContext, container: Container) -> Sequence[WikiPage]:
    """List the pages of a wiki."""
    rows = pages.list_pages(wikis.open_repository(ctx.world, container))
    return [page_events.identify(ctx.world, container, page) for page in rows]


class GetWikiPage(Params):
    """The commit to read the page from, and whether its text is rendered."""

    version: Annotated[str, Lifetime(since="14.9")] = "HEAD"
    render_html: Annotated[bool, Lifetime(since="14.9")] = False


@_declare(
    "GET",
    "wikis/:slug",
    "get_{}_wiki_page",
    ability=Ability.READ_WIKI,
    params=GetWikiPage,
    view=WikiPageView,
    refusals=(404,),
)
def get_wiki_page(ctx: ReadContext, container: Container, slug: str, p: GetWikiPage) -> WikiPage:
    """Get a wiki page."""
    page = page_events.identify(ctx.world, container, wikis.get_page(ctx.world, container, slug, p.version))
    return wikis.render_page(ctx, container, page) if p.render_html else page


class FrontMatter(Params):
    """Values before the text of a page."""

    title: str | None = None


class CreateWikiPage(Params):
    """A new page; ``message`` is that of the commit."""

    title: str
    content: str
    format: Format = MARKDOWN
    message: str | None = None
    front_matter: Annotated[FrontMatter | None, Lifetime(since="<=18.9")] = None


@_declare(
    "POST",
    "wikis",
    "create_{}_wiki_page",
    ability=Ability.CREATE_WIKI,
    params=CreateWikiPage,
    view=WikiPageView,
    refusals=(400,),
)
def create_wiki_page(ctx: WriteContext, container: Container, p: CreateWikiPage) -> WikiPage:
    """Create a wiki page."""
    content = front_matters.write(p.front_matter.given(), p.content) if p.front_matter else p.content
    page = wikis.create_page(ctx, container, p.title, content, p.format, p.message)
    return page_events.identify(ctx.world, container, page)


class UpdateWikiPage(Params):
    """Changes of a page. As on the platform, a page becomes Markdown unless its format is sent."""

    title: str | None = None
    content: str | None = None
    format: Format = MARKDOWN
    message: str | None = None
    front_matter: Annotated[FrontMatter | None, Lifetime(since="<=18.9")] = None

    rules = (at_least_one_of("content", "title", "format").unless_any_sent("front_matter"),)


@_declare(
    "PUT",
    "wikis/:slug",
    "update_{}_wiki_page",
    ability=Ability.CREATE_WIKI,
    params=UpdateWikiPage,
    view=WikiPageView,
    refusals=(400, 404),
)
def update_wiki_page(ctx: WriteContext, container: Container, slug: str, p: UpdateWikiPage) -> WikiPage:
    """Update a wiki page."""
    page, content = wikis.get_page(ctx.world, container, slug), p.content
    if p.front_matter is not None:
        content = front_matters.write(p.front_matter.given(), content or page.content)
    changed = wikis.update_page(
        ctx, container, page, title=p.title or None, content=content, markup=p.format, message=p.message
    )
    return page_events.identify(ctx.world, container, changed)


@_declare("DELETE", "wikis/:slug", "delete_{}_wiki_page", ability=Ability.ADMIN_WIKI, refusals=(404,))
def delete_wiki_page(ctx: WriteContext, container: Container, slug: str) -> None:
    """Delete a wiki page."""
    wikis.delete_page(ctx, container, wikis.get_page(ctx.world, container, slug))


class UploadWikiAttachment(Params):
    """The file, and the branch to commit it to."""

    file: Upload
    branch: str | None = None


@_declare(
    "POST",
    "wikis/attachments",
    "upload_{}_wiki_attachment",
    ability=Ability.CREATE_WIKI,
    group_since="<=13.12",
    params=UploadWikiAttachment,
    view=WikiAttachmentView,
    refusals=(400,),
)
def upload_wiki_attachment(ctx: WriteContext, container: Container, p: UploadWikiAttachment) -> Attachment:
    """Upload a file to a wiki, to be linked in its pages."""
    return wikis.attach_file(ctx, container, p.file, p.branch)
