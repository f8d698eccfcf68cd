"""What follows from naming people and things in a text: to-dos, and notes on what is mentioned.

Source: docs/platform/todos.md, docs/platform/notes-discussions.md.
"""

from typing import Any

from fakeplat.domain.notes import noteables, references, system_notes, todos
from fakeplat.domain.notes.noteables import Subject
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import Doing


def follow(cx: Doing, record: Any, text: str | None, before: str | None = None, note: Note | None = None) -> None:
    """Do what a text about a thing asks for, beyond what it asked ``before``; ``note`` is where it stands."""
    if cx.user is None or not text:
        return
    ask_people(cx, record, text, before, note)
    refer(cx, record, text, before)


def ask_people(cx: Doing, record: Any, text: str, before: str | None, note: Note | None) -> None:
    """Ask those whom a text names to look at it; of those with whom a line begins, directly."""
    if not noteables.of(record).asks:
        return
    project = noteables.project_of(cx.world, record)
    known = references.mentioned(cx, project, before)
    addressed = references.addressed(cx, project, text)
    for id_, user in references.mentioned(cx, project, text).items():
        if id_ not in known and not (note is not None and note.confidential and not _reads(cx, user, note)):
            todos.ask(cx, user, "directly_addressed" if id_ in addressed else "mentioned", record, note)


def _reads(cx: Doing, user: User, note: Note) -> bool:
    from fakeplat.domain.notes import notes  # notes know mentions

    return notes.visible(cx.as_user(user), note)


def refer(cx: Doing, record: Any, text: str, before: str | None) -> None:
    """Note on each thing that a text names, and the caller sees, that it was mentioned; once for each mentioning."""
    project, source = noteables.project_of(cx.world, record), noteables.subject_of(record)
    known = _named(cx, project, before)
    for target, named in _named(cx, project, text).items():
        if target in known or target == source or not noteables.visible(cx, named):
            continue
        seen_from = noteables.project_of(cx.world, named)
        body = f"mentioned in {noteables.of(record).words} {noteables.reference(cx.world, record, seen_from)}"
        if any(note.body == body for note in cx.world.notes.where("telling", (target, source))):
            continue
        system_notes.write(cx, target, cx.someone, body, source=source)
        noteables.touch(cx, named)


def _named(cx: Doing, project: Project, text: str | None) -> dict[Subject, Issue | MergeRequest]:
    """The issues and merge requests that a text names."""
    found: list[Issue | MergeRequest] = [
        *references.issues(cx, project, text).values(),
        *references.merge_requests(cx, project, text).values(),
    ]
    return {noteables.subject_of(one): one for one in found}
