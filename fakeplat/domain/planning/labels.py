"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import Conflict, InvalidRecord, NotFound
from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.instance import features
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.domain.planning.colors import is_color, to_hex
from fakeplat.domain.purging import purge, replace_record
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.people import Group
from fakeplat.model.planning import Label, LabelPriority
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import Source, ancestors, is_archived

DEFAULT_COLOR: Final = "#428BCA"
_LOCKING: Final = "enforce_locked_labels_on_merge"


class NewLabel(TypedDict, total=False):
    """The fields of a new label."""

    title: Required[str]
    color: str
    description: str | None
    archived: bool
    lock_on_merge: bool
    created_at: str
    updated_at: str


class LabelChanges(TypedDict, total=False):
    """The changes of a label; only a null for the description or the priority changes something."""

    new_name: str | None
    color: str | None
    description: str | None
    priority: int | None
    archived: bool | None


def list_own(world: World, container: Routable) -> Iterator[Label]:
    """Return the labels of a project or group itself."""
    return iter(world.labels.where("source", source_of(container)))


def list_available(world: World, container: Routable, *, ancestors: bool = True) -> list[Label]:
    """Return the labels available in a project or group by title: its own and those of ancestor groups.

    Without ``ancestors`` a group has only its own labels, and a project also those of its immediate group.
    """
    available = list(list_own(world, container))
    for group in groups_above(world, container):
        if ancestors or (isinstance(container, Project) and group.id == container.namespace_id):
            available += list_own(world, group)
    return sorted(available, key=lambda label: (label.title.lower(), label.id))


def list_below(ctx: ReadContext, group: Group, *, descendants: bool, projects: bool) -> list[Label]:
    """Return the labels of the groups below a group, and those of the projects in it or in all of these groups.

    Archived projects and those whose labels the caller cannot read do not count.
    """
    world, groups = ctx.world, [group, *list_descendants(ctx.world, group)] if descendants else [group]
    below = [label for each in groups[1:] for label in list_own(world, each)]
    if projects:
        within = (project for each in groups for project in world.projects.where("namespace", each.id))
        readable = (project for project in within if _has_readable_labels(ctx, project))
        below += (label for project in readable for label in list_own(world, project))
    return below


def _has_readable_labels(ctx: ReadContext, project: Project) -> bool:
    return not is_archived(ctx.world, project) and can_see(ctx, project) and can(ctx, Ability.READ_LABEL, project)


def groups_above(world: World, container: Routable) -> Iterator[Group]:
    """Yield the ancestor groups of a project or group."""
    parent_id = container.namespace_id if isinstance(container, Project) else container.parent_id
    return (group for group in ancestors(world, parent_id) if isinstance(group, Group))


def get_label(
    world: World, container: Routable, reference: str, *, ancestors: bool = True, further: Iterable[Label] = ()
) -> Label:
    """Return the available label with an id or a title, or one of the further labels, or raise 404."""
    available = [*list_available(world, container, ancestors=ancestors), *further]
    by_id = parse_number(reference)
    for label in available:
        # A title may consist of digits, so a number is compared with both.
        if label.title == reference or label.id == by_id:
            return label
    raise NotFound("Label", reason=lambda: _missing_label_reason(world, container, reference, available))


def _missing_label_reason(world: World, container: Routable, reference: str, usable: Iterable[Label]) -> str:
    hint = did_you_mean(reference, [label.title for label in usable])
    return f"{describe(world, container)} has no label {reference!r}{hint}"


def find_by_title(world: World, container: Routable, title: str) -> Label | None:
    """Return the available label with a title; the container's own label comes first."""
    for source in (source_of(container), *(source_of(group) for group in groups_above(world, container))):
        label = world.labels.find("place", (source, title))
        if label is not None:
            return label
    return None


def create(
    ctx: WriteContext,
    container: Routable,
    title: str,
    color: str,
    description: str | None = None,
    priority: int | None = None,
    *,
    archived: bool = False,
) -> Label:
    """Create a label."""
    if find_by_title(ctx.world, container, title):
        raise Conflict("Label already exists")
    label = insert(ctx, container, title=title, color=color, description=description, archived=archived)
    if priority is not None and isinstance(container, Project):
        prioritize(ctx, container, label, priority)
    return label


def validate_title(world: World, container: Routable, title: str) -> None:
    """Refuse the title of a new label if the container, or the group of a project, has a label with it."""
    errors = ValidationErrors()
    errors.when(world.labels.find("place", (source_of(container), title)), "title", TAKEN)
    group = world.namespaces[container.namespace_id] if isinstance(container, Project) else None
    if isinstance(group, Group) and world.labels.find("place", (source_of(group), title)):
        errors.add("title", f"already exists at group level for {group.name}. Please choose another one.")
    errors.refuse()


def insert(ctx: WriteContext, container: Routable, **row: Unpack[NewLabel]) -> Label:
    """Create a label from fields of the record, without checking for duplicates in ancestors."""
    (label,) = create_many(ctx, container, [row])
    return label


def create_many(ctx: WriteContext, container: Routable, rows: Sequence[NewLabel]) -> list[Label]:
    """Create labels from fields of the record (at least a title), without checking for duplicates in ancestors."""
    for row in rows:
        _list_errors(row["title"], row.get("color", DEFAULT_COLOR)).refuse()
    if not rows:
        return []
    table, source, now = ctx.world.labels, source_of(container), ctx.now_iso
    labels = [
        Label(**_label_fields(id_, source, now, row)) for id_, row in zip(count(table.next_id()), rows, strict=False)
    ]
    table.add_many(labels)
    return labels


