"""Quick actions that plan issues and merge requests: labels, milestone, estimates and time.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from typing import Any, Final

from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.planning import labels, milestones, time_tracking
from fakeplat.domain.quick_actions import natural_dates as spoken_dates
from fakeplat.domain.quick_actions.quick_actions import NOTED, CommandContext, Outcome, command
from fakeplat.model.labels import Label

_LABEL: Final = re.compile(r'~?"([^"\n]+)"|~?([^\s~"]+)')
_MILESTONE: Final = re.compile(r'%?"([^"\n]+)"|%?(\S.*)')


# labels and milestone


@command("label", "labels", on=NOTED)
def label(on: CommandContext, argument: str) -> Outcome:
    """Add labels."""
    found = find_labels(on, argument)
    if not found or not on.administers:
        return None
    _add_labels(on, [one.id for one in found])
    return f"Added {_labelled(found)}."


@command("unlabel", "remove_label", "remove_labels", on=NOTED)
def unlabel(on: CommandContext, argument: str) -> Outcome:
    """Take labels away; all if none is named."""
    before = label_ids(on)
    named = {one.id for one in find_labels(on, argument)}
    gone = [on.ctx.world.labels[id_] for id_ in before if not argument or id_ in named]
    if not gone or not on.administers:
        return None
    if not argument:
        _replace_labels(on, ())
        return "Removed all labels."
    put_labels(on, "remove_label_ids", [id_ for id_ in before if id_ not in named], [one.id for one in gone])
    return f"Removed {_labelled(gone)}."


@command("relabel", on=NOTED, exists=True)
def relabel(on: CommandContext, argument: str) -> Outcome:
    """Put labels in the place of all others, where there are any."""
    found = find_labels(on, argument)
    if not found or not label_ids(on) or not on.administers:
        return None
    _replace_labels(on, tuple(one.id for one in found))
    return f"Replaced all labels with {_labelled(found)}."


def label_ids(on: CommandContext) -> tuple[int, ...]:
    """Return the labels (ids) that it will have after the commands so far."""
    ids: tuple[int, ...] = on.now("label_ids", ())
    return ids


def _replace_labels(on: CommandContext, ids: tuple[int, ...]) -> None:
    on.changes["label_ids"] = ids
    on.untold.discard("label_ids")


def _add_labels(on: CommandContext, ids: list[int]) -> None:
    put_labels(on, "add_label_ids", [*label_ids(on), *ids], ids)


def put_labels(on: CommandContext, name: str, ids: list[int], named: list[int]) -> None:
    """Set the labels (ids); answers show them under ``name`` as those that were ``named``."""
    if "label_ids" not in on.changes:
        on.untold.add("label_ids")
    on.changes["label_ids"] = tuple(dict.fromkeys(ids))
    on.named[name] = list(dict.fromkeys([*on.named.get(name, ()), *named]))


def find_labels(on: CommandContext, argument: str) -> list[Label]:
    """Return the labels that an argument names, sorted by title."""
    titles = [quoted or plain for quoted, plain in _LABEL.findall(argument)]
    found = (labels.find_by_title(on.ctx.world, on.project, one) for one in dict.fromkeys(titles))
    return sorted((one for one in found if one is not None), key=lambda label: (label.title.lower(), label.id))


def _labelled(found: list[Label]) -> str:
    return f"{' '.join(map(_reference, found))} {'label' if len(found) == 1 else 'labels'}"


def _reference(one: Label) -> str:
    """``~"bug"``; a title with quotes in it cannot be written so."""
    return f"~{one.id}" if '"' in one.title else f'~"{one.title}"'


@command("milestone", on=NOTED)
def milestone(on: CommandContext, argument: str) -> Outcome:
    """Set the milestone."""
    match = _MILESTONE.fullmatch(argument)
    wanted = (match[1] or match[2]) if match else ""
    usable = milestones.list_available(on.ctx.world, on.project)
    found = next((one for one in usable if one.title == wanted and one.state == "active"), None)
    if found is None or not on.administers:
        return None
    on.changes["milestone_id"] = found.id
    return f'Set the milestone to %"{found.title}".'


@command("remove_milestone", on=NOTED)
def remove_milestone(on: CommandContext, argument: str) -> Outcome:
    """Take the milestone away."""
    del argument
    before = on.now("milestone_id")
    if before is None or not on.administers:
        return None
    on.changes["milestone_id"] = None
    return f'Removed %"{on.ctx.world.milestones[before].title}" milestone.'


@command("copy_metadata", on=NOTED)
def copy_metadata(on: CommandContext, argument: str) -> Outcome:
    """Take labels and milestone over from another issue or merge request of the project."""
    other = _named(on, argument)
    if other is None or other.project_id != on.project.id or not on.administers:
        return None
    _add_labels(on, list(other.label_ids))
    if other.milestone_id is not None:
        on.changes["milestone_id"] = other.milestone_id
    return f"Copied labels and milestone from {noteables.format_reference(on.ctx.world, other, on.project)}."


def _named(on: CommandContext, written: str) -> Any:
    """The issue or merge request that a reference names, if the caller sees it."""
    found: Any = references.find_issue(on.ctx, on.project, written) or references.find_merge_request(
        on.ctx, on.project, written
    )
    return found if found is not None and noteables.is_visible(on.ctx, found) else None


# time


@command("estimate", on=NOTED)
def estimate(on: CommandContext, argument: str) -> Outcome:
    """Say how long it should take."""
    span = time_tracking.parse_seconds(argument)
    if not span or span < 0 or not on.administers:
        return None
    on.changes["time_estimate"] = span
    return f"Set time estimate to {issues.format_duration(span)}."


@command("remove_estimate", on=NOTED, exists=True)
def remove_estimate(on: CommandContext, argument: str) -> Outcome:
    """Take the estimate away, if there is one or not."""
    del argument
    if not on.administers:
        return None
    on.changes["time_estimate"] = 0
    return "Removed time estimate."


def clear_field(on: CommandContext, field: str, empty: object, said: str) -> Outcome:
    """Take a plan away where there is one; for who administers such things."""
    if on.now(field, empty) == empty or not on.administers:
        return None
    on.changes[field] = empty
    return said


@command("spend", on=NOTED)
def spend(on: CommandContext, argument: str) -> Outcome:
    """Say how much more time it took, on a date perhaps; a negative span is taken back."""
    first, _, last = argument.rpartition(" ")
    day = spoken_dates.to_iso_text(last)
    span = time_tracking.parse_seconds(first if day else argument)
    total = on.now("total_time_spent", 0) + (span or 0)
    if not span or total < 0 or (day or "") > on.ctx.today or not on.administers:
        return None
    on.changes["spend_time"] = {"duration": span, "user_id": on.ctx.signed_in_user.id, "spent_at": day or on.ctx.today}
    return f"{'Added' if span > 0 else 'Subtracted'} {issues.format_duration(abs(span))} spent time."


@command("remove_time_spent", on=NOTED, exists=True)
def remove_time_spent(on: CommandContext, argument: str) -> Outcome:
    """Forget what it took, if anything or not."""
    del argument
    if not on.administers:
        return None
    on.changes["spend_time"] = {"duration": "reset", "user_id": on.ctx.signed_in_user.id}
    return "Removed spent time."
