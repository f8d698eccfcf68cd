"""Quick actions for issues only: confidentiality, dates and weight, other issues and projects.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from datetime import date
from typing import Final

from fakeplat.core.release import Lifetime
from fakeplat.domain.customer_relations import crm_access, issue_contacts
from fakeplat.domain.epics import epic_issues
from fakeplat.domain.issues import zoom_meetings
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.notes.noteables import ISSUE
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.planning import boards, iterations
from fakeplat.domain.quick_actions import natural_dates
from fakeplat.domain.quick_actions.issuable_commands import clear_field, find_labels, label_ids, put_labels
from fakeplat.domain.quick_actions.noteable_commands import set_flag
from fakeplat.domain.quick_actions.quick_actions import NO_KIND, CommandContext, Outcome, command
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.features import has_feature

ISSUES: Final = (ISSUE.kind,)
# Accepts *iteration:7, *iteration:"Winter sprint" and *iteration:Winter.
_ITERATION: Final = re.compile(r'\*iteration:(?:([0-9]{1,18})|"([^"\n]+)"|(\S+))')
_SEVERITIES: Final = {
    **{level: level for level in ("unknown", "low", "medium", "high", "critical")},
    **{
        f"{prefix}{number}": level
        for number, level in enumerate(("critical", "high", "medium", "low"), 1)
        for prefix in ("", "s")
    },
}


@command("confidential", on=ISSUES)
def confidential(context: CommandContext, _argument: str) -> Outcome:
    """Make the issue confidential."""
    return set_flag(context, "confidential", "Made this issue confidential.", value=True)


# Planning


@command("due", on=ISSUES)
def due(context: CommandContext, argument: str) -> Outcome:
    """Set the due date."""
    if not argument.strip() or not context.administers:
        return None
    due_date = natural_dates.parse_natural_date(argument, context.ctx.today)
    # A date that cannot be read is reported, unlike most commands that do not apply.
    if due_date is None:
        return "Failed to set due date because the date format is invalid."
    context.changes["due_date"] = due_date
    day = date.fromisoformat(due_date)
    return f"Set the due date to {day:%b} {day.day}, {day.year}."


@command("remove_due_date", on=ISSUES)
def remove_due_date(context: CommandContext, _argument: str) -> Outcome:
    """Remove the due date."""
    return clear_field(context, "due_date", None, "Removed the due date.")


@command("weight", on=ISSUES)
def weight(context: CommandContext, argument: str) -> Outcome:
    """Set the weight; a paid feature."""
    if not re.fullmatch(r"[0-9]{1,9}", argument) or not _can_set_weight(context):
        return None
    context.changes["weight"] = int(argument)
    return f"Set weight to {int(argument)}."


@command("clear_weight", on=ISSUES)
def clear_weight(context: CommandContext, _argument: str) -> Outcome:
    """Clear the weight; a paid feature."""
    return clear_field(context, "weight", None, "Cleared weight.") if _can_set_weight(context) else None


def _can_set_weight(context: CommandContext) -> bool:
    return context.administers and has_feature(context.ctx.world, "premium", context.project)


@command("iteration", on=ISSUES)
def iteration(context: CommandContext, argument: str) -> Outcome:
    """Set the iteration; a paid feature."""
    match = _ITERATION.fullmatch(argument.strip())
    if match is None or not _can_set_weight(context):
        return None
    id_, title = int(match[1]) if match[1] else None, match[2] or match[3]
    available = iterations.list_available(context.ctx.world, context.project)
    chosen = next((each for each in available if id_ == each.id or (title and title == each.title)), None)
    if chosen is None:
        return None
    context.changes["iteration_id"] = chosen.id
    return f"Set the iteration to *iteration:{chosen.id}."


@command("remove_iteration", on=ISSUES)
def remove_iteration(context: CommandContext, _argument: str) -> Outcome:
    """Remove the iteration; a paid feature."""
    previous_id = context.value_of("iteration_id")
    if previous_id is None or not _can_set_weight(context):
        return None
    context.changes["iteration_id"] = None
    return f"Removed *iteration:{previous_id} iteration."


@command("severity", on=ISSUES, lifetime=Lifetime(since="<=16.11"))
def severity(context: CommandContext, argument: str) -> Outcome:
    """Set the severity of an incident."""
    level = _SEVERITIES.get(argument.strip().lower())
    if not argument.strip() or not context.may_update or context.value_of("kind") != "incident":
        return None
    if level is None:
        return "No severity matches the provided parameter"
    context.changes["severity"] = level
    return f"Severity updated to {level.capitalize()}."


# Other issues and projects


@command("duplicate", on=ISSUES, exists=True)
def duplicate(context: CommandContext, argument: str) -> Outcome:
    """Close the issue as a duplicate of another one."""
    if not argument.strip() or not context.may_update:
        return None
    canonical = references.find_issue(context.ctx, context.project, argument)
    # An issue that is hidden from the caller is reported like one that does not exist.
    if canonical is None or canonical.id == context.record.id or not noteables.is_visible(context.ctx, canonical):
        return "Failed to mark this issue as a duplicate because referenced issue was not found."
    context.changes["canonical_issue_id"] = canonical.id
    reference = noteables.format_reference(context.ctx.world, canonical, context.project)
    return f"Marked this issue as a duplicate of {reference}."


@command("move", on=ISSUES, exists=True)
def move(context: CommandContext, argument: str) -> Outcome:
    """Move the issue to another project."""
    if not argument.strip() or not context.administers:
        return None
    target = references.find_project(context.ctx, context.project, argument.strip())
    if target is None or not can_see(context.ctx, target):
        return "Failed to move this issue because target project doesn't exist."
    if target.id == context.project.id or not can(context.ctx, Ability.ADMIN_ISSUE, target):
        return None
    context.changes["target_project"] = target.id
    context.hidden.add("target_project")
    return f"Moved this issue to {argument.strip()}."


@command("clone", on=ISSUES, exists=True, lifetime=Lifetime(since="13.7"))
def clone(context: CommandContext, argument: str) -> Outcome:
    """Clone the issue to a project, by default its own."""
    if not context.administers:
        return None
    *words, option = ["", *argument.split()]
    with_notes = option == "--with_notes"
    paths = [word for word in (*words, "" if with_notes else option) if word]
    if len(paths) > 1:
        return "Failed to clone this issue: wrong parameters."
    target = references.find_project(context.ctx, context.project, paths[0]) if paths else context.project
    if target is None or not can_see(context.ctx, target):
        return "Failed to clone this issue because target project doesn't exist."
    if not can(context.ctx, Ability.ADMIN_ISSUE, target):
        return None
    context.changes["clone"] = {"project_id": target.id, "with_notes": with_notes}
    context.hidden.add("clone")
    return f"Cloned this issue to {project_path(context.ctx.world, target)}."


@command("relate", on=ISSUES, exists=True)
def relate(context: CommandContext, argument: str) -> Outcome:
    """Link the issue to others; the summary does not mention it."""
    targets = references.find_issues(context.ctx, context.project, argument).values()
    ids = tuple(issue.id for issue in targets if noteables.is_visible(context.ctx, issue))
    if ids and context.may_update:
        context.changes["relate"] = ids
        context.hidden.add("relate")
    return None


@command("board_move", on=ISSUES, exists=True)
def board_move(context: CommandContext, argument: str) -> Outcome:
    """Move the issue to another column of the project's only board."""
    column_label_ids = _board_label_ids(context)
    if not argument.strip() or column_label_ids is None or not context.may_update:
        return None
    named_labels = find_labels(context, argument)
    if len(named_labels) > 1:
        return "Failed to move this issue because only a single label can be provided."
    if not named_labels or named_labels[0].id not in column_label_ids:
        return "Failed to move this issue because label was not found."
    target_id, current_ids = named_labels[0].id, label_ids(context)
    # Losing the labels of the other lists is what makes this a move; labels without a list stay.
    removed_ids = [id_ for id_ in current_ids if id_ in column_label_ids and id_ != target_id]
    kept_ids = [id_ for id_ in current_ids if id_ not in removed_ids]
    put_labels(context, "remove_label_ids", kept_ids, removed_ids)
    put_labels(context, "add_label_ids", [*kept_ids, target_id], [target_id])
    return f"Moved issue to ~{target_id} column in the board."


