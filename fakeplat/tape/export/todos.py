"""Conversion of to-dos to scenario entries, for the users whose credentials were used."""

from collections import Counter
from re import compile as pattern
from typing import Final

from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.notes import list_notes
from fakeplat.tape.export.subresources import ISSUES, MERGE_REQUESTS, TODOS
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, MERGE_REQUEST, USER

_TARGETS: Final = {"Issue": (ISSUE, ISSUES), "MergeRequest": (MERGE_REQUEST, MERGE_REQUESTS)}
_NOTE: Final = pattern(r"#note_(\d+)$")


def to_scenario(observations: Observations, user: Document, names: Names, left_out: Counter[str]) -> Entry:
    """Return the to-dos of a user about issues and merge requests in the scenario, oldest first."""
    todos = observations.subresources_of(USER, (user["username"],), TODOS) or ()
    entries = [_to_entry(observations, todo, names) for todo in sorted(todos, key=_sort_key)]
    left_out["to-dos about other targets"] += entries.count(None)
    todo_entries = [todo for todo in entries if todo is not None]
    return {TODOS: todo_entries} if todo_entries else {}


def _sort_key(todo: Document) -> int:
    return todo["id"] if isinstance(todo.get("id"), int) else 0


def _to_entry(observations: Observations, todo: Document, names: Names) -> Entry | None:
    kind, collection = _TARGETS.get(str(todo.get("target_type")), ("", ""))
    target = next(iterate_objects(todo.get("target")), {})
    reference = names.reference(kind, target) if kind else None
    if reference is None:
        return None
    author, project = username(todo.get("author")), target.get("project_id") or 0
    owner, within = (project, names.projects.get(project)), f"{collection}/{target.get('iid')}"
    return {
        kind: reference,
        "action": todo.get("action_name"),
        "state": todo.get("state"),
        **({"author": author} if author else {}),
        **({"created_at": todo["created_at"]} if todo.get("created_at") else {}),
        **_note_number(todo, [note["id"] for note in list_notes(observations, owner, within)]),
    }


def _note_number(todo: Document, note_ids: list[int]) -> Entry:
    """Return the position (from 1) of the note that created the to-do, if any."""
    match = _NOTE.search(str(todo.get("target_url")))
    # Scenarios name a note by its position, because its id is assigned when it is created.
    return {"note": note_ids.index(int(match[1])) + 1} if match and int(match[1]) in note_ids else {}
