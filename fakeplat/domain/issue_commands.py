"""Quick actions on issues alone: confidentiality, dates and weight, other issues and projects.

Source: more on notes and issues; texts as the platform says them.
"""

import re
from datetime import date
from typing import Final

from fakeplat.domain import noteables, references, spoken_dates
from fakeplat.domain.noteable_commands import flag
from fakeplat.domain.noteables import ISSUE
from fakeplat.domain.planning_commands import cleared
from fakeplat.domain.quick_actions import On, Outcome, command
from fakeplat.policy.abilities import May
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, sees

ISSUES: Final = (ISSUE.kind,)


@command("confidential", on=ISSUES)
def confidential(on: On, argument: str) -> Outcome:
    """Hide it from all who have no say."""
    del argument
    return flag(on, "confidential", "Made this issue confidential.", wanted=True)


# plans


@command("due", on=ISSUES)
def due(on: On, argument: str) -> Outcome:
    """Say when it is to be done."""
    found = spoken_dates.read(argument, on.cx.today)
    if found is None or not on.administers:
        return None
    on.changes["due_date"] = found
    day = date.fromisoformat(found)
    return f"Set the due date to {day:%b} {day.day}, {day.year}."


@command("remove_due_date", on=ISSUES)
def remove_due_date(on: On, argument: str) -> Outcome:
    """Take the due date away."""
    del argument
    return cleared(on, "due_date", None, "Removed the due date.")


@command("weight", on=ISSUES)
def weight(on: On, argument: str) -> Outcome:
    """Say how much work it is; part of a paid tier."""
    if not re.fullmatch(r"[0-9]{1,9}", argument) or not _weighs(on):
        return None
    on.changes["weight"] = int(argument)
    return f"Set weight to {int(argument)}."


@command("clear_weight", on=ISSUES)
def clear_weight(on: On, argument: str) -> Outcome:
    """Take the weight away; part of a paid tier."""
    del argument
    return cleared(on, "weight", None, "Cleared weight.") if _weighs(on) else None


def _weighs(on: On) -> bool:
    return on.administers and has(on.cx.world, "premium", on.project)


# other issues and projects


@command("duplicate", on=ISSUES, exists=True)
def duplicate(on: On, argument: str) -> Outcome:
    """Close it as a duplicate of another one."""
    if not on.may_update:
        return None
    other = references.issue(on.cx, on.project, argument)
    if other is None or other.id == on.record.id or not noteables.visible(on.cx, other):
        return "Failed to mark this issue as a duplicate because referenced issue was not found."
    on.changes["canonical_issue_id"] = other.id
    return f"Marked this issue as a duplicate of {noteables.reference(on.cx.world, other, on.project)}."


@command("move", on=ISSUES, exists=True)
def move(on: On, argument: str) -> Outcome:
    """Move it to another project."""
    if not on.administers:
        return None
    target = references.project_named(on.cx, on.project, argument.strip())
    if target is None or not sees(on.cx, target):
        return "Failed to move this issue because target project doesn't exist."
    if target.id == on.project.id or not can(on.cx, May.ADMIN_ISSUE, target):
        return None
    on.changes["target_project"] = target.id
    on.untold.add("target_project")
    return f"Moved this issue to {argument.strip()}."
