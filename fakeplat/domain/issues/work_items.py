"""Work items: issues with their types, and epics, under one name. Source: docs/platform/work-items.md.

Ids of issues and of epics do not meet, so the id of a work item is that of its issue or epic.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.epics import epic_access, epic_issues, epic_tree, positions, related_epics
from fakeplat.domain.issues import issue_access, issue_links
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.model.epics import Epic, RelatedEpicLink
from fakeplat.model.issues import Issue, IssueLink
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

WorkItem = Issue | Epic
EPIC: Final = "epic"
OBJECTIVE: Final = "objective"
MOST_LEVELS: Final[Mapping[str, int]] = {EPIC: 7, OBJECTIVE: 9}
"""The levels of work items of a type below each other."""


@frozen
class WorkItemType:
    """A type of work items, with the platform's number."""

    id: int
    kind: str
    name: str
    parents: tuple[str, ...] = ()
    since: str = ""

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the type."""
        return Lifetime(self.since)


TYPES: Final = (
    WorkItemType(1, "issue", "Issue", (EPIC,)),
    WorkItemType(2, "incident", "Incident"),
    WorkItemType(3, "test_case", "Test Case"),
    WorkItemType(4, "requirement", "Requirement"),
    WorkItemType(5, "task", "Task", ("issue", "incident")),
    WorkItemType(6, OBJECTIVE, "Objective", (OBJECTIVE,), since="15.6"),
    WorkItemType(7, "key_result", "Key Result", (OBJECTIVE,), since="15.7"),
    WorkItemType(8, EPIC, "Epic", (EPIC,)),
)
_BY_KIND: Final = {each.kind: each for each in TYPES}
_BY_ID: Final = {each.id: each for each in TYPES}


def find_type(id_: int) -> WorkItemType | None:
    """Return the type with a number."""
    return _BY_ID.get(id_)


def is_available(ctx: ReadContext, container: Namespace | Project, kind: WorkItemType) -> bool:
    """Return whether work items of a project or group can have a type."""
    if not ctx.profile.has(kind.lifetime):
        return False
    if kind.kind == EPIC:
        return isinstance(container, Group) and has_feature(ctx.world, "premium", container)
    if kind.kind in issue_access.OKRS:
        return isinstance(container, Project) and issue_access.has_okrs(ctx.world, container)
    if kind.kind in ("test_case", "requirement"):
        return has_feature(ctx.world, "ultimate", container)
    return True


def type_of(item: WorkItem) -> WorkItemType:
    """Return the type of a work item."""
    return _BY_KIND[EPIC if isinstance(item, Epic) else item.kind]


def find_item(ctx: ReadContext, id_: int) -> WorkItem | None:
    """Return the work item with an id that the caller can see."""
    item: WorkItem | None = ctx.world.issues.get(id_) or ctx.world.epics.get(id_)
    return item if item is not None and noteables.is_visible(ctx, item) else None


# Hierarchy


def find_parent(ctx: ReadContext, item: WorkItem) -> WorkItem | None:
    """Return the work item above one, if the caller can see it."""
    if isinstance(item, Epic):
        parent: WorkItem | None = ctx.world.epics.get(item.parent_id) if item.parent_id is not None else None
    elif item.parent_issue_id is not None:
        parent = ctx.world.issues.get(item.parent_issue_id)
    else:
        parent = epic_issues.find_visible_epic(ctx, item)
    return parent if parent is not None and noteables.is_visible(ctx, parent) else None


def list_children(ctx: ReadContext, item: WorkItem) -> Sequence[WorkItem]:
    """Return the work items right below one that the caller can see."""
    return [child for child in list_all_children(ctx.world, item) if noteables.is_visible(ctx, child)]


def list_all_children(world: World, item: WorkItem) -> list[WorkItem]:
    """Return the work items right below one by their positions; those without one come last."""
    return sorted(_find_children(world, item), key=lambda child: _place_of(world, child))


def _find_children(world: World, item: WorkItem) -> Iterator[WorkItem]:
    """Yield the work items right below one, in no order."""
    if isinstance(item, Issue):
        yield from world.issues.where("parent", item.id)
        return
    yield from epic_tree.list_children(world, item)
    yield from (world.issues[link.issue_id] for link in epic_issues.list_links(world, item))


def _place_of(world: World, child: WorkItem) -> tuple[bool, int]:
    position = find_position(world, child)
    return position is None, position or 0


def find_position(world: World, child: WorkItem) -> int | None:
    """Return the position of a work item among those below the same one."""
    if isinstance(child, Epic):
        return child.relative_position
    link = epic_issues.find_link(world, child)
    return child.child_position if link is None else link.relative_position


class RolledUpWeights(NamedTuple):
    """The weights of what is below a work item: of all, and of what is closed; None if there is none."""

    total: int | None
    completed: int | None


def roll_up_weights(world: World, item: WorkItem) -> RolledUpWeights:
    """Return the weights of what is below a work item; what is below a child counts in place of its own weight."""
    children = [(child, roll_up_weights(world, child)) for child in _find_children(world, item)]
    weights = [(child, below, _weight_of(child, below)) for child, below in children]
    if not weights:
        return RolledUpWeights(None, None)
    known = [weight for *_, weight in weights if weight is not None]
    done = (weight if child.state == "closed" else below.completed for child, below, weight in weights)
    return RolledUpWeights(sum(known) if known else None, sum(weight or 0 for weight in done))


def _weight_of(item: WorkItem, below: RolledUpWeights) -> int | None:
    own = item.weight if isinstance(item, Issue) else None
    return own if below.total is None else below.total


def set_parent(ctx: WriteContext, item: WorkItem, parent: WorkItem | None) -> None:
    """Put a work item below another one, or (None) out of the one above it; 400 for types that do not go together."""
    if parent is not None and type_of(parent).kind not in type_of(item).parents:
        _refuse(item, "it's not allowed to add this type of parent item")
    if isinstance(item, Issue) and isinstance(parent, Issue):
        _check_levels(ctx, item, parent)
    if isinstance(item, Epic):
        epic_tree.unlink(ctx, item) if parent is None else epic_tree.link(ctx, _as_epic(parent), item)
    elif isinstance(parent, Epic) or (parent is None and item.parent_issue_id is None):
        epic_issues.change_epic(ctx, item, parent.id if parent is not None else None)
    else:
        _set_parent_issue(ctx, item, parent)


def _check_levels(ctx: ReadContext, item: Issue, parent: Issue) -> None:
    """Refuse with 400 to put an issue below itself, or objectives below too many others."""
    if item.id == parent.id:
        _refuse(item, "is not allowed to point to itself")
    above = _list_above(ctx.world, parent)
    if item in above:
        _refuse(item, "it's already present in this item's hierarchy")
    if item.kind == parent.kind:
        most = MOST_LEVELS[item.kind]
        if 1 + len(above) + _count_levels(ctx.world, item, most) > most:
            _refuse(item, "reached maximum depth")


def _list_above(world: World, item: Issue) -> list[Issue]:
    """Return the issues above one; a ring, which only scenarios can make, ends where it began."""
    above: list[Issue] = []
    current = world.issues.get(item.parent_issue_id or 0)
    while current is not None and current not in above:
        above.append(current)
        current = world.issues.get(current.parent_issue_id or 0)
    return above


def _count_levels(world: World, item: Issue, most: int) -> int:
    """Return the number of levels of issues of a type, that of one itself included, up to a number."""
    below = (child for child in world.issues.where("parent", item.id) if child.kind == item.kind and most > 0)
    return 1 + max((_count_levels(world, child, most - 1) for child in below), default=0)


def _refuse(item: WorkItem, why: str) -> None:
    raise BadRequest(f"#{item.iid} cannot be added: {why}")


def _as_epic(item: WorkItem) -> Epic:
    if not isinstance(item, Epic):
        raise TypeError(f"{item} is no epic")
    return item


def _set_parent_issue(ctx: WriteContext, item: Issue, parent: Issue | None) -> None:
    before = ctx.world.issues.get(item.parent_issue_id) if item.parent_issue_id is not None else None
    if before is not None and parent is not None and before.id == parent.id:
        return
    if parent is not None and parent.confidential and not item.confidential:
        _refuse(item, "cannot assign a non-confidential child to a confidential parent")
    siblings = ctx.world.issues.where("parent", parent.id) if parent is not None else ()
    position = positions.get_first(sibling.child_position for sibling in siblings)
    ctx.world.issues.change(
        ctx.world.issues[item.id],
        parent_issue_id=parent.id if parent else None,
        child_position=position if parent else None,
        updated_at=ctx.now_iso,
    )
    for other, verb in ((before, "removed"), (parent, "added")):
        if other is not None:
            _note_hierarchy(ctx, item, other, verb)


def _note_hierarchy(ctx: WriteContext, child: Issue, parent: Issue, verb: str) -> None:
    for item, other, role in ((parent, child, "child"), (child, parent, "parent")):
        reference = noteables.format_reference(ctx.world, other, ctx.world.projects[item.project_id])
        text = f"{verb} {reference} as {role} {type_of(other).name.lower()}"
        system_notes.write(ctx, ("issue", item.id), ctx.signed_in_user, text, source=("issue", other.id))


# Linked items


@frozen
class LinkedItem:
    """A linked work item, with the type of the link as seen from the other end."""

    link: IssueLink | RelatedEpicLink
    item: WorkItem
    link_type: str

    @property
    def id(self) -> int:
        """The id of the link, by which pages of links are found."""
        return self.link.id


def list_linked(ctx: ReadContext, item: WorkItem) -> Sequence[LinkedItem]:
    """Return the work items that are linked to one and that the caller can see."""
    if isinstance(item, Issue):
        return [
            LinkedItem(link, other, issue_links.link_type_from(link, item.id))
            for other in issue_links.list_linked_issues(ctx, item)
            if (link := issue_links.find_link_between(ctx.world, item.id, other.id)) is not None
        ]
    return [
        LinkedItem(epic_link, epic, related_epics.link_type_from(epic_link, item.id))
        for epic in related_epics.list_related(ctx, item)
        if (epic_link := related_epics.find_link_between(ctx.world, item.id, epic.id)) is not None
    ]


def link(ctx: WriteContext, item: WorkItem, other: WorkItem, link_type: related_epics.Type) -> None:
    """Link two work items, both issues or both epics; 400 for others."""
    if isinstance(item, Issue) and isinstance(other, Issue):
        issue_links.create(ctx, item, other, link_type)
    elif isinstance(item, Epic) and isinstance(other, Epic):
        related_epics.create(ctx, item, other, link_type)
    else:
        raise BadRequest("No matching work item found. Make sure you are adding a valid work item ID.")


def unlink(ctx: WriteContext, item: WorkItem, other: WorkItem) -> bool:
    """Delete the link between two work items; False without one."""
    if isinstance(item, Issue):
        issue_link = issue_links.find_link_between(ctx.world, item.id, other.id)
        if issue_link is not None:
            issue_links.delete(ctx, issue_link)
        return issue_link is not None
    epic_link = related_epics.find_link_between(ctx.world, item.id, other.id)
    if epic_link is not None:
        related_epics.delete(ctx, epic_link)
    return epic_link is not None


def authorize_deletion(ctx: ReadContext, item: WorkItem) -> None:
    """Refuse with 403 unless the caller may delete a work item."""
    if isinstance(item, Epic):
        decision = epic_access.decide_on(ctx, item, Ability.DESTROY_EPIC)
    else:
        decision = decide(ctx, Ability.DESTROY_ISSUE, ctx.world.projects[item.project_id])
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