def _board_label_ids(context: CommandContext) -> set[int] | None:
    """Return the label ids of the lists on the project's board; None unless there is exactly one board."""
    project_boards = boards.list_boards(context.ctx.world, context.project)
    if len(project_boards) != 1:
        return None
    return {
        board_list.thing_id
        for board_list in boards.list_columns(context.ctx.world, project_boards[0])
        if board_list.kind == "label"
    }


@command("create_merge_request", on=ISSUES, exists=True)
def create_merge_request(context: CommandContext, argument: str) -> Outcome:
    """Create a branch, with the given or a default name, and a merge request that resolves the issue."""
    if not all(
        can(context.ctx, ability, context.project) for ability in (Ability.CREATE_MERGE_REQUEST_IN, Ability.PUSH_CODE)
    ):
        return None
    branch = argument.strip() or None
    context.changes["create_merge_request"] = {"branch_name": branch, "issue_iid": context.record.iid}
    branch_text = f"branch '{branch}'" if branch else "a branch"
    return f"Created {branch_text} and a merge request to resolve this issue."


# Zoom meetings


@command("zoom", on=ISSUES)
def zoom(context: CommandContext, argument: str) -> Outcome:
    """Add a Zoom meeting."""
    if (
        not argument.strip()
        or _has_meeting(context)
        or not can(context.ctx, _meeting_ability(context), context.project)
    ):
        return None
    link = zoom_meetings.find_link(argument)
    if link is None:
        return "Failed to add a Zoom meeting"
    _set_meeting(context, link)
    return "Zoom meeting added"


