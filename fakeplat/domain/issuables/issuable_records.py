"""Fields, numbers and changes of the records of issues and merge requests."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Literal, TypedDict

from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import WorldDraft
from fakeplat.policy.context import WriteContext

Issuable = Issue | MergeRequest
StateEvent = Literal["close", "reopen"]


class IssuableFields(TypedDict, total=False):
    """Fields that records of issues and merge requests have in common, none of them required."""

    iid: int
    created_at: str
    updated_at: str
    description: str | None
    assignee_ids: tuple[int, ...]
    label_ids: tuple[int, ...]
    milestone_id: int | None
    closed_at: str | None
    closed_by_id: int | None
    discussion_locked: bool | None
    time_estimate: int
    total_time_spent: int


class NewIssuable(IssuableFields):
    """The fields of a new record. Its id follows from the table, its number and times too unless they are given."""

    title: str
    author_id: int


class IssuableChanges(IssuableFields, total=False):
    """Changes of a record."""

    title: str
    author_id: int


class IssuableParams(TypedDict, total=False):
    """The platform's parameters that issues and merge requests have in common."""

    title: str
    description: str | None
    assignee_ids: Sequence[int] | None
    assignee_id: int | None
    labels: Sequence[str] | None
    add_labels: Sequence[str] | None
    remove_labels: Sequence[str] | None
    milestone_id: int | None
    discussion_locked: bool | None
    state_event: StateEvent


def complete_rows(
    ctx: WriteContext, kind: str, project: Project, first_id: int, rows: Sequence[NewIssuable]
) -> Iterator[dict[str, Any]]:
    """Yield all fields of new records of a project: those of the rows, with ids, numbers and times."""
    now, project_id = ctx.now_iso, project.id
    for id_, iid, row in zip(count(first_id), _assign_iids(ctx.world, kind, project, rows), rows, strict=False):
        fields = {**row, "id": id_, "iid": iid, "project_id": project_id}
        # Without a value of its own, updated_at follows created_at, which the caller may have set.
        fields.setdefault("updated_at", fields.setdefault("created_at", now))
        yield fields


def _assign_iids(world: WorldDraft, kind: str, project: Project, rows: Iterable[NewIssuable]) -> list[int]:
    """Return the iid of each new row: its own, otherwise the next after all that the project ever had."""
    iids, last = [], world.get_counter(kind, project.id)
    for row in rows:
        iid = row.get("iid")
        iids.append(last + 1 if iid is None else iid)
        # An iid of its own also raises the counter, so that no later row receives it again.
        last = max(last, iids[-1])
    world.raise_counter(last, kind, project.id)
    return iids


def validate_texts(errors: ValidationErrors, fields: IssuableChanges) -> None:
    """Check the title and the description, as far as there are any."""
    if "title" in fields:
        errors.when(not fields["title"].strip(), "title", BLANK)
        too_long(errors, "title", fields["title"])
    too_long(errors, "description", fields.get("description"), 1_048_576)


def find_changes(ctx: WriteContext, record: Issuable, fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields that differ from a record, with the time of the update; nothing if only that differs."""
    changes = {name: value for name, value in fields.items() if getattr(record, name) != value}
    # A value for updated_at alone is no change and has no effects.
    return {**changes, "updated_at": fields.get("updated_at") or ctx.now_iso} if changes.keys() - {"updated_at"} else {}
