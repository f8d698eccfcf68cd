"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, InvalidRecord, NotFound
from fakeplat.core.operations.reasons import nearest
from fakeplat.core.store.ids import number_of
from fakeplat.core.store.query import members as members_of
from fakeplat.domain.checks import BLANK, Faults, too_long
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.people.namespaces import inside
from fakeplat.domain.planning.colours import in_digits, is_colour
from fakeplat.model.labels import Label, LabelPriority
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import Doing
from fakeplat.policy.levels import Source, chain
from fakeplat.policy.naming import named

DEFAULT_COLOR: Final = "#428BCA"
ON_REPLACE: Final[list[Callable[[Doing, Label, Label], None]]] = []
ON_DELETE: Final[list[Callable[[Doing, Label], None]]] = []
"""What other areas do when a label gave way to another, or is deleted."""


def own(world: World, place: Place) -> Iterator[Label]:
    """The labels of a place itself."""
    return iter(world.labels.where("source", source_of(place)))


def usable(world: World, place: Place, *, ancestors: bool = True) -> list[Label]:
    """The labels that can be used in a place, by title: its own and those of the groups above.

    Without ``ancestors`` a group has only its own, and a project those of the group that it is in too.
    """
    found = list(own(world, place))
    for group in groups_above(world, place):
        if ancestors or (isinstance(place, Project) and group.id == place.namespace_id):
            found += own(world, group)
    return sorted(found, key=lambda label: (label.title.lower(), label.id))


def groups_above(world: World, place: Place) -> Iterator[Group]:
    """The groups that a place is in."""
    above = place.namespace_id if isinstance(place, Project) else place.parent_id
    return (group for group in chain(world, above) if isinstance(group, Group))


def find(world: World, place: Place, reference: str, *, ancestors: bool = True) -> Label:
    """The usable label with an id or a title, or 404."""
    found = usable(world, place, ancestors=ancestors)
    by_id = number_of(reference)
    for label in found:
        if label.title == reference or label.id == by_id:
            return label
    raise NotFound("Label", reason=lambda: _no_label(world, place, reference, found))


def _no_label(world: World, place: Place, reference: str, usable: Iterable[Label]) -> str:
    return f"{named(world, place)} has no label {reference!r}{nearest(reference, [label.title for label in usable])}"


def by_title(world: World, place: Place, title: str) -> Label | None:
    """The usable label with a title, the place's own first."""
    for source in (source_of(place), *(source_of(group) for group in groups_above(world, place))):
        found = world.labels.find("place", (source, title))
        if found is not None:
            return found
    return None


def create(
    cx: Doing, place: Place, title: str, color: str, description: str | None = None, priority: int | None = None
) -> Label:
    """Make a label."""
    if by_title(cx.world, place, title):
        raise Conflict("Label already exists")
    (label,) = create_many(cx, place, [{"title": title, "color": color, "description": description}])
    if priority is not None and isinstance(place, Project):
        prioritize(cx, place, label, priority)
    return label


def create_many(cx: Doing, place: Place, rows: Sequence[Mapping[str, Any]]) -> list[Label]:
    """Make labels of a place from fields of the record, a title at least; the groups above may have the same."""
    for row in rows:
        _faults(row["title"], row.get("color", DEFAULT_COLOR)).refuse()
    if not rows:
        return []
    table, source, now = cx.world.labels, source_of(place), cx.instant
    made = [Label(**_settled(id_, source, now, row)) for id_, row in zip(count(table.next_id()), rows, strict=False)]
    table.add_many(made)
    return made


def _settled(id_: int, source: Source, now: str, row: Mapping[str, Any]) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    times = {"created_at": created_at, "updated_at": created_at}
    return {"id": id_, "source": source, **times, **row, "color": in_digits(row.get("color", DEFAULT_COLOR))}


def _faults(title: str, color: str) -> Faults:
    faults = Faults()
    faults.when(not title.strip(), "title", BLANK)
    faults.when("," in title, "title", "is invalid")
    too_long(faults, "title", title)
    faults.when(not is_colour(color), "color", "must be a valid color code")
    return faults


def _said(given: Mapping[str, Any], name: str, before: str) -> str:
    return before if given.get(name) is None else given[name]


def update(cx: Doing, place: Place, label: Label, given: dict[str, Any]) -> Label:
    """Change a label: new_name, color, description, priority."""
    title, color = _said(given, "new_name", label.title), _said(given, "color", label.color)
    taken = by_title(cx.world, place, title) if title != label.title else None
    if taken is not None and taken.source == label.source:
        raise InvalidRecord({"title": ["has already been taken"]})
    _faults(title, color).refuse()
    description = given.get("description", label.description)
    changed = cx.world.labels.change(label, title=title, color=in_digits(color), description=description)
    if changed is not label:
        changed = cx.world.labels.change(changed, updated_at=cx.instant)
    if "priority" in given and isinstance(place, Project):
        prioritize(cx, place, changed, given["priority"])
    return changed


