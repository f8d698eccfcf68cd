"""What the users who asked are to look at."""

from collections import Counter
from re import compile as pattern
from typing import Final

from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.notes import list_notes
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, MERGE_REQUEST, USER
from fakeplat.tape.export.subresources import ISSUES, MERGE_REQUESTS, TODOS

_TARGETS: Final = {"Issue": (ISSUE, ISSUES), "MergeRequest": (MERGE_REQUEST, MERGE_REQUESTS)}
_NOTE: Final = pattern(r"#note_(\d+)$")


def to_scenario(seen: Observations, user: Document, names: Names, left_out: Counter[str]) -> Said:
    """The to-dos of a user, the oldest first, about what is said of projects."""
    listed = seen.parts_of(USER, (user["username"],), TODOS) or ()
    found = [_todo(seen, todo, names) for todo in sorted(listed, key=_id)]
    left_out["to-dos about other things"] += found.count(None)
    said = [todo for todo in found if todo is not None]
    return {TODOS: said} if said else {}


def _id(todo: Document) -> int:
    return todo["id"] if isinstance(todo.get("id"), int) else 0


def _todo(seen: Observations, todo: Document, names: Names) -> Said | None:
    kind, things = _TARGETS.get(str(todo.get("target_type")), ("", ""))
    target = next(iterate_objects(todo.get("target")), {})
    reference = names.reference(kind, target) if kind else None
    if reference is None:
        return None
    author, project = username(todo.get("author")), target.get("project_id") or 0
    owner, within = (project, names.projects.get(project)), f"{things}/{target.get('iid')}"
    return {
        kind: reference,
        "action": todo.get("action_name"),
        "state": todo.get("state"),
        **({"author": author} if author else {}),
        **({"created_at": todo["created_at"]} if todo.get("created_at") else {}),
        **_asking(todo, [note["id"] for note in list_notes(seen, owner, within)]),
    }


def _asking(todo: Document, notes: list[int]) -> Said:
    """Which of the notes asks for it."""
    found = _NOTE.search(str(todo.get("target_url")))
    return {"note": notes.index(int(found[1])) + 1} if found and int(found[1]) in notes else {}