@command("remove_zoom", on=ISSUES, exists=True)
def remove_zoom(context: CommandContext, _argument: str) -> Outcome:
    """Remove the Zoom meeting."""
    if not _has_meeting(context) or not can(context.ctx, _meeting_ability(context), context.project):
        return None
    _set_meeting(context, None)
    return "Zoom meeting removed"


def _has_meeting(context: CommandContext) -> bool:
    # An earlier command of the same text takes precedence over the record.
    if "zoom_meeting" in context.changes:
        return context.changes["zoom_meeting"] is not None
    return context.record is not None and zoom_meetings.has_meeting(context.ctx.world, context.record)


def _meeting_ability(context: CommandContext) -> Ability:
    return Ability.CREATE_ISSUE if context.record is None else Ability.UPDATE_ISSUE


def _set_meeting(context: CommandContext, link: str | None) -> None:
    context.changes["zoom_meeting"] = link
    context.hidden.add("zoom_meeting")


# Contacts


@command("add_contacts", on=ISSUES, lifetime=Lifetime(since="14.6"))
def add_contacts(context: CommandContext, argument: str) -> Outcome:
    """Add contacts, who are named by their addresses."""
    source = crm_access.find_source(context.ctx.world, context.project)
    has_contacts = source is not None and context.ctx.world.crm_contacts.ids("group", source.id)
    return _name_contacts(context, "add_contacts", argument, "added") if has_contacts else None


@command("remove_contacts", on=ISSUES, exists=True, lifetime=Lifetime(since="14.6"))
def remove_contacts(context: CommandContext, argument: str) -> Outcome:
    """Remove contacts, who are named by their addresses."""
    has_contacts = issue_contacts.list_of(context.ctx.world, context.record)
    return _name_contacts(context, "remove_contacts", argument, "removed") if has_contacts else None


def _name_contacts(context: CommandContext, name: str, argument: str, participle: str) -> Outcome:
    if not argument.strip() or not crm_access.sets_contacts_of(context.ctx, context.project):
        return None
    context.changes[name] = [*context.changes.get(name, ()), *argument.split()]
    return f"One or more contacts were successfully {participle}."


# Epics; promotion and the status page are paid features that are not implemented


@command("epic", on=ISSUES)
def epic(context: CommandContext, argument: str) -> Outcome:
    """Add the issue to an epic."""
    if not argument.strip() or not _can_use_epics(context):
        return None
    epic = references.find_epic(context.ctx, context.project, argument)
    if epic is None or not noteables.is_visible(context.ctx, epic):
        return "This epic does not exist or you don't have sufficient permission."
    link = epic_issues.find_link(context.ctx.world, context.record) if context.record is not None else None
    if link is not None and link.epic_id == epic.id:
        return f"Issue #{context.record.iid} has already been added to epic &{epic.iid}."
    _set_epic(context, epic.id)
    return "Added an issue to an epic."


@command("remove_epic", on=ISSUES, exists=True)
def remove_epic(context: CommandContext, _argument: str) -> Outcome:
    """Remove the issue from its epic."""
    if not _can_use_epics(context):
        return None
    _set_epic(context, None)
    return "Removed an issue from an epic."


def _set_epic(context: CommandContext, epic_id: int | None) -> None:
    context.changes["epic"] = epic_id
    # The platform shows the whole stored record of an epic, which is no part of its API, and null for a removal.
    if epic_id is None:
        context.hidden.discard("epic")
    else:
        context.hidden.add("epic")


def _can_use_epics(context: CommandContext) -> bool:
    in_group = isinstance(context.ctx.world.namespaces[context.project.namespace_id], Group)
    return in_group and has_feature(context.ctx.world, "premium", context.project) and context.administers


@command(
    "promote",
    "publish",
    on=NO_KIND,
)
def ignore(_context: CommandContext, _argument: str) -> Outcome:
    """Do nothing, because the feature is not available."""
    return None
