"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, RecordNotFound, inspect_errors
from fakeplat.domain import events, signals
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import list_descendants, list_projects_within
from fakeplat.domain.planning.labels import groups_above
from fakeplat.domain.purging import purge, replace_record
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.activity import Action
from fakeplat.model.people import Group
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import Source

KIND: Final = "milestone"
_STATE_ACTIONS: Final[dict[str, Action]] = {"closed": "closed", "active": "reopened"}
_TAKEN_TEXT = "already being used for another group or project milestone."


class NewMilestone(TypedDict, total=False):
    """The fields of a new milestone."""

    title: Required[str]
    iid: int | None
    description: str | None
    state: str
    due_date: str | None
    start_date: str | None
    created_at: str
    updated_at: str


class MilestoneChanges(TypedDict, total=False):
    """The changes of a milestone; ``state_event``: close or activate."""

    title: str
    iid: int
    description: str | None
    state: str
    due_date: str | None
    start_date: str | None
    state_event: str | None


def list_own(world: World, container: Routable) -> Iterator[Milestone]:
    """Return the milestones of a project or group itself."""
    return iter(world.milestones.where("source", source_of(container)))


def list_available(world: World, container: Routable, *, parents: bool = True) -> list[Milestone]:
    """Return the milestones available in a project or group."""
    available = list(list_own(world, container))
    if parents:
        for group in groups_above(world, container):
            available += list_own(world, group)
    return available


def find_by_title(world: World, container: Routable, title: str) -> Milestone | None:
    """Return the milestone available in a project or group that has exactly this title, the earliest due if several."""
    matching = [milestone for milestone in list_available(world, container) if milestone.title == title.strip()]
    return min(matching, key=due_key, default=None)


def due_key(milestone: Milestone) -> tuple[str, int]:
    """Return the key by which milestones are sorted: undated ones come last, and the newest first among equal dates."""
    return milestone.due_date or "9999-12-31", -milestone.id


def list_below(ctx: ReadContext, group: Group) -> list[Milestone]:
    """Return the milestones of the groups below a group, and of all their projects that the caller sees."""
    world = ctx.world
    below = [milestone for each in list_descendants(world, group) for milestone in list_own(world, each)]
    projects = list_projects_within(world, group)
    visible = (project for project in projects if can_see(ctx, project) and can(ctx, Ability.READ_MILESTONE, project))
    return [*below, *(milestone for project in visible for milestone in list_own(world, project))]


def get_milestone(world: World, container: Routable, id_: int) -> Milestone:
    """Return a milestone of the project or group itself, or raise 404."""
    milestone = world.milestones.get(id_)
    if milestone is None or milestone.source != source_of(container):
        raise RecordNotFound(reason=lambda: _missing_milestone_reason(world, container, id_))
    return milestone


def _missing_milestone_reason(world: World, container: Routable, id_: int) -> str:
    """Explain why an id is not that of a milestone of the project or group."""
    # A world of its own: reading all milestones for the message must not become a dependency of a cached response.
    existing = [
        f"{milestone.title} ({milestone.id})" for milestone in list_own(World(world.current_state()), container)
    ]
    return f"{describe(world, container)} has no milestone with the id {id_}; it has {', '.join(existing) or 'none'}"


def create(ctx: WriteContext, container: Routable, **fields: Unpack[NewMilestone]) -> Milestone:
    """Create a milestone."""
    _raise_errors("create", _list_errors(fields, None, taken=_is_title_taken(ctx.world, container, fields, None)))
    milestone = insert(ctx, container, **fields)
    _record_event(ctx, "created", container, milestone.id)
    signals.milestone_changed.send(ctx, milestone, "create")
    return milestone


def _record_event(ctx: WriteContext, action: Action, container: Routable, milestone_id: int | None) -> None:
    """Record an event of a project milestone; group milestones have none."""
    if isinstance(container, Project):
        events.record_event(ctx, ctx.user, action, container, (KIND, milestone_id))


def insert(ctx: WriteContext, container: Routable, **row: Unpack[NewMilestone]) -> Milestone:
    """Create a milestone from fields of the record, without checking for duplicates in parents."""
    (milestone,) = create_many(ctx, container, [row])
    return milestone


def create_many(ctx: WriteContext, container: Routable, rows: Sequence[NewMilestone]) -> list[Milestone]:
    """Create milestones from fields of the record (at least a title), without checking for duplicates in parents."""
    for row in rows:
        _raise_errors("create", _list_errors(row, None))
    if not rows:
        return []
    table, source, now = ctx.world.milestones, source_of(container), ctx.now_iso
    milestones = [
        Milestone(**_milestone_fields(id_, _reserve_iid(ctx.world, source, row), source, now, row))
        for id_, row in zip(count(table.next_id()), rows, strict=False)
    ]
    table.add_many(milestones)
    return milestones


def _reserve_iid(world: WorldDraft, source: Source, row: NewMilestone) -> int:
    iid = row.get("iid")
    if iid is None:
        return world.next("milestone", *source)
    # The counter follows an explicit iid, so that the iid is not given out again.
    world.raise_counter(iid, "milestone", *source)
    return iid


