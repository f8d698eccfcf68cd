"""Events of wiki pages. Source: docs/platform/hooks-and-events.md ('Events').

Pages are files and have no ids. An event refers to a record that stands for a page through all its changes.
"""

from typing import Final

from attrs import evolve

from fakeplat.domain import events
from fakeplat.domain.people.members import source_of
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.activity import Action
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.context import WriteContext

KIND: Final = "wiki"


def record_page_event(
    ctx: WriteContext, container: Project | Group, action: Action, page: WikiPage, old_slug: str = ""
) -> None:
    """Record what the caller did with a page of a project; pages of groups have no events."""
    meta = get_or_create_meta(ctx.world, container, old_slug or page.slug, page.title)
    if (meta.slug, meta.title) != (page.slug, page.title):
        meta = ctx.world.wiki_page_metas.change(meta, slug=page.slug, title=page.title)
    if isinstance(container, Project):
        events.record_event(ctx, ctx.user, action, container, (KIND, meta.id))


def find_meta(world: World, container: Project | Group, slug: str) -> WikiPageMeta | None:
    """Return the record that stands for a page; None as long as nothing was done with the page."""
    return next(iter(world.wiki_page_metas.where("slug", (source_of(container), slug))), None)


def identify(world: World, container: Project | Group, page: WikiPage) -> WikiPage:
    """Return a page with the id of the record that stands for it."""
    meta = find_meta(world, container, page.slug)
    return page if meta is None else evolve(page, meta_id=meta.id)


def get_or_create_meta(world: WorldDraft, container: Project | Group, slug: str, title: str) -> WikiPageMeta:
    """Return the record that stands for a page."""
    # A deleted page and a new one with its slug share the record.
    known = find_meta(world, container, slug)
    if known is not None:
        return known
    table = world.wiki_page_metas
    return table.add(build_meta(table.next_id(), container, slug, title))


def build_meta(id_: int, container: Project | Group, slug: str, title: str) -> WikiPageMeta:
    """Return a record for a page, which is not saved."""
    is_project = isinstance(container, Project)
    ids = {"project_id": container.id if is_project else None, "group_id": None if is_project else container.id}
    return WikiPageMeta(id=id_, slug=slug, title=title, **ids)
