"""How often an environment was deployed. Source: docs/platform/analytics.md."""

from typing import Any, Final

from fakeplat.core.timestamps import add_days, to_iso
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_MONTH: Final = len("2020-11")
_DAY: Final = len("2020-11-20")
_DAYS_OF_LONGEST_MONTH: Final = 31


def list_frequencies(ctx: ReadContext, project: Project, name: str, start: str, end: str, interval: str) -> list[Any]:
    """Return the numbers of successful deployments to an environment, with the beginnings and ends of the intervals."""
    environment = ctx.world.environments.find("place", (project.id, name))
    deployments = ctx.world.deployments.where("environment", environment.id) if environment is not None else ()
    times = sorted(
        deployment.finished_at
        for deployment in deployments
        if deployment.status == "success"
        and deployment.finished_at is not None
        and start <= deployment.finished_at < end
    )
    if interval == "all":
        return [{"value": len(times), "from": start, "to": end}]
    length = _MONTH if interval == "monthly" else _DAY
    starts = [time[:length] for time in times]
    return [{"value": starts.count(each), **_build_bounds(each)} for each in dict.fromkeys(starts)]


def _build_bounds(start: str) -> dict[str, str]:
    if len(start) == _DAY:
        return {"from": start, "to": add_days(start, 1)}
    first = f"{start}-01"
    following = add_days(first, _DAYS_OF_LONGEST_MONTH)[:_MONTH]
    return {"from": f"{first}T00:00:00.000Z", "to": f"{following}-01T00:00:00.000Z"}


def default_end(ctx: ReadContext) -> str:
    """Return the end of a range without one: now."""
    return to_iso(ctx.now())
