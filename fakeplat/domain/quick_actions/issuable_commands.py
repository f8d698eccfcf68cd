"""Quick actions for planning issues and merge requests: labels, milestone, estimates and time.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from typing import Any, Final

from fakeplat.domain import time_tracking
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.quick_actions import natural_dates
from fakeplat.domain.quick_actions.quick_actions import (
    ISSUABLE_AND_EPIC_KINDS,
    ISSUABLE_KINDS,
    CommandContext,
    Outcome,
    command,
)
from fakeplat.model.planning import Label

# Accepts ~bug, bug, ~"help wanted" and "help wanted".
_LABEL: Final = re.compile(r'~?"([^"\n]+)"|~?([^\s~"]+)')
# Accepts %1.0, 1.0 and %"Sprint 1"; without quotes the title extends to the end of the line.
_MILESTONE: Final = re.compile(r'%?"([^"\n]+)"|%?(\S.*)')


# Labels and milestone


@command("label", "labels", on=ISSUABLE_AND_EPIC_KINDS)
def label(context: CommandContext, argument: str) -> Outcome:
    """Add labels."""
    added = find_labels(context, argument)
    if not added or not context.administers:
        return None
    _add_labels(context, [added_label.id for added_label in added])
    return f"Added {_list_labels(added)}."


@command("unlabel", "remove_label", "remove_labels", on=ISSUABLE_AND_EPIC_KINDS)
def unlabel(context: CommandContext, argument: str) -> Outcome:
    """Remove labels; all of them without an argument."""
    current_ids = label_ids(context)
    named_ids = {label.id for label in find_labels(context, argument)}
    # Without an argument all labels are removed; one that names no label of the record removes nothing.
    removed = [context.ctx.world.labels[id_] for id_ in current_ids if not argument or id_ in named_ids]
    if not removed or not context.administers:
        return None
    if not argument:
        _replace_labels(context, ())
        return "Removed all labels."
    put_labels(
        context,
        "remove_label_ids",
        [id_ for id_ in current_ids if id_ not in named_ids],
        [label.id for label in removed],
    )
    return f"Removed {_list_labels(removed)}."


@command("relabel", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def relabel(context: CommandContext, argument: str) -> Outcome:
    """Replace all labels by others, if there are any."""
    new_labels = find_labels(context, argument)
    if not new_labels or not label_ids(context) or not context.administers:
        return None
    _replace_labels(context, tuple(label.id for label in new_labels))
    return f"Replaced all labels with {_list_labels(new_labels)}."


def label_ids(context: CommandContext) -> tuple[int, ...]:
    """Return the label ids after the commands so far."""
    ids: tuple[int, ...] = context.value_of("label_ids", ())
    return ids


def _replace_labels(context: CommandContext, ids: tuple[int, ...]) -> None:
    context.changes["label_ids"] = ids
    # A complete replacement is shown as label_ids, which an earlier command may have hidden.
    context.hidden.discard("label_ids")


def _add_labels(context: CommandContext, ids: list[int]) -> None:
    put_labels(context, "add_label_ids", [*label_ids(context), *ids], ids)


def put_labels(context: CommandContext, name: str, ids: list[int], named: list[int]) -> None:
    """Set the labels (ids); responses report them under ``name`` as the ids in ``named``."""
    # Responses report added and removed labels, not the resulting list, unless a command replaced all labels.
    if "label_ids" not in context.changes:
        context.hidden.add("label_ids")
    context.changes["label_ids"] = tuple(dict.fromkeys(ids))
    context.reported[name] = list(dict.fromkeys([*context.reported.get(name, ()), *named]))


def find_labels(context: CommandContext, argument: str) -> list[Label]:
    """Return the labels named in an argument, sorted by title."""
    titles = [quoted or plain for quoted, plain in _LABEL.findall(argument)]
    candidates = (labels.find_by_title(context.ctx.world, context.container, title) for title in dict.fromkeys(titles))
    return sorted(
        (label for label in candidates if label is not None), key=lambda label: (label.title.lower(), label.id)
    )


def _list_labels(mentioned: list[Label]) -> str:
    return f"{' '.join(map(_label_reference, mentioned))} {'label' if len(mentioned) == 1 else 'labels'}"


def _label_reference(label: Label) -> str:
    """Return a reference to a label: ``~"bug"``, or its id if the title contains quotes."""
    return f"~{label.id}" if '"' in label.title else f'~"{label.title}"'


@command("milestone", on=ISSUABLE_KINDS)
def milestone(context: CommandContext, argument: str) -> Outcome:
    """Set the milestone."""
    match = _MILESTONE.fullmatch(argument)
    title = (match[1] or match[2]) if match else ""
    usable = milestones.list_available(context.ctx.world, context.project)
    chosen = next((candidate for candidate in usable if candidate.title == title and candidate.state == "active"), None)
    if chosen is None or not context.administers:
        return None
    context.changes["milestone_id"] = chosen.id
    return f'Set the milestone to %"{chosen.title}".'


@command("remove_milestone", on=ISSUABLE_KINDS)
def remove_milestone(context: CommandContext, _argument: str) -> Outcome:
    """Remove the milestone."""
    previous_id = context.value_of("milestone_id")
    if previous_id is None or not context.administers:
        return None
    context.changes["milestone_id"] = None
    return f'Removed %"{context.ctx.world.milestones[previous_id].title}" milestone.'


@command("copy_metadata", on=ISSUABLE_KINDS)
def copy_metadata(context: CommandContext, argument: str) -> Outcome:
    """Copy labels and milestone from another issue or merge request of the project."""
    source = _find_visible(context, argument)
    if source is None or source.project_id != context.project.id or not context.administers:
        return None
    _add_labels(context, list(source.label_ids))
    if source.milestone_id is not None:
        context.changes["milestone_id"] = source.milestone_id
    return f"Copied labels and milestone from {noteables.format_reference(context.ctx.world, source, context.project)}."


def _find_visible(context: CommandContext, reference: str) -> Any | None:
    """Return the issue or merge request of a reference, if the caller may see it."""
    record: Any = references.find_issue(context.ctx, context.project, reference) or references.find_merge_request(
        context.ctx, context.project, reference
    )
    return record if record is not None and noteables.is_visible(context.ctx, record) else None


# Time


@command("estimate", on=ISSUABLE_KINDS)
def estimate(context: CommandContext, argument: str) -> Outcome:
    """Set the time estimate."""
    seconds = time_tracking.parse_seconds(argument)
    if not seconds or seconds < 0 or not context.administers:
        return None
    context.changes["time_estimate"] = seconds
    return f"Set time estimate to {issues.format_duration(context.ctx.world, seconds)}."


@command("remove_estimate", on=ISSUABLE_KINDS, exists=True)
def remove_estimate(context: CommandContext, _argument: str) -> Outcome:
    """Remove the time estimate, whether there is one or not."""
    if not context.administers:
        return None
    context.changes["time_estimate"] = 0
    return "Removed time estimate."


def clear_field(context: CommandContext, field: str, empty: object, summary: str) -> Outcome:
    """Clear a field that is set, if the caller administers the record."""
    if context.value_of(field, empty) == empty or not context.administers:
        return None
    context.changes[field] = empty
    return summary


@command("spend", on=ISSUABLE_KINDS)
def spend(context: CommandContext, argument: str) -> Outcome:
    """Add spent time, optionally with a date; a negative duration subtracts."""
    # The date, if there is one, is the last word; the rest is the duration.
    first, _, last = argument.rpartition(" ")
    day = natural_dates.to_iso_text(last)
    seconds = time_tracking.parse_seconds(first if day else argument)
    total = context.value_of("total_time_spent", 0) + (seconds or 0)
    # Time cannot be spent in the future; ISO dates compare as text.
    if not seconds or total < 0 or (day or "") > context.ctx.today or not context.administers:
        return None
    context.changes["spend_time"] = {
        "duration": seconds,
        "user_id": context.ctx.signed_in_user.id,
        "spent_at": day or context.ctx.today,
    }
    amount = issues.format_duration(context.ctx.world, abs(seconds))
    return f"{'Added' if seconds > 0 else 'Subtracted'} {amount} spent time."


@command("remove_time_spent", on=ISSUABLE_KINDS, exists=True)
def remove_time_spent(context: CommandContext, _argument: str) -> Outcome:
    """Reset the spent time, whether there is any or not."""
    if not context.administers:
        return None
    context.changes["spend_time"] = {"duration": "reset", "user_id": context.ctx.signed_in_user.id}
    return "Removed spent time."