def prioritize(cx: Doing, project: Project, label: Label, priority: int | None) -> None:
    """Give a label a priority in a project, or take it away."""
    table = cx.world.label_priorities
    found = table.find("pair", (project.id, label.id))
    if found is not None and priority is None:
        table.remove(found)
    elif found is not None:
        table.change(found, priority=priority)
    elif priority is not None:
        table.add(LabelPriority(table.next_id(), project.id, label.id, priority))


def priority_of(world: World, project_id: int, label_id: int) -> int | None:
    """The priority of a label in a project."""
    found = world.label_priorities.find("pair", (project_id, label_id))
    return found.priority if found else None


def highest_priority(world: World, project_id: int, label_ids: Iterable[int]) -> int | None:
    """Return the highest priority (the smallest number) that some labels have in a project, or None."""
    priorities = (priority_of(world, project_id, id_) for id_ in label_ids)
    return min((priority for priority in priorities if priority is not None), default=None)


def delete(cx: Doing, label: Label) -> None:
    """Remove a label, from everything that has it too."""
    world = cx.world
    for id_ in list(members_of(world.issues.bits("facts", ("label", label.id)))):
        issue = world.issues[id_]
        world.issues.change(issue, label_ids=tuple(other for other in issue.label_ids if other != label.id))
    for priority in list(world.label_priorities.where("label", label.id)):
        world.label_priorities.remove(priority)
    for subscription in list(world.subscriptions.where("subject", ("label", label.id))):
        world.subscriptions.remove(subscription)
    for follow in ON_DELETE:
        follow(cx, label)
    world.labels.remove(label)


def drop(cx: Doing, place: Place) -> None:
    """Remove all labels of a place that goes, and the priorities that a project gives to those of its groups."""
    if isinstance(place, Project):
        for priority in list(cx.world.label_priorities.where("project", place.id)):
            cx.world.label_priorities.remove(priority)
    for label in list(own(cx.world, place)):
        delete(cx, label)


def promote(cx: Doing, project: Project, label: Label) -> Label:
    """Put a label of its group into the place of a project's, and of those of that title in the group's projects."""
    world = cx.world
    group = world.namespaces[project.namespace_id]
    heir = world.labels.find("place", (source_of(group), label.title)) or _alike(cx, group, label)
    for place in [group, *inside(world, group)]:
        for below in list(world.projects.where("namespace", place.id)):
            twin = world.labels.find("place", (source_of(below), label.title))
            if twin is not None:
                _replace(cx, twin, heir)
    return heir


def _alike(cx: Doing, place: Place, label: Label) -> Label:
    """A new label of a place that is like another."""
    (made,) = create_many(cx, place, [{name: getattr(label, name) for name in ("title", "color", "description")}])
    return made


def _replace(cx: Doing, old: Label, new: Label) -> None:
    for id_ in list(members_of(cx.world.issues.bits("facts", ("label", old.id)))):
        issue = cx.world.issues[id_]
        ids = tuple(dict.fromkeys(new.id if other == old.id else other for other in issue.label_ids))
        cx.world.issues.change(issue, label_ids=ids)
    for priority in list(cx.world.label_priorities.where("label", old.id)):
        if priority_of(cx.world, priority.project_id, new.id) is None:
            cx.world.label_priorities.change(priority, label_id=new.id)
    for subscription in list(cx.world.subscriptions.where("subject", ("label", old.id))):
        if cx.world.subscriptions.find("own", (("label", new.id), subscription.user_id)) is None:
            cx.world.subscriptions.change(subscription, subject=("label", new.id))
    for follow in ON_REPLACE:
        follow(cx, old, new)
    delete(cx, old)


def settled(cx: Doing, project: Project, label: Label) -> Label:
    """A label itself where a project can use it, else the one of that title there, made if need be."""
    if _reaches(cx.world, label.source, project):
        return label
    return by_title(cx.world, project, label.title) or _alike(cx, project, label)


def _reaches(world: World, source: Source, project: Project) -> bool:
    return source == source_of(project) or any(source == source_of(group) for group in groups_above(world, project))


def settle_priorities(cx: Doing, project: Project) -> None:
    """Keep the priorities of a project that was moved, on labels that it can use."""
    table = cx.world.label_priorities
    for priority in list(table.where("project", project.id)):
        label = settled(cx, project, cx.world.labels[priority.label_id])
        if label.id != priority.label_id:
            table.remove(priority)
            prioritize(cx, project, label, priority.priority)


def titles(world: World, ids: Iterable[int]) -> list[str]:
    """The titles of labels, sorted."""
    return sorted(world.labels[id_].title for id_ in ids)
