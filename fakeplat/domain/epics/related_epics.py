"""Links between epics. Source: docs/platform/epics.md ('Linked epics')."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from fakeplat.core.operations.errors import Conflict, NotFoundWithMessage, RecordNotFound, Unprocessable
from fakeplat.domain.epics.epic_access import KIND, decide_on, group_of, is_visible, linking_ability
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.domain.purging import purge
from fakeplat.model.epics import Epic, RelatedEpicLink
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

Type = Literal["relates_to", "blocks", "is_blocked_by"]
_OTHER_SIDE: Final[dict[str, Type]] = {
    "relates_to": "relates_to",
    "blocks": "is_blocked_by",
    "is_blocked_by": "blocks",
}
_WORDS: Final = {"relates_to": "related to", "blocks": "blocking", "is_blocked_by": "blocked by"}


def create(ctx: WriteContext, source: Epic, target: Epic, link_type: Type = "relates_to") -> RelatedEpicLink:
    """Link two epics; the caller must be able to link both."""
    if find_link_between(ctx.world, source.id, target.id) is not None:
        raise Conflict("Epic(s) already assigned")
    decision = decide_on(ctx, target, linking_ability(ctx))
    if not decision.allowed:
        text = "No matching epic found. Make sure that you are adding a valid epic URL."
        raise NotFoundWithMessage(text, reason=decision.why)
    if source.id == target.id:
        raise Unprocessable(f"&{target.iid} cannot be added: cannot be related to itself")
    link = insert(ctx, source, target, link_type)
    _note_both(ctx, source, target, f"marked this epic as {_WORDS[link_type]} {{}}")
    _note_both(ctx, target, source, f"marked this epic as {_WORDS[_OTHER_SIDE[link_type]]} {{}}")
    return link


def insert(ctx: WriteContext, source: Epic, target: Epic, link_type: Type) -> RelatedEpicLink:
    """Insert a link, without permission checks; ``is_blocked_by`` is stored as ``blocks`` in the other direction."""
    if link_type == "is_blocked_by":
        return insert(ctx, target, source, "blocks")
    table, now = ctx.world.related_epic_links, ctx.now_iso
    return table.add(RelatedEpicLink(table.next_id(), source.id, target.id, now, now, link_type))


def _note_both(ctx: WriteContext, epic: Epic, other: Epic, text: str) -> None:
    reference = noteables.format_reference(ctx.world, other, group_of(ctx.world, epic))
    if ctx.user is not None:
        system_notes.write(ctx, (KIND, epic.id), ctx.user, text.format(reference), source=(KIND, other.id))


def find_link_between(world: World, epic_id: int, other_id: int) -> RelatedEpicLink | None:
    """Return the link between two epics (by id) in either direction; None without one."""
    return world.related_epic_links.find("pair", frozenset((epic_id, other_id)))


def get_link(world: World, epic: Epic, id_: int) -> RelatedEpicLink:
    """Return a link of an epic, or raise 404."""
    link = world.related_epic_links.get(id_)
    if link is None or epic.id not in (link.source_id, link.target_id):
        raise RecordNotFound(reason=f"epic {epic.iid} has no link {id_}")
    return link


def delete(ctx: WriteContext, link: RelatedEpicLink) -> None:
    """Delete a link; the caller must be able to link both epics."""
    source, target = (ctx.world.epics[id_] for id_ in (link.source_id, link.target_id))
    for epic in (source, target):
        decision = decide_on(ctx, epic, linking_ability(ctx))
        if not decision.allowed:
            raise NotFoundWithMessage("No Related Epic Link found", reason=decision.why)
    purge(ctx, link)
    _note_both(ctx, source, target, "removed the relation with {}")
    _note_both(ctx, target, source, "removed the relation with {}")


def list_related(ctx: ReadContext, epic: Epic) -> Iterator[Epic]:
    """Yield the epics linked to an epic that the caller can see, in the order of the links."""
    for link in ctx.world.related_epic_links.where("epic", epic.id):
        other = ctx.world.epics[link.target_id if link.source_id == epic.id else link.source_id]
        if is_visible(ctx, other):
            yield other


def list_links_within(ctx: ReadContext, group: Group) -> Sequence[RelatedEpicLink]:
    """Return the links of epics of a group and those below it, of which the caller sees both ends."""
    groups = {group.id, *(below.id for below in list_descendants(ctx.world, group))}
    return [link for link in ctx.world.related_epic_links.all() if _is_shown(ctx, link, groups)]


def _is_shown(ctx: ReadContext, link: RelatedEpicLink, group_ids: set[int]) -> bool:
    ends = [ctx.world.epics[id_] for id_ in (link.source_id, link.target_id)]
    return any(epic.group_id in group_ids for epic in ends) and all(is_visible(ctx, epic) for epic in ends)


def link_type_from(link: RelatedEpicLink, id_: int) -> str:
    """Return the type of a link from the point of view of the epic with an id."""
    return link.link_type if link.source_id == id_ else _OTHER_SIDE[link.link_type]
