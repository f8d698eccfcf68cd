"""Events of wiki pages. Source: docs/platform/hooks-and-events.md ('Events').

Pages are files and have no ids. An event refers to a record that stands for a page through all its changes.
"""

from typing import Final

from fakeplat.domain import events
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.activity import Action
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import WorldDraft
from fakeplat.policy.context import WriteContext

KIND: Final = "wiki"


def record_page_event(
    ctx: WriteContext, container: Project | Group, action: Action, page: WikiPage, old_slug: str = ""
) -> None:
    """Record what the caller did with a page of a project; pages of groups have no events."""
    if isinstance(container, Project):
        meta = get_or_create_meta(ctx.world, container, old_slug or page.slug, page.title)
        if (meta.slug, meta.title) != (page.slug, page.title):
            meta = ctx.world.wiki_page_metas.change(meta, slug=page.slug, title=page.title)
        events.record_event(ctx, ctx.user, action, container, (KIND, meta.id))


def get_or_create_meta(world: WorldDraft, project: Project, slug: str, title: str) -> WikiPageMeta:
    """Return the record that stands for a page."""
    table = world.wiki_page_metas
    # A deleted page and a new one with its slug share the record.
    known = next(iter(table.where("slug", (project.id, slug))), None)
    return known or table.add(WikiPageMeta(table.next_id(), project.id, slug, title))
