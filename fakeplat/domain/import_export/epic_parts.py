"""Epics in the archive of a group, and the epics of issues in the archive of a project. Both are paid."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fakeplat.domain.epics import epic_access, epic_issues, epics
from fakeplat.domain.import_export import activity_parts, discussion_parts, serialization
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields
from fakeplat.model.epics import Epic, EpicIssue
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group, Namespace
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature

_EPIC: Final = (
    "iid title description state confidential relative_position start_date_fixed start_date_is_fixed due_date_fixed "
    "due_date_is_fixed color created_at updated_at closed_at"
).split()
_OWN: Final = ("author_id", "closed_by_id", "parent_id", "label_ids")


def epic_rows(world: World, group: Group) -> list[dict[str, Any]]:
    """Return the epics of a group. As on the platform, they have no labels."""
    return [_epic_row(world, epic) for epic in world.epics.where("group", group.id)]


def _epic_row(world: World, epic: Epic) -> dict[str, Any]:
    parent, own = world.epics.get(epic.parent_id or 0), (epic_access.KIND, epic.id)
    return {
        **serialization.plain_fields(epic, *_OWN),
        **serialization.user_fields(world, author=epic.author_id, closed_by=epic.closed_by_id),
        "parent": None if parent is None else {name: getattr(parent, name) for name in ("iid", "group_id", "title")},
        "award_emoji": discussion_parts.award_rows(world, own),
        "events": activity_parts.event_rows(world, own),
        "notes": discussion_parts.note_rows(world, own),
    }


def import_epics(resolver: Resolver, group: Group, rows: Iterable[Row], imported: Mapping[object, Group]) -> None:
    """Import the epics of a group; ``imported`` are the groups so far, by their ids in the archive."""
    if not has_feature(resolver.ctx.world, "premium", group):
        return
    parents: list[tuple[Epic, Any]] = []
    for row in rows:
        closer = resolver.find_user(row, "closed_by")
        fields = {
            **read_fields(Epic, row, _EPIC),
            "author_id": resolver.user_or_importer(row).id,
            "closed_by_id": closer.id if closer else None,
            **discussion_parts.read_description(resolver, row),
        }
        epic = epics.insert(resolver.ctx, group, **fields)
        own = (epic_access.KIND, epic.id)
        discussion_parts.import_discussion(resolver, row, own)
        activity_parts.import_events(resolver, row, own)
        parents.append((epic, row.get("parent")))
    for epic, parent in parents:
        _set_parent(resolver, epic, parent, imported)


def _set_parent(resolver: Resolver, epic: Epic, row: object, imported: Mapping[object, Group]) -> None:
    """Put an epic below the one that its row names, if the archive has that one."""
    if not isinstance(row, dict):
        return
    world = resolver.ctx.world
    group = imported.get(row.get("group_id"))
    parent = world.epics.find("iid", (group.id, row.get("iid"))) if group is not None else None
    if parent is not None:
        world.epics.change(epic, parent_id=parent.id)


def epic_issue_field(world: World, issue: Issue) -> dict[str, Any] | None:
    """Return the place of an issue in its epic."""
    link = epic_issues.find_link(world, issue)
    if link is None:
        return None
    epic = world.epics[link.epic_id]
    row = {
        **serialization.plain_fields(epic, *_OWN),
        **serialization.user_fields(world, author=epic.author_id, closed_by=epic.closed_by_id),
    }
    return {"relative_position": link.relative_position, "epic": row}


def import_epic_issue(resolver: Resolver, namespace: Namespace, row: Row, issue: Issue) -> None:
    """Put an issue into the epic of its project's group that has the same title; it is created if there is none."""
    place, world = row.get("epic_issue"), resolver.ctx.world
    if not isinstance(place, dict) or not isinstance(place.get("epic"), dict) or not isinstance(namespace, Group):
        return
    if has_feature(world, "premium", namespace):
        epic, links = _get_or_create(resolver, namespace, place["epic"]), world.epic_issues
        position = int(place.get("relative_position") or 0)
        links.add(EpicIssue(links.next_id(), epic.id, issue.id, position))


def _get_or_create(resolver: Resolver, group: Group, row: Row) -> Epic:
    own = resolver.ctx.world.epics.where("group", group.id)
    existing = next((epic for epic in own if epic.title == row.get("title")), None)
    if existing is not None:
        return existing
    fields = read_fields(Epic, row, [name for name in _EPIC if name != "iid"])
    author = resolver.user_or_importer(row)
    return epics.insert(resolver.ctx, group, **{**fields, "author_id": author.id})
