"""To-do items of users."""

from typing import Any, Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Integer, Nullable
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.people import namespaces
from fakeplat.model.notes import Todo
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import TODOS, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.notes.threads import format_reference, get_noteable

_TARGETS: Final = ("issue", "merge_request", "commit", "epic", "wiki_page", "project", "group")
_KINDS: Final = {*noteables.NOTEABLES, *todos.CONTAINERS}
_FIELDS: Final = own_fields(Todo, snoozed_until=Nullable(DATE_TIME))


def _create(entry: Entry) -> Todo:
    key = next(key for key in _TARGETS if key in entry.values)
    # Users who add a to-do for themselves are its author.
    author = entry.user("author") if "author" in entry.values else entry.owner
    if key in todos.CONTAINERS:
        container = entry.project(key) if key == "project" else entry.group(key)
        return _set_fields(entry, todos.insert_access_todo(entry.ctx, entry.owner, author, container))
    record = get_noteable(entry, entry.values[key], key)
    note_id = _note_id(entry, record) if "note" in entry.values else None
    todo = todos.insert_todo(entry.ctx, entry.owner, author, entry.values.get("action", "marked"), record)
    return _set_fields(entry, entry.world.todos.change(todo, note_id=note_id))


def _set_fields(entry: Entry, todo: Todo) -> Todo:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return entry.world.todos.change(todo, **{**times, **entry.select(_FIELDS)})


def _note_id(entry: Entry, record: Any) -> int:
    ids = [*entry.world.notes.ids("subject", noteables.subject_of(record))]
    number = entry.values["note"]
    if number > len(ids):
        entry.fail(f"there are only {len(ids)} notes on the record", "note")
    return int(ids[number - 1])


def _list_todos(world: World, user: User) -> list[Todo]:
    return [todo for todo in world.todos.where("user", user.id) if todo.subject[0] in _KINDS]


def _serialize(world: World, todo: Todo) -> EntryData:
    times = serialization.remove_defaults(serialization.non_default_fields(todo, _FIELDS), updated_at=todo.created_at)
    ids = [*world.notes.ids("subject", todo.subject)]
    return {
        **_serialize_target(world, todo),
        **times,
        "author": serialization.username_of(world, todo.author_id),
        **({"note": ids.index(todo.note_id) + 1} if todo.note_id in ids else {}),
    }


def _serialize_target(world: World, todo: Todo) -> EntryData:
    target = todos.find_target(world, todo)
    if isinstance(target, Project):
        return {"project": namespaces.project_path(world, target)}
    if isinstance(target, Group):
        return {"group": namespaces.full_path(world, target)}
    record = noteables.get_record(world, todo.subject)
    return {"wiki_page" if isinstance(record, WikiPageMeta) else todo.subject[0]: format_reference(world, record)}


SECTION: Final = derive_section(
    "todos",
    Todo,
    within=("user",),
    rank=TODOS,
    keys=_FIELDS,
    further_keys={
        "issue": TEXT,
        "merge_request": TEXT,
        "commit": TEXT,
        "epic": TEXT,
        "wiki_page": TEXT,
        "project": TEXT,
        "group": TEXT,
        "author": TEXT,
        "note": Integer(minimum=1),
        "created_at": DATE_TIME,
    },
    one_of=_TARGETS,
    descriptions={
        "issue": "Target, as acme/site#7.",
        "merge_request": "Target, as acme/site!7.",
        "commit": "Target, as acme/site@0123abcd.",
        "epic": "Target, as acme&7.",
        "wiki_page": "Target, as acme/site[[home]]; of a group's wiki, as acme[[home]].",
        "project": "Full path of the project to which access is requested, by the author.",
        "group": "Full path of the group to which access is requested, by the author.",
        "author": "Username of the user who caused the item. Default: its owner.",
        "note": "Number of the note on the target that caused the item, from 1.",
        "action": "Reason of the item. Default: marked, of projects and groups member_access_requested.",
    },
    create=_create,
    rows=_list_todos,
    serialize=_serialize,
)
