"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, InvalidRecord, NotFound
from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.domain.planning.colors import is_color, to_hex
from fakeplat.domain.purging import purge, replace
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.labels import Label, LabelPriority
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import Source, ancestors

DEFAULT_COLOR: Final = "#428BCA"


def list_own(world: World, container: Place) -> Iterator[Label]:
    """The labels of a place itself."""
    return iter(world.labels.where("source", source_of(container)))


def list_available(world: World, container: Place, *, ancestors: bool = True) -> list[Label]:
    """The labels that can be used in a place, by title: its own and those of the groups above.

    Without ``ancestors`` a group has only its own, and a project those of the group that it is in too.
    """
    found = list(list_own(world, container))
    for group in groups_above(world, container):
        if ancestors or (isinstance(container, Project) and group.id == container.namespace_id):
            found += list_own(world, group)
    return sorted(found, key=lambda label: (label.title.lower(), label.id))


def groups_above(world: World, container: Place) -> Iterator[Group]:
    """The groups that a place is in."""
    above = container.namespace_id if isinstance(container, Project) else container.parent_id
    return (group for group in ancestors(world, above) if isinstance(group, Group))


def find_label(world: World, container: Place, reference: str, *, ancestors: bool = True) -> Label:
    """The usable label with an id or a title, or 404."""
    found = list_available(world, container, ancestors=ancestors)
    by_id = number_of(reference)
    for label in found:
        if label.title == reference or label.id == by_id:
            return label
    raise NotFound("Label", reason=lambda: _no_label(world, container, reference, found))


def _no_label(world: World, container: Place, reference: str, usable: Iterable[Label]) -> str:
    hint = did_you_mean(reference, [label.title for label in usable])
    return f"{describe(world, container)} has no label {reference!r}{hint}"


def find_by_title(world: World, container: Place, title: str) -> Label | None:
    """The usable label with a title, the place's own first."""
    for source in (source_of(container), *(source_of(group) for group in groups_above(world, container))):
        found = world.labels.find("place", (source, title))
        if found is not None:
            return found
    return None


def create(
    ctx: WriteContext,
    container: Place,
    title: str,
    color: str,
    description: str | None = None,
    priority: int | None = None,
) -> Label:
    """Make a label."""
    if find_by_title(ctx.world, container, title):
        raise Conflict("Label already exists")
    (label,) = create_many(ctx, container, [{"title": title, "color": color, "description": description}])
    if priority is not None and isinstance(container, Project):
        prioritize(ctx, container, label, priority)
    return label


def create_many(ctx: WriteContext, container: Place, rows: Sequence[Mapping[str, Any]]) -> list[Label]:
    """Make labels of a place from fields of the record, a title at least; the groups above may have the same."""
    for row in rows:
        _faults(row["title"], row.get("color", DEFAULT_COLOR)).refuse()
    if not rows:
        return []
    table, source, now = ctx.world.labels, source_of(container), ctx.now_iso
    made = [Label(**_settled(id_, source, now, row)) for id_, row in zip(count(table.next_id()), rows, strict=False)]
    table.add_many(made)
    return made


def _settled(id_: int, source: Source, now: str, row: Mapping[str, Any]) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    times = {"created_at": created_at, "updated_at": created_at}
    return {"id": id_, "source": source, **times, **row, "color": to_hex(row.get("color", DEFAULT_COLOR))}


def _faults(title: str, color: str) -> ValidationErrors:
    faults = ValidationErrors()
    faults.when(not title.strip(), "title", BLANK)
    faults.when("," in title, "title", "is invalid")
    too_long(faults, "title", title)
    faults.when(not is_color(color), "color", "must be a valid color code")
    return faults


def _said(given: Mapping[str, Any], name: str, before: str) -> str:
    return before if given.get(name) is None else given[name]


def update(ctx: WriteContext, container: Place, label: Label, given: dict[str, Any]) -> Label:
    """Change a label: new_name, color, description, priority."""
    title, color = _said(given, "new_name", label.title), _said(given, "color", label.color)
    taken = find_by_title(ctx.world, container, title) if title != label.title else None
    if taken is not None and taken.source == label.source:
        raise InvalidRecord({"title": ["has already been taken"]})
    _faults(title, color).refuse()
    description = given.get("description", label.description)
    changed = ctx.world.labels.change(label, title=title, color=to_hex(color), description=description)
    if changed is not label:
        changed = ctx.world.labels.change(changed, updated_at=ctx.now_iso)
    if "priority" in given and isinstance(container, Project):
        prioritize(ctx, container, changed, given["priority"])
    return changed


def prioritize(ctx: WriteContext, project: Project, label: Label, priority: int | None) -> None:
    """Give a label a priority in a project, or take it away."""
    table = ctx.world.label_priorities
    found = table.find("pair", (project.id, label.id))
    if found is not None and priority is None:
        purge(ctx, found)
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


def promote(ctx: WriteContext, project: Project, label: Label) -> Label:
    """Put a label of its group into the place of a project's, and of those of that title in the group's projects."""
    world = ctx.world
    group = world.namespaces[project.namespace_id]
    heir = world.labels.find("place", (source_of(group), label.title)) or _alike(ctx, group, label)
    for container in [group, *list_descendants(world, group)]:
        for below in list(world.projects.where("namespace", container.id)):
            twin = world.labels.find("place", (source_of(below), label.title))
            if twin is not None:
                replace(ctx, twin, heir)
    return heir


def _alike(ctx: WriteContext, container: Place, label: Label) -> Label:
    """A new label of a place that is like another."""
    (made,) = create_many(ctx, container, [{name: getattr(label, name) for name in ("title", "color", "description")}])
    return made


def project_copy(ctx: WriteContext, project: Project, label: Label) -> Label:
    """A label itself where a project can use it, else the one of that title there, made if need be."""
    if _reaches(ctx.world, label.source, project):
        return label
    return find_by_title(ctx.world, project, label.title) or _alike(ctx, project, label)


def _reaches(world: World, source: Source, project: Project) -> bool:
    return source == source_of(project) or any(source == source_of(group) for group in groups_above(world, project))


def adopt_priorities(ctx: WriteContext, project: Project) -> None:
    """Keep the priorities of a project that was moved, on labels that it can use."""
    table = ctx.world.label_priorities
    for priority in list(table.where("project", project.id)):
        label = project_copy(ctx, project, ctx.world.labels[priority.label_id])
        if label.id != priority.label_id:
            purge(ctx, priority)
            prioritize(ctx, project, label, priority.priority)


def sorted_titles(world: World, ids: Iterable[int]) -> list[str]:
    """The titles of labels, sorted."""
    return sorted(world.labels[id_].title for id_ in ids)
