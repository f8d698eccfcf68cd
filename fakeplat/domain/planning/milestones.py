"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, RecordNotFound
from fakeplat.domain.people import events as activity
from fakeplat.domain.people.members import Place, container_of, source_of
from fakeplat.domain.planning.labels import groups_above
from fakeplat.domain.purging import purge, replace
from fakeplat.domain.validation import BLANK, ValidationErrors, ruby_inspect, too_long
from fakeplat.model.events import Action
from fakeplat.model.labels import Milestone
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import Source

KIND: Final = "milestone"
_BECAME: Final[dict[str, Action]] = {"closed": "closed", "active": "reopened"}
_TAKEN = "already being used for another group or project milestone."


def list_own(world: World, container: Place) -> Iterator[Milestone]:
    """The milestones of a place itself."""
    return iter(world.milestones.where("source", source_of(container)))


def list_available(world: World, container: Place, *, parents: bool = True) -> list[Milestone]:
    """The milestones that can be used in a place."""
    found = list(list_own(world, container))
    if parents:
        for group in groups_above(world, container):
            found += list_own(world, group)
    return found


def find_milestone(world: World, container: Place, id_: int) -> Milestone:
    """A place's own milestone, or 404."""
    found = world.milestones.get(id_)
    if found is None or found.source != source_of(container):
        raise RecordNotFound(reason=lambda: _elsewhere(world, container, id_))
    return found


def _elsewhere(world: World, container: Place, id_: int) -> str:
    """Why a number is not that of a place's milestone."""
    known = [f"{one.title} ({one.id})" for one in list_own(World(world.moment()), container)]
    return f"{describe(world, container)} has no milestone with the id {id_}; it has {', '.join(known) or 'none'}"


def create(ctx: WriteContext, container: Place, **fields: Any) -> Milestone:
    """Make a milestone: title, description, due_date, start_date."""
    _refuse("create", _faults(fields, None, taken=_taken(ctx.world, container, fields, None)))
    (milestone,) = create_many(ctx, container, [fields])
    _record(ctx, "created", container, milestone.id)
    return milestone


def _record(ctx: WriteContext, action: Action, container: Place, milestone_id: int | None) -> None:
    """Record an event of a project milestone; those of groups have none."""
    if isinstance(container, Project):
        activity.record_event(ctx, ctx.user, action, container, (KIND, milestone_id))


def create_many(ctx: WriteContext, container: Place, rows: Sequence[Mapping[str, Any]]) -> list[Milestone]:
    """Make milestones of a place from fields of the record, a title at least; those around may have the same."""
    for row in rows:
        _refuse("create", _faults(row, None))
    if not rows:
        return []
    table, source, now = ctx.world.milestones, source_of(container), ctx.now_iso
    made = [
        Milestone(**_settled(id_, _iid(ctx.world, source, row), source, now, row))
        for id_, row in zip(count(table.next_id()), rows, strict=False)
    ]
    table.add_many(made)
    return made


def _iid(world: WorldDraft, source: Source, row: Mapping[str, Any]) -> int:
    if row.get("iid") is None:
        return world.next("milestone", *source)
    world.raise_to(row["iid"], "milestone", *source)
    return int(row["iid"])


def _settled(id_: int, iid: int, source: Source, now: str, row: Mapping[str, Any]) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    times = {"created_at": created_at, "updated_at": created_at}
    return {"id": id_, "source": source, **times, **row, "iid": iid}


def promoted_copy(ctx: WriteContext, project: Project, milestone: Milestone) -> Milestone:
    """The project's milestone of the same title, made where there is none."""
    for found in list_available(ctx.world, project):
        if found.title == milestone.title:
            return found
    return create(ctx, project, **_likeness(milestone))


def _likeness(milestone: Milestone) -> dict[str, Any]:
    names = ("title", "description", "state", "due_date", "start_date")
    return {name: getattr(milestone, name) for name in names}


