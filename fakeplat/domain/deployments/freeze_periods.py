"""Freeze periods of projects. Source: docs/platform/freeze-periods.md."""

from collections.abc import Sequence
from typing import Required, TypedDict, TypeVar, Unpack

from fakeplat.core.cron import Cron, is_valid_cron
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.time_zones import find_time_zone
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.deployments import FreezePeriod
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CRON_TEXT
from fakeplat.policy.context import WriteContext


def list_freeze_periods(world: World, project: Project) -> Sequence[FreezePeriod]:
    """Return the freeze periods of a project, the oldest first."""
    return sorted(world.freeze_periods.where("project", project.id), key=lambda period: period.created_at)


def get_freeze_period(world: World, project: Project, id_: int) -> FreezePeriod:
    """Return the freeze period of a project with an id, or refuse with 404."""
    period = world.freeze_periods.get(id_)
    if period is None or period.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{project_path(world, project)} has no freeze period {id_}")
    return period


class NewFreezePeriod(TypedDict, total=False):
    """The fields of a new freeze period."""

    freeze_start: Required[str]
    freeze_end: Required[str]
    cron_timezone: str
    created_at: str
    updated_at: str


class FreezePeriodChanges(TypedDict, total=False):
    """Changes of a freeze period."""

    freeze_start: str
    freeze_end: str
    cron_timezone: str


F = TypeVar("F", NewFreezePeriod, FreezePeriodChanges)


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewFreezePeriod]) -> FreezePeriod:
    """Create a freeze period."""
    table, now = ctx.world.freeze_periods, ctx.now_iso
    values: NewFreezePeriod = {"created_at": now, "updated_at": now, **_strip(fields)}
    period = FreezePeriod(id=table.next_id(), project_id=project.id, **values)
    _validate(ctx, period)
    return table.add(period)


def update(ctx: WriteContext, period: FreezePeriod, **changes: Unpack[FreezePeriodChanges]) -> FreezePeriod:
    """Change fields of a freeze period."""
    changed = ctx.world.freeze_periods.change(period, **_strip(changes))
    _validate(ctx, changed)
    return changed if changed is period else ctx.world.freeze_periods.change(changed, updated_at=ctx.now_iso)


def is_frozen(world: World, project: Project, now: int) -> bool:
    """Return whether a time (ms) is in one of a project's freeze periods."""
    return any(contains(period, now) for period in world.freeze_periods.where("project", project.id))


def contains(period: FreezePeriod, now: int) -> bool:
    """Return whether the last occurrence before a time is a start, and the next one after it an end."""
    start, end = (Cron.parse(text, period.cron_timezone) for text in (period.freeze_start, period.freeze_end))
    has_started = end.previous_before(now) < start.previous_before(now)
    return has_started and end.next_after(now) < start.next_after(now)


def get_start(period: FreezePeriod, now: int) -> int:
    """Return when the period that contains a time (ms) started, or else when the next one starts."""
    start = Cron.parse(period.freeze_start, period.cron_timezone)
    return start.previous_before(now) if contains(period, now) else start.next_after(now)


def get_end(period: FreezePeriod, now: int) -> int:
    """Return the next end after a time (ms)."""
    return Cron.parse(period.freeze_end, period.cron_timezone).next_after(now)


def _strip(fields: F) -> F:
    stripped = fields.copy()
    if stripped.get("freeze_start"):
        stripped["freeze_start"] = stripped["freeze_start"].strip()
    if stripped.get("freeze_end"):
        stripped["freeze_end"] = stripped["freeze_end"].strip()
    return stripped


def _validate(ctx: WriteContext, period: FreezePeriod) -> None:
    errors, invalid_syntax = ValidationErrors(), ctx.profile.choose(CRON_TEXT)
    for name in ("freeze_start", "freeze_end"):
        cron = getattr(period, name) or ""
        errors.when(not is_valid_cron(cron), name, invalid_syntax)
        errors.when(not cron, name, BLANK)
    errors.when(find_time_zone(period.cron_timezone or "") is None, "cron_timezone", invalid_syntax)
    errors.when(not period.cron_timezone, "cron_timezone", BLANK)
    errors.refuse()
