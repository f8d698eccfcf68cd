"""User contribution events, in chronological order."""

from collections.abc import Iterable
from typing import Final, get_args

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_TIME, NULLABLE_TEXT, TEXT, Choice, Nullable, Object
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.domain.wikis.page_events import KIND as WIKI_PAGE
from fakeplat.domain.wikis.page_events import get_or_create_meta
from fakeplat.model.activity import Action, Event, PushData
from fakeplat.model.planning import Milestone
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issuables import get_epic
from fakeplat.scenario.sections.merge_requests.merge_requests import get_issuable
from fakeplat.scenario.sections.notes import threads

_KINDS: Final = ("epic", "issue", "merge_request", "milestone", "note", WIKI_PAGE)
_PUSH: Final = Object(fields(PushData), required=("commit_count", "action", "ref_type"))


def _create(entry: Entry) -> Event:
    values, events = entry.values, entry.world.events
    container: EntryData = {"project_id": entry.project("project").id} if values.get("project") else {}
    if values.get("group"):
        container["group_id"] = entry.group("group").id
    if not container:
        entry.fail("needs a project or a group", "project")
    target = (
        {"kind": values["target_type"], "target_id": _find_target_id(entry, container)}
        if values.get("target_type")
        else {}
    )
    push = PushData(**values["push_data"]) if values.get("push_data") else None
    author = entry.user("author").id
    return events.add(
        Event(events.next_id(), author, values["action"], entry.created_at, **container, **target, push=push)
    )


def _find_target_id(entry: Entry, container: EntryData) -> int | None:
    """Return the id of an event's target: acme/site#7, acme/site!7, a milestone's title, or a note as acme/site#7!1."""
    kind, name = entry.values["target_type"], entry.values.get("target")
    if name is None:
        return None
    if kind == "milestone":
        return _get_milestone_id(entry, container, name)
    if kind == WIKI_PAGE:
        return _get_page_id(entry, name)
    # From the right, because the reference of a merge request contains the same sign: ``acme/site!7!1``.
    path, _, number = name.rpartition("!") if kind == "note" else (name, "", "")
    if kind != "note":
        find = get_epic if kind == "epic" else get_issuable
        return int(find(entry, path, "target").id)
    record = threads.get_noteable(entry, path, "target")
    notes: list[int] = [*entry.world.notes.ids("subject", noteables.subject_of(record))]
    # ``isdigit`` alone also accepts superscripts, which ``int`` refuses.
    if not (number.isascii() and number.isdigit() and 0 < int(number) <= len(notes)):
        entry.fail(f"unknown note {name!r}", "target")
    return notes[int(number) - 1]


def _get_page_id(entry: Entry, slug: str) -> int:
    """Return the id of the record that stands for a wiki page of the project; the page itself may be deleted."""
    project = entry.project_or_none("project")
    if project is None:
        entry.fail("needs a project", "project")
    title = slug.rpartition("/")[2].replace("-", " ")
    return get_or_create_meta(entry.world, project, slug, title).id


def _get_milestone_id(entry: Entry, container: EntryData, name: str) -> int:
    """Return the id of a milestone of the container by title, or of another one by reference (``acme%Winter``)."""
    source = ("project", container["project_id"]) if "project_id" in container else ("group", container["group_id"])
    path, sign, title = name.partition("%")
    other_container = (entry.loader.find("project", path) or entry.loader.find("group", path)) if sign else None
    for candidate_source, candidate_title in (
        # First the whole name, because a title may contain the sign itself.
        (source, name),
        (source_of(other_container) if other_container else source, title),
    ):
        for milestone in entry.world.milestones.where("source", candidate_source):
            if milestone.title == candidate_title:
                return int(milestone.id)
    return entry.fail(f"unknown milestone {name!r}", "target")


def _export(world: World, _owner: None) -> Iterable[tuple[Event, EntryData]] | None:
    return [(event, data) for event in world.events.all() if (data := _serialize(world, event))] or None


def _serialize(world: World, event: Event) -> EntryData:
    """Return the entry of an event; empty if scenarios cannot refer to its target."""
    if event.kind is not None and not _is_known(world, event):
        return {}
    data: EntryData = {
        "author": serialization.username_of(world, event.author_id),
        "action": event.action,
        "created_at": event.created_at,
    }
    if event.project_id is not None:
        data["project"] = project_path(world, world.projects[event.project_id])
    if event.group_id is not None:
        data["group"] = full_path(world, world.namespaces[event.group_id])
    if event.kind is not None:
        data |= {"target_type": event.kind, "target": _format_target(world, event)}
    return data | ({"push_data": serialization.non_default_fields(event.push, _PUSH.keys)} if event.push else {})


def _is_known(world: World, event: Event) -> bool:
    note = world.notes.get(event.target_id or 0) if event.kind == "note" else None
    return event.kind in _KINDS and (note is None or noteables.find_record(world, note.subject) is not None)


def _format_target(world: World, event: Event) -> str | None:
    if event.target_id is None:
        return None
    if event.kind == "milestone":
        return _milestone_name(world, event, world.milestones[event.target_id])
    if event.kind == WIKI_PAGE:
        return world.wiki_page_metas[event.target_id].slug
    if event.kind != "note":
        return noteables.format_reference(world, noteables.get_record(world, (event.kind, event.target_id)))
    note = world.notes[event.target_id]
    note_ids = [*world.notes.ids("subject", note.subject)]
    return f"{threads.format_reference(world, noteables.get_record(world, note.subject))}!{note_ids.index(note.id) + 1}"


def _milestone_name(world: World, event: Event, milestone: Milestone) -> str:
    kind, id_ = milestone.source
    if id_ == (event.project_id or event.group_id):
        return milestone.title
    path = project_path(world, world.projects[id_]) if kind == "project" else full_path(world, world.namespaces[id_])
    return f"{path}%{milestone.title}"


SECTION: Final = Section(
    "events",
    within=(SCENARIO,),
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
            "project": "Full path of the project.",
            "group": "Full path of the group.",
            "target": "An issue as acme/site#7, a merge request as acme/site!7, an epic as acme&7, a milestone's "
            "title, a wiki page by its slug, or the first note as acme/site#7!1 (on a commit: acme/site@0123abcd!1).",
        },
    ),
    create=_create,
    export=_export,
    record=Event,
)
