"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, RecordNotFound
from fakeplat.core.store.query import members as members_of
from fakeplat.domain.checks import BLANK, Faults, ruby, too_long
from fakeplat.domain.people import activity
from fakeplat.domain.people.members import Place, place_of, source_of
from fakeplat.domain.planning.labels import groups_above
from fakeplat.model.events import Action
from fakeplat.model.labels import Milestone
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.levels import Source
from fakeplat.policy.naming import named
from fakeplat.policy.rulings import can, demand

KIND: Final = "milestone"
ON_DELETE: Final[list[Callable[[Doing, Milestone], None]]] = []
ON_REPLACE: Final[list[Callable[[Doing, Milestone, Milestone], None]]] = []
"""What other areas do when a milestone goes, and when one gives way to another (old, new)."""
_BECAME: Final[dict[str, Action]] = {"closed": "closed", "active": "reopened"}
_TAKEN = "already being used for another group or project milestone."


def own(world: World, place: Place) -> Iterator[Milestone]:
    """The milestones of a place itself."""
    return iter(world.milestones.where("source", source_of(place)))


def usable(world: World, place: Place, *, parents: bool = True) -> list[Milestone]:
    """The milestones that can be used in a place."""
    found = list(own(world, place))
    if parents:
        for group in groups_above(world, place):
            found += own(world, group)
    return found


def find(world: World, place: Place, id_: int) -> Milestone:
    """A place's own milestone, or 404."""
    found = world.milestones.get(id_)
    if found is None or found.source != source_of(place):
        raise RecordNotFound(reason=lambda: _elsewhere(world, place, id_))
    return found


def _elsewhere(world: World, place: Place, id_: int) -> str:
    """Why a number is not that of a place's milestone."""
    known = [f"{one.title} ({one.id})" for one in own(World(world.moment()), place)]
    return f"{named(world, place)} has no milestone with the id {id_}; it has {', '.join(known) or 'none'}"


def create(cx: Doing, place: Place, **fields: Any) -> Milestone:
    """Make a milestone: title, description, due_date, start_date."""
    _refuse("create", _faults(fields, None, taken=_taken(cx.world, place, fields, None)))
    (milestone,) = create_many(cx, place, [fields])
    _record(cx, "created", place, milestone.id)
    return milestone


def _record(cx: Doing, action: Action, container: Place, milestone_id: int | None) -> None:
    """Record an event of a project milestone; those of groups have none."""
    if isinstance(container, Project):
        activity.record(cx, cx.user, action, container, (KIND, milestone_id))


