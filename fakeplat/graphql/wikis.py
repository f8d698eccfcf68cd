"""Pages of wikis. Source: docs/platform/graphql.md, docs/platform/wikis.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.wikis import page_events, pages, wikis
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_LISTED: Final = "<=19.2"


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


PAGE = Type("WikiPage", "A page of a wiki.", gid="WikiPage::Meta", since=_LISTED)
PAGE.attributes({"title: String!": "The title.", "slug: String": "The path in URLs."})


@PAGE.field("webUrl: String")
def web_url(ctx: ReadContext, listed: ListedPage) -> str:
    """The URL of the page."""
    return wikis.page_url(ctx, listed.container, listed.page)


@PROJECT.field("wikiPages: WikiPageConnection", since=_LISTED)
@GROUP.field("wikiPages: WikiPageConnection", since=_LISTED)
def wiki_pages(ctx: ReadContext, container: Container) -> Sequence[ListedPage] | None:
    """The pages of the wiki, if the caller may read it. Wikis of groups are paid."""
    is_licensed = not isinstance(container, Group) or has_feature(ctx.world, "premium", container)
    if not is_licensed or not can(ctx, Ability.READ_WIKI, container):
        return None
    listed = pages.list_pages(wikis.open_repository(ctx.world, container))
    identified = (page_events.identify(ctx.world, container, page) for page in listed)
    return [ListedPage(page.meta_id, container, page) for page in identified if page.meta_id is not None]
