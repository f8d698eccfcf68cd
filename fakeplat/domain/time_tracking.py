"""Estimated and spent time of issues and merge requests. Source: docs/platform/issues.md ('Time tracking').

A day of work has 8 hours, a week 5 days, a month 4 weeks.
"""

import re
from typing import Any, Final, TypeVar

from fakeplat.core.operations.errors import BadRequest, InvalidRecord
from fakeplat.domain.issuables import timelogs
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.purging import purge
from fakeplat.model.issues import Issue, Timelog
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.behaviours import ESTIMATES_ARE_NOT_NEGATIVE
from fakeplat.policy.context import WriteContext

_HOUR: Final = 3_600
_UNIT_NAMES: Final = {
    576_000: "mo mos month months",
    144_000: "w wk wks week weeks",
    28_800: "d dy dys day days",
    _HOUR: "h hr hrs hour hours",
    60: "m min mins minute minutes",
    1: "s sec secs second seconds",
}
UNITS: Final = {name: size for size, names in _UNIT_NAMES.items() for name in names.split()}
# Accepts "3h", "1.5 hours" and a bare "2".
_PART: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]*)", re.ASCII)
_SEPARATORS: Final = re.compile(r"(?:\s|,|\band\b)*")
# The largest 32-bit integer, the type of the platform's columns.
_MAX_SECONDS: Final = 2**31 - 1
MISFORMATTED: Final = "Time spent must be formatted correctly. For example: 1h 30m."
# The platform prints the hash that contains the reason.
_BAD_ESTIMATE: Final = (
    '400 Bad request - {:reason=>"Time estimate must have a valid format and be greater than or equal to zero."}'
)
_MAX_SUMMARY: Final = 255
_MIDNIGHT: Final = "T00:00:00.000Z"
Tracked = TypeVar("Tracked", bound=Issue | MergeRequest)


def parse_seconds(text: str) -> int | None:
    """Return a duration (``1mo 2w 3d 4h 5m``, ``1.5h``, ``-30m``; a bare number is hours) in seconds, or None."""
    normalized = text.strip().lower()
    # One minus sign applies to all parts: "-1h 30m" are 90 minutes less.
    sign, normalized = (-1, normalized[1:]) if normalized.startswith("-") else (1, normalized)
    parts = list(_PART.finditer(normalized))
    # The text without its parts may only contain separators.
    if not parts or not _SEPARATORS.fullmatch(_PART.sub("", normalized)):
        return None
    sizes = [UNITS.get(part[2]) if part[2] else _HOUR for part in parts]
    total = 0.0
    for part, size in zip(parts, sizes, strict=True):
        if size is None:
            return None
        total += float(part[1]) * size
    return sign * round(total) if total <= _MAX_SECONDS else None


def update_estimate(ctx: WriteContext, record: Tracked, text: str) -> Tracked:
    """Set the time estimate from a duration text."""
    seconds = parse_seconds(text)
    if ctx.profile.has(ESTIMATES_ARE_NOT_NEGATIVE) and (seconds is None or seconds < 0):
        raise BadRequest(_BAD_ESTIMATE, reason=f"{text!r} is not a valid duration, or negative")
    if seconds is None:
        raise InvalidRecord({"time_estimate": ["has an invalid format"]}, reason=f"{text!r} is not a valid duration")
    return set_estimate(ctx, record, seconds)


def set_estimate(ctx: WriteContext, record: Tracked, seconds: int) -> Tracked:
    """Set the time estimate in seconds; 0 removes it."""
    return _change_fields(ctx, record, time_estimate=seconds)


def spend_time(ctx: WriteContext, record: Tracked, text: str) -> Tracked:
    """Add spent time from a duration text; a negative duration subtracts, at most what was spent."""
    spent = parse_seconds(text)
    if not spent:
        raise InvalidRecord({"timelogs.time_spent": ["can't be blank"]}, reason=f"{text!r} is not a valid duration")
    return add_spent(ctx, record, spent)


def add_spent(ctx: WriteContext, record: Tracked, spent: int, spent_at: str | None = None) -> Tracked:
    """Add seconds of spent time; ``spent_at`` is the date on which they were spent, if given."""
    total = record.total_time_spent + spent
    if total < 0:
        raise InvalidRecord({"base": ["Time to subtract exceeds the total time spent"]})
    changed = _change_fields(ctx, record, total_time_spent=min(total, _MAX_SECONDS))
    timelogs.insert_log(
        ctx, changed, ctx.signed_in_user, spent, spent_at=f"{spent_at}{_MIDNIGHT}" if spent_at else None
    )
    _write_added_note(ctx, changed, spent, spent_at)
    return changed


def _write_added_note(ctx: WriteContext, record: Issue | MergeRequest, spent: int, spent_on: str | None) -> None:
    day = f" at {spent_on}" if spent_on else ""
    verb = "added" if spent > 0 else "subtracted"
    _write_note(ctx, record, f"{verb} {issues.format_duration(ctx.world, abs(spent))} of time spent{day}")


def reset_spent(ctx: WriteContext, record: Tracked) -> Tracked:
    """Reset the spent time to 0. As on the platform, this writes a note and moves `updated_at` even at 0."""
    timelogs.insert_log(ctx, record, ctx.signed_in_user, -record.total_time_spent)
    changed = noteables.touch_updated_at(ctx, _change_fields(ctx, record, total_time_spent=0))
    _write_note(ctx, changed, "removed time spent")
    return changed


# Time logs


def create_log(ctx: WriteContext, record: Issue | MergeRequest, spent: int, spent_at: str, summary: str) -> Timelog:
    """Log spent time in the caller's name, as a form does it."""
    if spent_at > ctx.now_iso:
        raise BadRequest("Spent at can't be a future date and time.")
    if spent == 0:
        raise BadRequest("Time spent can't be zero.")
    if len(summary) > _MAX_SUMMARY:
        raise InvalidRecord({"summary": [f"is too long (maximum is {_MAX_SUMMARY} characters)"]})
    changed = _change_fields(ctx, record, total_time_spent=record.total_time_spent + spent)
    log = timelogs.insert_log(ctx, changed, ctx.signed_in_user, spent, spent_at=spent_at, summary=summary)
    _write_added_note(ctx, changed, spent, _earlier_day(ctx, log))
    return log


def delete_log(ctx: WriteContext, log: Timelog, record: Issue | MergeRequest) -> None:
    """Delete a time log, whose time does not count any more."""
    purge(ctx, log)
    changed = _change_fields(ctx, record, total_time_spent=record.total_time_spent - log.time_spent)
    day = _earlier_day(ctx, log)
    amount = issues.format_duration(ctx.world, log.time_spent) or "0h"
    _write_note(ctx, changed, f"deleted {amount} of spent time{f' from {day}' if day else ''}")


def _earlier_day(ctx: WriteContext, log: Timelog) -> str | None:
    """Return the day of a time log, unless it is today."""
    day = (log.spent_at or ctx.now_iso)[: len(ctx.today)]
    return None if day == ctx.today else day


def _write_note(ctx: WriteContext, record: Issue | MergeRequest, body: str) -> None:
    system_notes.write(ctx, noteables.subject_of(record), ctx.signed_in_user, body)


def _change_fields(ctx: WriteContext, record: Tracked, **fields: Any) -> Tracked:
    update_fields: Any = issues.update_fields if isinstance(record, Issue) else merge_requests.update_fields
    changed: Tracked = update_fields(ctx, record, **fields)
    return changed
