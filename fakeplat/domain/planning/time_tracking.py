"""Estimated and spent time of issues and merge requests. Source: docs/platform/issues.md ('Time tracking').

A day of work has 8 hours, a week 5 days, a month 4 weeks.
"""

import re
from typing import Any, Final, TypeVar

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import WriteContext

_HOUR: Final = 3_600
_NAMES: Final = {
    576_000: "mo mos month months",
    144_000: "w wk wks week weeks",
    28_800: "d dy dys day days",
    _HOUR: "h hr hrs hour hours",
    60: "m min mins minute minutes",
    1: "s sec secs second seconds",
}
UNITS: Final = {name: size for size, names in _NAMES.items() for name in names.split()}
_PART: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]*)", re.ASCII)
_BETWEEN: Final = re.compile(r"(?:\s|,|\band\b)*")
_MOST: Final = 2**31 - 1
Tracked = TypeVar("Tracked", bound=Issue | MergeRequest)


def parse_seconds(text: str) -> int | None:
    """A span of work (``1mo 2w 3d 4h 5m``, ``1.5h``, ``-30m``; a bare number is hours) in seconds; None for no span."""
    written = text.strip().lower()
    sign, written = (-1, written[1:]) if written.startswith("-") else (1, written)
    parts = list(_PART.finditer(written))
    if not parts or not _BETWEEN.fullmatch(_PART.sub("", written)):
        return None
    sizes = [UNITS.get(part[2]) if part[2] else _HOUR for part in parts]
    total = 0.0
    for part, size in zip(parts, sizes, strict=True):
        if size is None:
            return None
        total += float(part[1]) * size
    return sign * round(total) if total <= _MOST else None


def update_estimate(ctx: WriteContext, record: Tracked, text: str) -> Tracked:
    """Say how long a thing should take."""
    wanted = parse_seconds(text)
    if wanted is None:
        raise InvalidRecord({"time_estimate": ["has an invalid format"]}, reason=f"{text!r} is no span of time")
    return set_estimate(ctx, record, wanted)


def set_estimate(ctx: WriteContext, record: Tracked, wanted: int) -> Tracked:
    """Set the estimate, in seconds; 0 is none."""
    changed = _put(ctx, record, time_estimate=wanted)
    if changed is not record:
        ctx.emit(f"{noteables.noteable_of(record).kind}_estimated", changed)
    return changed


def spend_time(ctx: WriteContext, record: Tracked, text: str) -> Tracked:
    """Say how much more time a thing took; a negative span is taken back, at most what was spent."""
    spent = parse_seconds(text)
    if not spent:
        raise InvalidRecord({"timelogs.time_spent": ["can't be blank"]}, reason=f"{text!r} is no span of time")
    return add_spent(ctx, record, spent)


def add_spent(ctx: WriteContext, record: Tracked, spent: int, spent_at: str | None = None) -> Tracked:
    """Add seconds to what a thing took; ``spent_at`` is the day on which they were spent, where that is said."""
    total = record.total_time_spent + spent
    if total < 0:
        raise InvalidRecord({"base": ["Time to subtract exceeds the total time spent"]})
    changed = _put(ctx, record, total_time_spent=min(total, _MOST))
    day = f" at {spent_at}" if spent_at else ""
    verb = "added" if spent > 0 else "subtracted"
    _note(ctx, changed, f"{verb} {issues.format_duration(abs(spent))} of time spent{day}")
    ctx.emit(f"{noteables.noteable_of(record).kind}_time_spent", (changed, spent))
    return changed


def reset_spent(ctx: WriteContext, record: Tracked) -> Tracked:
    """Reset the spent time to 0. Like on the platform, this leaves a note and moves `updated_at` even at 0."""
    changed: Tracked = noteables.touch_updated_at(ctx, _put(ctx, record, total_time_spent=0))
    _note(ctx, changed, "removed time spent")
    ctx.emit(f"{noteables.noteable_of(record).kind}_time_spent", (changed, -record.total_time_spent))
    return changed


def _note(ctx: WriteContext, record: Issue | MergeRequest, body: str) -> None:
    system_notes.write(ctx, noteables.subject_of(record), ctx.signed_in_user, body)


def _put(ctx: WriteContext, record: Tracked, **fields: Any) -> Tracked:
    put: Any = issues.change_fields if isinstance(record, Issue) else merge_requests.change_fields
    changed: Tracked = put(ctx, record, fields)
    return changed
