"""Pages of wikis. Source: docs/platform/graphql.md, docs/platform/wikis.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.notes import discussions, note_access, noteables, notes, subscriptions
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.wikis import page_events, pages, wikis
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.notes.notes import is_shown
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Scalar, Type, mutation
from fakeplat.model.notes import Note
from fakeplat.model.people import Group
from fakeplat.model.projects import Container
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "17.6"
_LISTED: Final = "<=19.2"
_TWO_OWNERS: Final = "Only one of `namespace_id` or `project_id` are allowed."


@frozen
class ListedPage:
    """A page of the wiki of a project or group, with the id of the record that stands for it."""

    id: int
    container: Container
    page: WikiPage

    @property
    def title(self) -> str:
        """The title."""
        return self.page.title

    @property
    def slug(self) -> str:
        """The path in URLs."""
        return self.page.slug


Scalar("WikiPageMetaID", "The global ID of a page of a wiki.", since="18.1")
PAGE = Type(
    "WikiPage",
    "A page of a wiki.",
    gid="WikiPage::Meta",
    implements=("NoteableInterface",),
    since=_SINCE,
    connection_since=_LISTED,
)
PAGE.attributes({"title: String!": "The title."})
PAGE.attributes({"slug: String": "The path in URLs."}, since=_LISTED)


@PAGE.field("webUrl: String", since="<=18.5")
def web_url(ctx: ReadContext, listed: ListedPage) -> str:
    """The URL of the page."""
    return wikis.page_url(ctx, listed.container, listed.page)


def _meta_of(ctx: ReadContext, listed: ListedPage) -> WikiPageMeta:
    """Return the record that stands for a page, or one that is not saved as long as nobody has looked at the page."""
    saved = ctx.world.wiki_page_metas.get(listed.id)
    return saved or page_events.build_meta(listed.id, listed.container, listed.slug, listed.title)


@PAGE.field("notes(filter: NotesFilterType): NoteConnection!")
def notes_of_page(ctx: ReadContext, listed: ListedPage, filter: str | None = None) -> Sequence[Note]:
    """The comments on the page, oldest first."""
    return [note for note in notes.list_visible_notes(ctx, _meta_of(ctx, listed)) if is_shown(note, filter)]


@PAGE.field("discussions: DiscussionConnection!")
def discussions_of_page(ctx: ReadContext, listed: ListedPage) -> Sequence[Discussion]:
    """The discussions on the page."""
    return discussions.list_discussions(ctx, _meta_of(ctx, listed))


PERMISSIONS: Final = Type("WikiPagePermissions", "What the caller may do with a page of a wiki.", since="<=18.5")


@PAGE.field("userPermissions: WikiPagePermissions!", since="<=18.5")
def permissions_of(_ctx: ReadContext, listed: ListedPage) -> ListedPage:
    """What the caller may do."""
    return listed


@PERMISSIONS.field("readWikiPage: Boolean!")
def may_read_page(ctx: ReadContext, listed: ListedPage) -> bool:
    """Whether the caller may read it."""
    return can(ctx, Ability.READ_WIKI, listed.container)


@PERMISSIONS.field("createNote: Boolean!")
def may_comment(ctx: ReadContext, listed: ListedPage) -> bool:
    """Whether the caller may comment on it."""
    return noteables.can_comment(ctx, _meta_of(ctx, listed)).allowed


@PERMISSIONS.field("markNoteAsInternal: Boolean!")
def may_write_internally(ctx: ReadContext, listed: ListedPage) -> bool:
    """Whether comments of the caller may be internal."""
    return note_access.can_write_internally(ctx, _meta_of(ctx, listed))


@PAGE.field("subscribed: Boolean!", since="<=18.5")
def is_subscribed(ctx: ReadContext, listed: ListedPage) -> bool:
    """Whether the caller gets notifications about it."""
    return subscriptions.is_notified(ctx.world, _meta_of(ctx, listed), ctx.viewer)


def _may_read(ctx: ReadContext, container: Container) -> bool:
    """Return whether the caller may read the wiki. Wikis of groups are paid."""
    is_licensed = not isinstance(container, Group) or has_feature(ctx.world, "premium", container)
    return is_licensed and can(ctx, Ability.READ_WIKI, container)


@PROJECT.field("wikiPages: WikiPageConnection", since=_LISTED)
@GROUP.field("wikiPages: WikiPageConnection", since=_LISTED)
def wiki_pages(ctx: ReadContext, container: Container) -> Sequence[ListedPage] | None:
    """The pages of the wiki, if the caller may read it."""
    if not _may_read(ctx, container):
        return None
    listed = pages.list_pages(wikis.open_repository(ctx.world, container))
    identified = (page_events.identify(ctx.world, container, page) for page in listed)
    return [ListedPage(page.meta_id, container, page) for page in identified if page.meta_id is not None]


def _plan_identification(_ctx: ReadContext, listed: ListedPage) -> Callable[[WriteContext], None] | None:
    """Return what adds the record that stands for a page, as long as there is none."""
    if listed.id:
        return None

    def identify(ctx: WriteContext) -> None:
        page_events.get_or_create_meta(ctx.world, listed.container, listed.slug, listed.title)

    return identify


@QUERY.field(
    "wikiPage(slug: String, projectId: ProjectID, namespaceId: NamespaceID): WikiPage",
    read_effect=_plan_identification,
    since=_SINCE,
)
def find_wiki_page(
    ctx: ReadContext, slug: str | None = None, project_id: str | None = None, namespace_id: str | None = None
) -> ListedPage | None:
    """The page of the wiki of a project or group with a slug, if the caller may read it."""
    if project_id and namespace_id:
        raise GraphQLError(_TWO_OWNERS)
    container = _find_container(ctx, project_id, namespace_id)
    if not slug or container is None or not _may_read(ctx, container):
        return None
    page = pages.find_page(wikis.open_repository(ctx.world, container), slug)
    if page is None:
        return None
    return ListedPage(page_events.identify(ctx.world, container, page).meta_id or 0, container, page)


def _find_container(ctx: ReadContext, project_id: str | None, namespace_id: str | None) -> Container | None:
    if project_id:
        return ctx.world.projects.get(parse_id(ctx, project_id, "Project"))
    if not namespace_id:
        return None
    group = ctx.world.namespaces.get(parse_id(ctx, namespace_id, "Group", "Namespace"))
    return group if isinstance(group, Group) else None


@mutation(
    "wikiPageSubscribe",
    input_fields='''
"""The global ID of the page."""
id: WikiPageMetaID!
"""Whether to subscribe or unsubscribe."""
subscribed: Boolean!
''',
    payload_fields='"""The page."""\nwikiPage: WikiPage',
    since="18.1",
)
def subscribe_to_page(ctx: WriteContext, id: str, *, subscribed: bool) -> Mapping[str, Any]:
    """Subscribe the caller to a page of a wiki, or unsubscribe from it."""
    meta = ctx.world.wiki_page_metas.get(parse_id(ctx, id, "WikiPage::Meta"))
    container = noteables.noteable_of(meta).container(ctx.world, meta) if meta is not None else None
    if meta is None or container is None or not _may_read(ctx, container):
        raise ResourceNotAvailable(f"{id} does not exist, or the caller may not read the wiki")
    subject = noteables.subject_of(meta)
    subscriptions.save_subscription(ctx, subject, ctx.signed_in_user, subscribed=subscribed)
    page = pages.find_page(wikis.open_repository(ctx.world, container), meta.slug)
    return {"wiki_page": ListedPage(meta.id, container, page) if page is not None else None}
