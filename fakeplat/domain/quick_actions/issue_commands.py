"""Quick actions on issues alone: confidentiality, dates and weight, other issues and projects.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from datetime import date
from typing import Final

from fakeplat.domain.issues import zoom_meetings
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.notes.noteables import ISSUE
from fakeplat.domain.planning import boards
from fakeplat.domain.quick_actions import natural_dates as spoken_dates
from fakeplat.domain.quick_actions.issuable_commands import clear_field, find_labels, label_ids, put_labels
from fakeplat.domain.quick_actions.noteable_commands import set_flag
from fakeplat.domain.quick_actions.quick_actions import NO_KIND, CommandContext, Outcome, command
from fakeplat.model.namespaces import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.features import has_feature

ISSUES: Final = (ISSUE.kind,)


@command("confidential", on=ISSUES)
def confidential(on: CommandContext, argument: str) -> Outcome:
    """Hide it from all who have no say."""
    del argument
    return set_flag(on, "confidential", "Made this issue confidential.", wanted=True)


# plans


@command("due", on=ISSUES)
def due(on: CommandContext, argument: str) -> Outcome:
    """Say when it is to be done."""
    if not argument.strip() or not on.administers:
        return None
    found = spoken_dates.parse_natural_date(argument, on.ctx.today)
    if found is None:
        return "Failed to set due date because the date format is invalid."
    on.changes["due_date"] = found
    day = date.fromisoformat(found)
    return f"Set the due date to {day:%b} {day.day}, {day.year}."


@command("remove_due_date", on=ISSUES)
def remove_due_date(on: CommandContext, argument: str) -> Outcome:
    """Take the due date away."""
    del argument
    return clear_field(on, "due_date", None, "Removed the due date.")


@command("weight", on=ISSUES)
def weight(on: CommandContext, argument: str) -> Outcome:
    """Say how much work it is; part of a paid tier."""
    if not re.fullmatch(r"[0-9]{1,9}", argument) or not _weighs(on):
        return None
    on.changes["weight"] = int(argument)
    return f"Set weight to {int(argument)}."


@command("clear_weight", on=ISSUES)
def clear_weight(on: CommandContext, argument: str) -> Outcome:
    """Take the weight away; part of a paid tier."""
    del argument
    return clear_field(on, "weight", None, "Cleared weight.") if _weighs(on) else None


def _weighs(on: CommandContext) -> bool:
    return on.administers and has_feature(on.ctx.world, "premium", on.project)


# other issues and projects


@command("duplicate", on=ISSUES, exists=True)
def duplicate(on: CommandContext, argument: str) -> Outcome:
    """Close it as a duplicate of another one."""
    if not argument.strip() or not on.may_update:
        return None
    other = references.find_issue(on.ctx, on.project, argument)
    if other is None or other.id == on.record.id or not noteables.is_visible(on.ctx, other):
        return "Failed to mark this issue as a duplicate because referenced issue was not found."
    on.changes["canonical_issue_id"] = other.id
    return f"Marked this issue as a duplicate of {noteables.format_reference(on.ctx.world, other, on.project)}."


@command("move", on=ISSUES, exists=True)
def move(on: CommandContext, argument: str) -> Outcome:
    """Move it to another project."""
    if not argument.strip() or not on.administers:
        return None
    target = references.find_project(on.ctx, on.project, argument.strip())
    if target is None or not can_see(on.ctx, target):
        return "Failed to move this issue because target project doesn't exist."
    if target.id == on.project.id or not can(on.ctx, Ability.ADMIN_ISSUE, target):
        return None
    on.changes["target_project"] = target.id
    on.untold.add("target_project")
    return f"Moved this issue to {argument.strip()}."


@command("relate", on=ISSUES, exists=True)
def relate(on: CommandContext, argument: str) -> Outcome:
    """Link it to other issues; nothing is said of that."""
    targets = references.find_issues(on.ctx, on.project, argument).values()
    ids = tuple(issue.id for issue in targets if noteables.is_visible(on.ctx, issue))
    if ids and on.may_update:
        on.changes["relate"] = ids
        on.untold.add("relate")
    return None


@command("board_move", on=ISSUES, exists=True)
def board_move(on: CommandContext, argument: str) -> Outcome:
    """Move it to another column of the project's one board."""
    columns = _columns(on)
    if not argument.strip() or columns is None or not on.may_update:
        return None
    found = find_labels(on, argument)
    if len(found) > 1:
        return "Failed to move this issue because only a single label can be provided."
    if not found or found[0].id not in columns:
        return "Failed to move this issue because label was not found."
    target, before = found[0].id, label_ids(on)
    removed = [id_ for id_ in before if id_ in columns and id_ != target]
    kept = [id_ for id_ in before if id_ not in removed]
    put_labels(on, "remove_label_ids", kept, removed)
    put_labels(on, "add_label_ids", [*kept, target], [target])
    return f"Moved issue to ~{target} column in the board."