def _label_fields(id_: int, source: Source, now: str, row: NewLabel) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    times = {"created_at": created_at, "updated_at": created_at}
    # The row may set its own times, but its color is always converted.
    return {"id": id_, "source": source, **times, **row, "color": to_hex(row.get("color", DEFAULT_COLOR))}


def _list_errors(title: str, color: str) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(not title.strip(), "title", BLANK)
    # Parameters list labels separated by commas.
    errors.when("," in title, "title", "is invalid")
    too_long(errors, "title", title)
    errors.when(not is_color(color), "color", "must be a valid color code")
    return errors


def _param_or_previous(param: str | None, before: str) -> str:
    # Null means no change here, whereas it removes a description.
    return before if param is None else param


def update(ctx: WriteContext, container: Routable, label: Label, **params: Unpack[LabelChanges]) -> Label:
    """Edit a label: new_name, color, description, priority."""
    title = _param_or_previous(params.get("new_name"), label.title)
    color = _param_or_previous(params.get("color"), label.color)
    existing = find_by_title(ctx.world, container, title) if title != label.title else None
    # Only a label of the same project or group is a conflict; one of an ancestor may have the title.
    if existing is not None and existing.source == label.source:
        raise InvalidRecord({"title": ["has already been taken"]})
    _list_errors(title, color).refuse()
    changed = ctx.world.labels.change(
        label,
        title=title,
        color=to_hex(color),
        description=params.get("description", label.description),
        archived=label.archived if params.get("archived") is None else params["archived"],
    )
    if changed is not label:
        changed = ctx.world.labels.change(changed, updated_at=ctx.now_iso)
    if "priority" in params and isinstance(container, Project):
        prioritize(ctx, container, changed, params["priority"])
    return changed


def prioritize(ctx: WriteContext, project: Project, label: Label, priority: int | None) -> None:
    """Set the priority of a label in a project; None removes it."""
    table = ctx.world.label_priorities
    record = table.find("pair", (project.id, label.id))
    if record is not None and priority is None:
        purge(ctx, record)
    elif record is not None:
        table.change(record, priority=priority)
    elif priority is not None:
        table.add(LabelPriority(table.next_id(), project.id, label.id, priority))


def priority_of(world: World, project_id: int, label_id: int) -> int | None:
    """Return the priority of a label in a project."""
    record = world.label_priorities.find("pair", (project_id, label_id))
    return record.priority if record else None


def highest_priority(world: World, project_id: int, label_ids: Iterable[int]) -> int | None:
    """Return the highest priority (the smallest number) that some labels have in a project, or None."""
    priorities = (priority_of(world, project_id, id_) for id_ in label_ids)
    return min((priority for priority in priorities if priority is not None), default=None)


def promote(ctx: WriteContext, project: Project, label: Label) -> Label:
    """Replace a project label, and those with the same title in the group's projects, by a label of the group."""
    world = ctx.world
    group = world.namespaces[project.namespace_id]
    group_label = world.labels.find("place", (source_of(group), label.title)) or _copy_label(ctx, group, label)
    for container in [group, *list_descendants(world, group)]:
        for project_below in list(world.projects.where("namespace", container.id)):
            duplicate = world.labels.find("place", (source_of(project_below), label.title))
            if duplicate is not None:
                replace_record(ctx, duplicate, group_label)
    return group_label


def _copy_label(ctx: WriteContext, container: Routable, label: Label) -> Label:
    """Create a copy of a label in a project or group."""
    return insert(ctx, container, title=label.title, color=label.color, description=label.description)


def project_copy(ctx: WriteContext, project: Project, label: Label) -> Label:
    """Return a label if the project can use it, else the project's label with that title, created if necessary."""
    if _is_available(ctx.world, label.source, project):
        return label
    return find_by_title(ctx.world, project, label.title) or _copy_label(ctx, project, label)


def _is_available(world: World, source: Source, project: Project) -> bool:
    return source == source_of(project) or any(source == source_of(group) for group in groups_above(world, project))


def adopt_priorities(ctx: WriteContext, project: Project) -> None:
    """After a transfer, move a project's priorities to labels that it can use."""
    table = ctx.world.label_priorities
    for priority in list(table.where("project", project.id)):
        label = project_copy(ctx, project, ctx.world.labels[priority.label_id])
        if label.id != priority.label_id:
            purge(ctx, priority)
            prioritize(ctx, project, label, priority.priority)


def sorted_titles(world: World, ids: Iterable[int]) -> list[str]:
    """Return the titles of labels, sorted."""
    return sorted(world.labels[id_].title for id_ in ids)


def list_kept(world: World, project: Project, before: Iterable[int]) -> list[int]:
    """Return those of the labels of a merged merge request that it keeps, if a feature that is off by default is on."""
    groups = (above for above in ancestors(world, project.namespace_id) if isinstance(above, Group))
    actors: list[features.Actor] = [project, *groups]
    if not any(features.is_enabled(world, _LOCKING, actor) for actor in actors):
        return []
    return [id_ for id_ in before if world.labels[id_].lock_on_merge]