def create_many(cx: Doing, place: Place, rows: Sequence[Mapping[str, Any]]) -> list[Milestone]:
    """Make milestones of a place from fields of the record, a title at least; those around may have the same."""
    for row in rows:
        _refuse("create", _faults(row, None))
    if not rows:
        return []
    table, source, now = cx.world.milestones, source_of(place), cx.instant
    made = [
        Milestone(**_settled(id_, _iid(cx.world, source, row), source, now, row))
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


def own_copy(cx: Doing, project: Project, milestone: Milestone) -> Milestone:
    """The project's milestone of the same title, made where there is none."""
    for found in usable(cx.world, project):
        if found.title == milestone.title:
            return found
    return create(cx, project, **_likeness(milestone))


def _likeness(milestone: Milestone) -> dict[str, Any]:
    names = ("title", "description", "state", "due_date", "start_date")
    return {name: getattr(milestone, name) for name in names}


def settled(cx: Doing, project: Project, milestone: Milestone) -> Milestone:
    """A milestone itself where a project can use it, else the one of that title there, made if need be."""
    return milestone if milestone in usable(cx.world, project) else own_copy(cx, project, milestone)


def update(cx: Doing, place: Place, milestone: Milestone, **fields: Any) -> Milestone:
    """Change a milestone; ``state_event``: close or activate."""
    event = fields.pop("state_event", None)
    if event:
        fields["state"] = "closed" if event == "close" else "active"
    _refuse("update", _faults(fields, milestone, taken=_taken(cx.world, place, fields, milestone)))
    changed = cx.world.milestones.change(milestone, **fields)
    if changed.state != milestone.state:
        _record(cx, _BECAME[changed.state], place, milestone.id)
    return changed if changed is milestone else cx.world.milestones.change(changed, updated_at=cx.instant)


def _taken(world: World, place: Place, fields: Mapping[str, Any], before: Milestone | None) -> bool:
    same = world.milestones.where("title", _title(fields, before))
    return any(other is not before and _near(world, place, other) for other in same)


def _title(fields: Mapping[str, Any], before: Milestone | None) -> str:
    return str(fields.get("title", before.title if before else ""))


def _faults(fields: Mapping[str, Any], before: Milestone | None, *, taken: bool = False) -> Faults:
    faults, title = Faults(), _title(fields, before)
    faults.when(not title.strip(), "title", BLANK)
    too_long(faults, "title", title)
    faults.when(taken, "title", _TAKEN)
    start = fields.get("start_date", before.start_date if before else None)
    due = fields.get("due_date", before.due_date if before else None)
    faults.when(start and due and due < start, "due_date", "must be greater than start date")
    return faults


def _refuse(verb: str, faults: Faults) -> None:
    if faults:
        raise BadRequest(f"Failed to {verb} milestone {ruby({field: faults.texts(field) for field in faults})}")


def _near(world: World, place: Place, other: Milestone) -> bool:
    """Whether a milestone shares its titles with those of a place: its own, its groups', its projects'."""
    above = [source_of(place), *(source_of(group) for group in groups_above(world, place))]
    if other.source in above:
        return True
    if isinstance(place, Group) and other.source[0] == "project":
        project = world.projects[other.source[1]]
        return any(group.id == place.id for group in groups_above(world, project))
    return False


def delete(cx: Doing, place: Place, milestone: Milestone) -> None:
    """Delete a place's milestone; its activity stays, without it."""
    remove(cx, milestone)
    activity.lose_target(cx, KIND, milestone.id)
    _record(cx, "destroyed", place, None)


def remove(cx: Doing, milestone: Milestone) -> None:
    """Remove a milestone; what had it has none."""
    for table in (cx.world.issues, cx.world.merge_requests):
        for id_ in list(members_of(table.bits("facts", ("milestone", milestone.id)))):
            table.change(table[id_], milestone_id=None)  # type: ignore[arg-type]  # each table meets only its own records
    for follow in ON_DELETE:
        follow(cx, milestone)
    cx.world.milestones.remove(milestone)


def drop(cx: Doing, place: Place) -> None:
    """Remove all milestones of a place that goes."""
    for milestone in list(own(cx.world, place)):
        remove(cx, milestone)


def promote(cx: Doing, project: Project, milestone: Milestone) -> Milestone:
    """Put a new milestone of its group into the place of a project's, and of those of that title in its other projects.

    403 where the project is in no group, or the caller may not care for the group's milestones.
    """
    group = cx.world.namespaces[project.namespace_id]
    if not isinstance(group, Group):
        raise Forbidden(reason=lambda: f"{named(cx.world, project)} is in no group")
    demand(cx, May.ADMIN_MILESTONE, group)
    (heir,) = create_many(cx, group, [_likeness(milestone)])
    for other in list(cx.world.milestones.where("title", milestone.title)):
        if other.source[0] == "project" and _near(cx.world, group, other):
            _replace(cx, other, heir)
    return heir


def _replace(cx: Doing, old: Milestone, new: Milestone) -> None:
    """Put one milestone into the place of another, which goes."""
    for table in (cx.world.issues, cx.world.merge_requests):
        for id_ in list(members_of(table.bits("facts", ("milestone", old.id)))):
            table.change(table[id_], milestone_id=new.id)  # type: ignore[arg-type]  # each table meets only its own records
    for event in list(cx.world.milestone_events.where("milestone", old.id)):
        cx.world.milestone_events.change(event, milestone_id=new.id)
    for follow in ON_REPLACE:
        follow(cx, old, new)
    activity.lose_target(cx, KIND, old.id)
    remove(cx, old)


def _is_seen(cx: Context, milestone: Milestone) -> bool:
    return can(cx, May.READ_MILESTONE, place_of(cx.world, milestone.source))


activity.TARGETS[KIND] = activity.Target(
    find=lambda world, id_: world.milestones.get(id_),
    wire=lambda milestone: "Milestone",
    iid=lambda milestone: int(milestone.iid),
    title=lambda world, milestone: str(milestone.title),
    seen=_is_seen,
)
