"""Counts of fetches of a project's repository, per day. Only fetches over HTTP are counted."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.timestamps import add_days, to_iso_date
from fakeplat.model.projects import Project, ProjectFetches
from fakeplat.policy.context import ReadContext, WriteContext

_DAYS_SHOWN: Final = 30


def count_fetch(ctx: WriteContext, project: Project) -> None:
    """Count a fetch of today."""
    table, date = ctx.world.project_fetches, to_iso_date(ctx.now())
    counted = table.find("day", (project.id, date))
    if counted is None:
        table.add(ProjectFetches(table.next_id(), project.id, date, 1))
    else:
        table.change(counted, count=counted.count + 1)


def list_recent(ctx: ReadContext, project: Project) -> Sequence[ProjectFetches]:
    """Return the counts of the last 30 days, the newest first, without days that had no fetch."""
    first = add_days(ctx.today, 1 - _DAYS_SHOWN)
    counts = [counted for counted in ctx.world.project_fetches.where("project", project.id) if counted.date >= first]
    return sorted(counts, key=lambda counted: counted.date, reverse=True)
