"""What users did, in the order in which they did it."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_TIME, NULLABLE_TEXT, TEXT, Choice, Nullable, Object
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.events import Action, Event, PushData
from fakeplat.model.labels import Milestone
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, SCENARIO, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections import threads
from fakeplat.scenario.sections.merge_requests import noteable_at

_KINDS: Final = ("issue", "merge_request", "milestone", "note")
_PUSH: Final = Object(fields(PushData), required=("commit_count", "action", "ref_type"))


def _make(entry: Entry) -> Event:
    said, events = entry.said, entry.world.events
    place: dict[str, Any] = {"project_id": entry.project("project").id} if said.get("project") else {}
    if said.get("group"):
        place["group_id"] = entry.group("group").id
    if not place:
        entry.wrong("needs a project or a group", "project")
    target = {"kind": said["target_type"], "target_id": _target(entry, place)} if said.get("target_type") else {}
    push = PushData(**said["push_data"]) if said.get("push_data") else None
    author = entry.user("author").id
    return events.add(Event(events.next_id(), author, said["action"], entry.created_at, **place, **target, push=push))


def _target(entry: Entry, place: dict[str, Any]) -> int | None:
    """The id of what an event is about: as acme/site#7 or acme/site!7, a milestone's title, a note as acme/site#7!1."""
    kind, name = entry.said["target_type"], entry.said.get("target")
    if name is None:
        return None
    if kind == "milestone":
        return _milestone(entry, place, name)
    path, _, number = name.rpartition("!") if kind == "note" else (name, "", "")
    if kind != "note":
        return noteable_at(entry, path, "target").id
    record = threads.find_noteable(entry, path, "target")
    notes: list[int] = [*entry.world.notes.ids("subject", noteables.subject_of(record))]
    if not (number.isascii() and number.isdigit() and 0 < int(number) <= len(notes)):
        entry.wrong(f"unknown note {name!r}", "target")
    return notes[int(number) - 1]


def _milestone(entry: Entry, place: dict[str, Any], name: str) -> int:
    """The place's own milestone with a title, or another place's (``acme%Winter``)."""
    source = ("project", place["project_id"]) if "project_id" in place else ("group", place["group_id"])
    path, sign, title = name.partition("%")
    elsewhere = (entry.seeding.find("project", path) or entry.seeding.find("group", path)) if sign else None
    for at, wanted in ((source, name), (source_of(elsewhere) if elsewhere else source, title)):
        for one in entry.world.milestones.where("source", at):
            if one.title == wanted:
                return int(one.id)
    return entry.wrong(f"unknown milestone {name!r}", "target")


def _tell(world: World, nothing: Any) -> Iterable[tuple[Event, Told]] | None:
    del nothing
    return [(event, told) for event in world.events.all() if (told := _told(world, event))] or None


def _told(world: World, event: Event) -> Told:
    """What makes an event again; nothing of one whose target scenarios do not know."""
    if event.kind is not None and not _is_known(world, event):
        return {}
    told: Told = {
        "author": telling.username_of(world, event.author_id),
        "action": event.action,
        "created_at": event.created_at,
    }
    if event.project_id is not None:
        told["project"] = project_path(world, world.projects[event.project_id])
    if event.group_id is not None:
        told["group"] = full_path(world, world.namespaces[event.group_id])
    if event.kind is not None:
        told |= {"target_type": event.kind, "target": _name(world, event)}
    return told | ({"push_data": telling.non_default_fields(event.push, _PUSH.keys)} if event.push else {})


def _is_known(world: World, event: Event) -> bool:
    note = world.notes.get(event.target_id or 0) if event.kind == "note" else None
    return event.kind in _KINDS and (note is None or noteables.find_record(world, note.subject) is not None)


def _name(world: World, event: Event) -> str | None:
    if event.target_id is None:
        return None
    if event.kind == "milestone":
        return _milestone_name(world, event, world.milestones[event.target_id])
    if event.kind != "note":
        return noteables.format_reference(world, noteables.find_record(world, (event.kind, event.target_id)))
    note = world.notes[event.target_id]
    others = [*world.notes.ids("subject", note.subject)]
    return f"{threads.format_reference(world, noteables.find_record(world, note.subject))}!{others.index(note.id) + 1}"


def _milestone_name(world: World, event: Event, milestone: Milestone) -> str:
    kind, id_ = milestone.source
    if id_ == (event.project_id or event.group_id):
        return milestone.title
    path = project_path(world, world.projects[id_]) if kind == "project" else full_path(world, world.namespaces[id_])
    return f"{path}%{milestone.title}"


SECTION: Final = Section(
    "events",
    under=(SCENARIO,),
    rank=ALERTS + 1,
    keys=Object(
        {
            "author": TEXT,
            "action": Choice(*get_args(Action)),
            "project": NULLABLE_TEXT,
            "group": NULLABLE_TEXT,
            "target_type": Nullable(Choice(*_KINDS)),
            "target": NULLABLE_TEXT,
            "push_data": Nullable(_PUSH),
            "created_at": DATE_TIME,
        },
        required=("author", "action"),
        descriptions={
            "project": "A full path.",
            "group": "A full path.",
            "target": "An issue as acme/site#7, a milestone's title, a note as acme/site#7!1 (the first one there), "
            "of a commit as acme/site@0123abcd!1.",
        },
    ),
    make=_make,
    tell=_tell,
)
