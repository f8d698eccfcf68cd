"""Quick actions that plan issues: labels, milestone, dates, estimates and time.

Source: more on notes and issues; texts as the platform says them.
"""

import re
from datetime import date
from typing import Final

from fakeplat.domain import issues, labels, milestones, noteables, spoken_dates, time_tracking
from fakeplat.domain.noteables import ISSUE
from fakeplat.domain.quick_actions import On, Outcome, command
from fakeplat.model.labels import Label
from fakeplat.policy.features import has

ISSUES: Final = (ISSUE.kind,)
_LABEL: Final = re.compile(r'~?"([^"\n]+)"|~?([^\s~"]+)')
_MILESTONE: Final = re.compile(r'%?"([^"\n]+)"|%?(\S.*)')


# labels and milestone


@command("label", "labels", on=ISSUES)
def label(on: On, argument: str) -> Outcome:
    """Add labels."""
    found = _labels(on, argument)
    if not found or not on.administers:
        return None
    _put_labels(on, "add_label_ids", (*_label_ids(on), *(one.id for one in found)), found)
    return f"Added {_labelled(found)}."


@command("unlabel", "remove_label", "remove_labels", on=ISSUES)
def unlabel(on: On, argument: str) -> Outcome:
    """Take labels away; all if none is named."""
    before, named = _label_ids(on), _labels(on, argument)
    gone = [on.cx.world.labels[id_] for id_ in before if not argument or id_ in {one.id for one in named}]
    if not gone or not on.administers:
        return None
    _put_labels(on, "remove_label_ids", tuple(id_ for id_ in before if id_ not in {one.id for one in gone}), gone)
    return f"Removed {_labelled(gone)}." if argument else "Removed all labels."


@command("relabel", on=ISSUES)
def relabel(on: On, argument: str) -> Outcome:
    """Put labels in the place of all others."""
    found = _labels(on, argument)
    if not found or not on.administers:
        return None
    on.changes["label_ids"] = tuple(dict.fromkeys(one.id for one in found))
    on.untold.discard("label_ids")
    return f"Replaced all labels with {_labelled(found)}."


def _label_ids(on: On) -> tuple[int, ...]:
    ids: tuple[int, ...] = on.now("label_ids", ())
    return ids


def _put_labels(on: On, name: str, ids: tuple[int, ...], named: list[Label]) -> None:
    on.changes["label_ids"] = tuple(dict.fromkeys(ids))
    on.untold.add("label_ids")
    on.named[name] = [*on.named.get(name, ()), *(one.id for one in named)]


def _labels(on: On, argument: str) -> list[Label]:
    titles = [quoted or plain for quoted, plain in _LABEL.findall(argument)]
    found = (labels.by_title(on.cx.world, on.project, one) for one in dict.fromkeys(titles))
    return [one for one in found if one is not None]


def _labelled(found: list[Label]) -> str:
    return f"{' '.join(f'~{one.id}' for one in found)} {'label' if len(found) == 1 else 'labels'}"


@command("milestone", on=ISSUES)
def milestone(on: On, argument: str) -> Outcome:
    """Set the milestone."""
    match = _MILESTONE.fullmatch(argument)
    wanted = (match[1] or match[2]) if match else ""
    usable = milestones.usable(on.cx.world, on.project)
    found = next((one for one in usable if one.title == wanted and one.state == "active"), None)
    if found is None or not on.administers:
        return None
    on.changes["milestone_id"] = found.id
    return f'Set the milestone to %"{found.title}".'


@command("remove_milestone", on=ISSUES)
def remove_milestone(on: On, argument: str) -> Outcome:
    """Take the milestone away."""
    del argument
    before = on.now("milestone_id")
    if before is None or not on.administers:
        return None
    on.changes["milestone_id"] = None
    return f'Removed %"{on.cx.world.milestones[before].title}" milestone.'


@command("copy_metadata", on=ISSUES)
def copy_metadata(on: On, argument: str) -> Outcome:
    """Take labels and milestone over from another issue of the project."""
    other = on.issue(argument)
    if other is None or other.project_id != on.project.id or not on.administers:
        return None
    on.changes["label_ids"] = tuple(dict.fromkeys((*_label_ids(on), *other.label_ids)))
    if other.milestone_id is not None:
        on.changes["milestone_id"] = other.milestone_id
    return f"Copied labels and milestone from {noteables.reference(on.cx.world, other, on.project)}."


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
    return _cleared(on, "due_date", None, "Removed the due date.")


@command("estimate", on=ISSUES)
def estimate(on: On, argument: str) -> Outcome:
    """Say how long it should take."""
    span = time_tracking.seconds(argument)
    if not span or span < 0 or not on.administers:
        return None
    on.changes["time_estimate"] = span
    return f"Set time estimate to {issues.duration(span)}."


@command("remove_estimate", on=ISSUES)
def remove_estimate(on: On, argument: str) -> Outcome:
    """Take the estimate away."""
    del argument
    return _cleared(on, "time_estimate", 0, "Removed time estimate.")


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
    return _cleared(on, "weight", None, "Cleared weight.") if _weighs(on) else None


def _weighs(on: On) -> bool:
    return on.administers and has(on.cx.world, "premium", on.project)


def _cleared(on: On, field: str, empty: object, said: str) -> Outcome:
    if on.now(field, empty) == empty or not on.administers:
        return None
    on.changes[field] = empty
    return said


@command("spend", on=ISSUES)
def spend(on: On, argument: str) -> Outcome:
    """Say how much more time it took, on a date perhaps; a negative span is taken back."""
    first, _, last = argument.rpartition(" ")
    day = spoken_dates.iso(last)
    span = time_tracking.seconds(first if day else argument)
    total = on.now("total_time_spent", 0) + (span or 0)
    if not span or total < 0 or (day or "") > on.cx.today or not on.administers:
        return None
    on.changes["spend_time"] = {"duration": span, "user_id": on.cx.someone.id, "spent_at": day or on.cx.today}
    return f"{'Added' if span > 0 else 'Subtracted'} {issues.duration(abs(span))} spent time."


@command("remove_time_spent", on=ISSUES, exists=True)
def remove_time_spent(on: On, argument: str) -> Outcome:
    """Forget what it took."""
    del argument
    if not on.record.total_time_spent or not on.administers:
        return None
    on.changes["spend_time"] = {"duration": "reset", "user_id": on.cx.someone.id}
    return "Removed spent time."