def _columns(on: CommandContext) -> set[int] | None:
    """The labels (ids) that have a list on the project's board; None where it has not exactly one."""
    found = boards.list_boards(on.ctx.world, on.project)
    if len(found) != 1:
        return None
    return {one.thing_id for one in boards.list_columns(on.ctx.world, found[0]) if one.kind == "label"}


@command("create_merge_request", on=ISSUES, exists=True)
def create_merge_request(on: CommandContext, argument: str) -> Outcome:
    """Create a branch, named or named after it, and a merge request that resolves it."""
    if not all(can(on.ctx, ability, on.project) for ability in (Ability.CREATE_MERGE_REQUEST_IN, Ability.PUSH_CODE)):
        return None
    branch = argument.strip() or None
    on.changes["create_merge_request"] = {"branch_name": branch, "issue_iid": on.record.iid}
    words = f"branch '{branch}'" if branch else "a branch"
    return f"Created {words} and a merge request to resolve this issue."


# Zoom meetings


@command("zoom", on=ISSUES)
def zoom(on: CommandContext, argument: str) -> Outcome:
    """Add a Zoom meeting."""
    if not argument.strip() or _has_meeting(on) or not can(on.ctx, _changes_meetings(on), on.project):
        return None
    link = zoom_meetings.find_link(argument)
    if link is None:
        return "Failed to add a Zoom meeting"
    _set_meeting(on, link)
    return "Zoom meeting added"


@command("remove_zoom", on=ISSUES, exists=True)
def remove_zoom(on: CommandContext, argument: str) -> Outcome:
    """Remove the Zoom meeting."""
    del argument
    if not _has_meeting(on) or not can(on.ctx, _changes_meetings(on), on.project):
        return None
    _set_meeting(on, None)
    return "Zoom meeting removed"


def _has_meeting(on: CommandContext) -> bool:
    if "zoom_meeting" in on.changes:
        return on.changes["zoom_meeting"] is not None
    return on.record is not None and zoom_meetings.has_meeting(on.ctx.world, on.record)


def _changes_meetings(on: CommandContext) -> Ability:
    return Ability.CREATE_ISSUE if on.record is None else Ability.UPDATE_ISSUE


def _set_meeting(on: CommandContext, link: str | None) -> None:
    on.changes["zoom_meeting"] = link
    on.untold.add("zoom_meeting")


# epics, iterations, the status page: on paid tiers, and none of them is there


@command("epic", on=ISSUES)
def epic(on: CommandContext, argument: str) -> Outcome:
    """Add it to an epic; there are none."""
    if not argument.strip() or not _has_epics(on):
        return None
    return "This epic does not exist or you don't have sufficient permission."


@command("remove_epic", on=ISSUES, exists=True)
def remove_epic(on: CommandContext, argument: str) -> Outcome:
    """Remove it from its epic."""
    del argument
    if not _has_epics(on):
        return None
    on.changes["epic"] = None
    return "Removed an issue from an epic."


def _has_epics(on: CommandContext) -> bool:
    in_group = isinstance(on.ctx.world.namespaces[on.project.namespace_id], Group)
    return in_group and has_feature(on.ctx.world, "premium", on.project) and on.administers


@command(
    "promote",
    "iteration",
    "remove_iteration",
    "publish",
    "child_epic",
    "remove_child_epic",
    "parent_epic",
    "remove_parent_epic",
    on=NO_KIND,
)
def ignore(on: CommandContext, argument: str) -> Outcome:
    """Do nothing: what it needs is not there."""
    del on, argument
    return None
