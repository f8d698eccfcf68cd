"""Who has a part in a thing. Source: docs/platform/issues.md ('Sub-resources')."""

from collections.abc import Iterator
from typing import Any

from fakeplat.domain.notes import noteables, notes, references
from fakeplat.model.users import User
from fakeplat.policy.context import Context


def of(cx: Context, record: Any) -> list[User]:
    """Author, assignees, those who commented and those who were named, each once, if they see the thing.

    What is said and hidden from the caller does not count.
    """
    found = (cx.world.users.get(id_) for id_ in dict.fromkeys(_ids(cx, record)))
    return [user for user in found if user and noteables.visible(cx.as_user(user), record)]


def _ids(cx: Context, record: Any) -> Iterator[int]:
    project = noteables.project_of(cx.world, record)
    said = cx.world.notes.where("comments", noteables.subject_of(record))
    comments = [note for note in said if notes.visible(cx, note)]
    yield from noteables.of(record).own(record)
    yield from (note.author_id for note in comments)
    for text in (record.description, *(note.body for note in comments)):
        yield from references.mentioned(cx, project, text)
