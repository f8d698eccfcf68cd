"""What users are asked to look at."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Integer, Object
from fakeplat.domain.notes import noteables, todos
from fakeplat.model.todos import Todo
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import TODOS, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.threads import find_noteable

_TARGETS: Final = ("issue", "merge_request", "commit")
_OWN: Final = fields(Todo, without=("id", "user_id", "author_id", "project_id", "subject", "note_id"))


def _make(entry: Entry) -> Todo:
    key = next(key for key in _TARGETS if key in entry.said)
    record = find_noteable(entry, entry.said[key], key)
    author = entry.user("author") if "author" in entry.said else entry.owner
    note_id = _note_id(entry, record) if "note" in entry.said else None
    todo = todos.insert_todo(entry.ctx, entry.owner, author, entry.said.get("action", "marked"), record)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return entry.world.todos.change(todo, note_id=note_id, **{**times, **entry.given(_OWN)})


def _note_id(entry: Entry, record: Any) -> int:
    ids = [*entry.world.notes.ids("subject", noteables.subject_of(record))]
    place = entry.said["note"]
    if place > len(ids):
        entry.wrong(f"there are {len(ids)} notes on it", "note")
    return int(ids[place - 1])


def _tell(world: World, user: User) -> Iterable[tuple[Todo, Told]] | None:
    return [(todo, _told(world, todo)) for todo in world.todos.where("user", user.id) if _is_told(todo)] or None


def _is_told(todo: Todo) -> bool:
    return todo.subject[0] in noteables.NOTEABLES


def _told(world: World, todo: Todo) -> Told:
    times = telling.remove_defaults(telling.non_default_fields(todo, _OWN), updated_at=todo.created_at)
    ids = [*world.notes.ids("subject", todo.subject)]
    return {
        todo.subject[0]: noteables.format_reference(world, noteables.find_record(world, todo.subject)),
        **times,
        "author": telling.username_of(world, todo.author_id),
        **({"note": ids.index(todo.note_id) + 1} if todo.note_id in ids else {}),
    }


SECTION: Final = Section(
    "todos",
    under=("user",),
    rank=TODOS,
    keys=Object(
        {
            **_OWN,
            "issue": TEXT,
            "merge_request": TEXT,
            "commit": TEXT,
            "author": TEXT,
            "note": Integer(minimum=1),
            "created_at": DATE_TIME,
        },
        one_of=_TARGETS,
        descriptions={
            "issue": "What it is about, as acme/site#7.",
            "merge_request": "What it is about, as acme/site!7.",
            "commit": "What it is about, as acme/site@0123abcd.",
            "author": "Who asks, a username; otherwise the user.",
            "note": "Which of the notes on it asks for it, the first being 1.",
            "action": "Why; marked if nothing is said.",
        },
    ),
    make=_make,
    tell=_tell,
)