def project_copy(ctx: WriteContext, project: Project, milestone: Milestone) -> Milestone:
    """A milestone itself where a project can use it, else the one of that title there, made if need be."""
    return milestone if milestone in list_available(ctx.world, project) else promoted_copy(ctx, project, milestone)


def update(ctx: WriteContext, container: Place, milestone: Milestone, **fields: Any) -> Milestone:
    """Change a milestone; ``state_event``: close or activate."""
    event = fields.pop("state_event", None)
    if event:
        fields["state"] = "closed" if event == "close" else "active"
    _refuse("update", _faults(fields, milestone, taken=_taken(ctx.world, container, fields, milestone)))
    changed = ctx.world.milestones.change(milestone, **fields)
    if changed.state != milestone.state:
        _record(ctx, _BECAME[changed.state], container, milestone.id)
    return changed if changed is milestone else ctx.world.milestones.change(changed, updated_at=ctx.now_iso)


def _taken(world: World, container: Place, fields: Mapping[str, Any], before: Milestone | None) -> bool:
    same = world.milestones.where("title", _title(fields, before))
    return any(other is not before and _near(world, container, other) for other in same)


def _title(fields: Mapping[str, Any], before: Milestone | None) -> str:
    return str(fields.get("title", before.title if before else ""))


def _faults(fields: Mapping[str, Any], before: Milestone | None, *, taken: bool = False) -> ValidationErrors:
    faults, title = ValidationErrors(), _title(fields, before)
    faults.when(not title.strip(), "title", BLANK)
    too_long(faults, "title", title)
    faults.when(taken, "title", _TAKEN)
    start = fields.get("start_date", before.start_date if before else None)
    due = fields.get("due_date", before.due_date if before else None)
    faults.when(start and due and due < start, "due_date", "must be greater than start date")
    return faults


def _refuse(verb: str, faults: ValidationErrors) -> None:
    if faults:
        raise BadRequest(f"Failed to {verb} milestone {ruby_inspect({field: faults.texts(field) for field in faults})}")


def _near(world: World, container: Place, other: Milestone) -> bool:
    """Whether a milestone shares its titles with those of a place: its own, its groups', its projects'."""
    above = [source_of(container), *(source_of(group) for group in groups_above(world, container))]
    if other.source in above:
        return True
    if isinstance(container, Group) and other.source[0] == "project":
        project = world.projects[other.source[1]]
        return any(group.id == container.id for group in groups_above(world, project))
    return False


def delete(ctx: WriteContext, container: Place, milestone: Milestone) -> None:
    """Delete a place's milestone; its activity stays, without it."""
    purge(ctx, milestone)
    _record(ctx, "destroyed", container, None)


def promote(ctx: WriteContext, project: Project, milestone: Milestone) -> Milestone:
    """Put a new milestone of its group into the place of a project's, and of those of that title in its other projects.

    403 where the project is in no group, or the caller may not care for the group's milestones.
    """
    group = ctx.world.namespaces[project.namespace_id]
    if not isinstance(group, Group):
        raise Forbidden(reason=lambda: f"{describe(ctx.world, project)} is in no group")
    authorize(ctx, Ability.ADMIN_MILESTONE, group)
    (heir,) = create_many(ctx, group, [_likeness(milestone)])
    for other in list(ctx.world.milestones.where("title", milestone.title)):
        if other.source[0] == "project" and _near(ctx.world, group, other):
            _replace(ctx, other, heir)
    return heir


def _replace(ctx: WriteContext, old: Milestone, new: Milestone) -> None:
    """Put one milestone into the place of another, which goes."""
    activity.clear_target(ctx, KIND, old.id)
    replace(ctx, old, new)


def _is_seen(ctx: ReadContext, milestone: Milestone) -> bool:
    return can(ctx, Ability.READ_MILESTONE, container_of(ctx.world, milestone.source))


activity.TARGETS[KIND] = activity.Target(
    find=lambda world, id_: world.milestones.get(id_),
    wire=lambda milestone: "Milestone",
    iid=lambda milestone: int(milestone.iid),
    title=lambda world, milestone: str(milestone.title),
    seen=_is_seen,
)
