"""What payloads of issues and merge requests have in common: columns, changes, labels and assignees."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.domain.hooks.payloads import blocks
from fakeplat.domain.hooks.payloads.blocks import Block, Later, later
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.issues.issues import format_duration
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.policy.behaviours import REVIEWERS_IN_HOOKS
from fakeplat.policy.context import ReadContext

Columns = Mapping[str, Callable[[ReadContext, Any], Any]]
"""How the columns of the platform's table are read from a record, in their order."""
Changes = dict[str, dict[str, Any]]

_DEFAULTS: Final[Mapping[str, Any]] = {
    "confidential": False,
    "merge_params": {},
    "merge_status": "unchecked",
    "merge_when_pipeline_succeeds": False,
    "state_id": 1,
    "time_estimate": 0,
}
"""The values of columns in a new row; null for others."""


def build_changes(ctx: ReadContext, columns: Columns, before: Issuable | None, after: Issuable) -> Changes:
    """Return what differs between two versions of a record; without the first one, all that its creation set."""
    changes: Changes = {}
    for name, read in columns.items():
        previous = _DEFAULTS.get(name) if before is None else read(ctx, before)
        current = read(ctx, after)
        if previous != current:
            changes[name] = {"previous": _format(name, previous), "current": _format(name, current)}
    return changes if before is None else {**changes, **_build_association_changes(ctx, before, after)}


def _build_association_changes(ctx: ReadContext, before: Issuable, after: Issuable) -> Changes:
    changes: Changes = {}
    if before.assignee_ids != after.assignee_ids:
        users = (blocks.build_users(ctx, record.assignee_ids) for record in (before, after))
        changes["assignees"] = dict(zip(("previous", "current"), users, strict=True))
    if isinstance(before, MergeRequest) and isinstance(after, MergeRequest) and ctx.profile.has(REVIEWERS_IN_HOOKS):
        changes |= _build_reviewer_changes(ctx, before, after)
    if {*before.label_ids} != {*after.label_ids}:
        labels = (blocks.build_labels(ctx, record.label_ids) for record in (before, after))
        changes["labels"] = dict(zip(("previous", "current"), labels, strict=True))
    if before.total_time_spent != after.total_time_spent:
        changes["total_time_spent"] = {"previous": before.total_time_spent, "current": after.total_time_spent}
    return changes


def _build_reviewer_changes(ctx: ReadContext, before: MergeRequest, after: MergeRequest) -> Changes:
    if before.reviewer_ids == after.reviewer_ids:
        return {}
    previous, current = (blocks.build_users(ctx, record.reviewer_ids) for record in (before, after))
    return {"reviewers": {"previous": previous, "current": current}}


def _build_reviewers(ctx: ReadContext, record: Issuable) -> Block:
    """Return the reviewers, which are only listed if there are any."""
    if not isinstance(record, MergeRequest) or not record.reviewers or not ctx.profile.has(REVIEWERS_IN_HOOKS):
        return {}
    return {"reviewers": blocks.build_users(ctx, record.reviewer_ids)}


def read_columns(ctx: ReadContext, columns: Columns, record: Issuable) -> Block:
    """Return the columns of a record."""
    return {name: _format(name, read(ctx, record)) for name, read in columns.items()}


def _format(name: str, value: Any) -> Any:
    # Times are compared with their milliseconds, and shown without.
    return blocks.format_time(value) if name.endswith("_at") else value


def build_times(ctx: ReadContext, record: Issuable) -> Block:
    """Return the spent time, in seconds and in words."""
    return {
        "total_time_spent": record.total_time_spent,
        "human_total_time_spent": format_duration(ctx.world, record.total_time_spent),
        "human_time_estimate": format_duration(ctx.world, record.time_estimate),
    }


def build_time_change(ctx: ReadContext, before: Issuable | None, after: Issuable) -> Block:
    """Return the time that a change added or removed, in seconds and in words; nothing if it is about other things."""
    seconds = after.total_time_spent - before.total_time_spent if before else 0
    return blocks.read_later(ctx, _TIME_CHANGE, seconds) if seconds else {}


_TIME_CHANGE: Final[Mapping[str, Later[int]]] = {
    "time_change": later("<=15.11", lambda ctx, seconds: seconds),
    "human_time_change": later("<=15.11", lambda ctx, seconds: format_duration(ctx.world, seconds)),
}


def build_event(
    ctx: ReadContext,
    record: Issuable,
    user: User | None,
    *,
    kind: str,
    event_type: str,
    attributes: Block,
    changes: Changes,
) -> Block:
    """Return the payload of an event, whose assignees are only listed if there are any."""
    project = ctx.world.projects[record.project_id]
    assignees = blocks.build_users(ctx, record.assignee_ids)
    return {
        "object_kind": kind,
        "event_type": event_type,
        "user": blocks.build_user(ctx, user or blocks.find_user(ctx, record.author_id)),
        "project": blocks.build_project(ctx, project),
        "object_attributes": attributes,
        "labels": blocks.build_labels(ctx, record.label_ids),
        "changes": changes,
        "repository": blocks.build_repository(ctx, project),
        **({"assignees": assignees} if assignees else {}),
        **_build_reviewers(ctx, record),
    }