def _milestone_fields(id_: int, iid: int, source: Source, now: str, row: NewMilestone) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    times = {"created_at": created_at, "updated_at": created_at}
    return {"id": id_, "source": source, **times, **row, "iid": iid}


def get_or_create_copy(ctx: WriteContext, project: Project, milestone: Milestone) -> Milestone:
    """Return the available milestone with the same title, creating it if there is none."""
    for candidate in list_available(ctx.world, project):
        if candidate.title == milestone.title:
            return candidate
    return create(ctx, project, **_copyable_fields(milestone))


def _copyable_fields(milestone: Milestone) -> NewMilestone:
    return {
        "title": milestone.title,
        "description": milestone.description,
        "state": milestone.state,
        "due_date": milestone.due_date,
        "start_date": milestone.start_date,
    }


def project_copy(ctx: WriteContext, project: Project, milestone: Milestone) -> Milestone:
    """Return a milestone if the project can use it, else the project's copy of it, created if necessary."""
    return milestone if milestone in list_available(ctx.world, project) else get_or_create_copy(ctx, project, milestone)


def update(
    ctx: WriteContext, container: Routable, milestone: Milestone, **fields: Unpack[MilestoneChanges]
) -> Milestone:
    """Edit a milestone; ``state_event``: close or activate."""
    event = fields.pop("state_event", None)
    if event:
        fields["state"] = "closed" if event == "close" else "active"
    _raise_errors(
        "update", _list_errors(fields, milestone, taken=_is_title_taken(ctx.world, container, fields, milestone))
    )
    changed = ctx.world.milestones.change(milestone, **fields)
    if changed.state != milestone.state:
        _record_event(ctx, _STATE_ACTIONS[changed.state], container, milestone.id)
        signals.milestone_changed.send(ctx, changed, "close" if changed.state == "closed" else "reopen")
    return changed if changed is milestone else ctx.world.milestones.change(changed, updated_at=ctx.now_iso)


def _is_title_taken(
    world: World, container: Routable, fields: NewMilestone | MilestoneChanges, before: Milestone | None
) -> bool:
    candidates = world.milestones.where("title", _effective_title(fields, before))
    return any(other is not before and _shares_titles(world, container, other) for other in candidates)


def _effective_title(fields: NewMilestone | MilestoneChanges, before: Milestone | None) -> str:
    return str(fields.get("title", before.title if before else ""))


def _list_errors(
    fields: NewMilestone | MilestoneChanges, before: Milestone | None, *, taken: bool = False
) -> ValidationErrors:
    errors, title = ValidationErrors(), _effective_title(fields, before)
    errors.when(not title.strip(), "title", BLANK)
    too_long(errors, "title", title)
    errors.when(taken, "title", _TAKEN_TEXT)
    start = fields.get("start_date", before.start_date if before else None)
    due = fields.get("due_date", before.due_date if before else None)
    # ISO dates compare as text.
    errors.when(start and due and due < start, "due_date", "must be greater than start date")
    return errors


def _raise_errors(verb: str, errors: ValidationErrors) -> None:
    if errors:
        raise BadRequest(
            f"Failed to {verb} milestone {inspect_errors({field: errors.texts(field) for field in errors})}"
        )


def _shares_titles(world: World, container: Routable, other: Milestone) -> bool:
    """Return whether a milestone shares a title scope with a project or group: itself, its ancestors, its projects."""
    sources = [source_of(container), *(source_of(group) for group in groups_above(world, container))]
    if other.source in sources:
        return True
    if isinstance(container, Group) and other.source[0] == "project":
        project = world.projects[other.source[1]]
        return any(group.id == container.id for group in groups_above(world, project))
    return False


def delete(ctx: WriteContext, container: Routable, milestone: Milestone) -> None:
    """Delete a milestone; its events stay, without the target."""
    signals.milestone_changed.send(ctx, milestone, "delete")
    purge(ctx, milestone)
    _record_event(ctx, "destroyed", container, None)


def promote(ctx: WriteContext, project: Project, milestone: Milestone) -> Milestone:
    """Replace a project milestone, and those with the same title in other projects, by a new milestone of the group.

    Raises 403 if the project is not in a group, or the caller may not administer the group's milestones.
    """
    group = ctx.world.namespaces[project.namespace_id]
    if not isinstance(group, Group):
        raise Forbidden(reason=lambda: f"{describe(ctx.world, project)} is not in a group")
    authorize(ctx, Ability.ADMIN_MILESTONE, group)
    # Not with create, which would refuse the title that the project's milestone still has.
    group_milestone = insert(ctx, group, **_copyable_fields(milestone))
    # A copy, because replacing deletes from the index that is iterated.
    for other in list(ctx.world.milestones.where("title", milestone.title)):
        if other.source[0] == "project" and _shares_titles(ctx.world, group, other):
            _replace(ctx, other, group_milestone)
    return group_milestone


def _replace(ctx: WriteContext, old: Milestone, new: Milestone) -> None:
    """Replace a milestone by another and delete it."""
    # Events of the old milestone must not show the new one as their target.
    events.clear_target(ctx, KIND, old.id)
    replace_record(ctx, old, new)
