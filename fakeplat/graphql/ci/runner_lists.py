"""What lists of runners tell: where each runner is shown, and how long jobs waited for them.

Source: docs/platform/graphql.md ('Lists of runners').
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.ci import runners
from fakeplat.entities import urls
from fakeplat.graphql.ci.runners import RUNNER
from fakeplat.graphql.connections import Connection, Edge
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_EDGES: Final = "<=14.9"
_SINCE: Final = "15.8"
_RENAMED: Final = "<=18.5"
_PERCENTILES: Final = (50, 75, 90, 95, 99)


@RUNNER.edge_field("webUrl: String", since=_EDGES)
def web_url(ctx: ReadContext, edge: Edge) -> str | None:
    """The URL of the runner in the group or project that lists it."""
    if isinstance(edge.owner, Group):
        return f"{urls.namespace_url(ctx, edge.owner)}/-/runners/{edge.node.id}"
    return f"{urls.project_url(ctx, edge.owner)}/-/runners/{edge.node.id}" if isinstance(edge.owner, Project) else None


@RUNNER.edge_field("editUrl: String", since=_EDGES)
def edit_url(ctx: ReadContext, edge: Edge) -> str | None:
    """The URL at which the group or project that lists it changes it."""
    url = web_url(ctx, edge)
    return f"{url}/edit" if url is not None else None


# How long jobs waited

STATISTICS: Final = Type("CiJobsStatistics", "How long jobs waited for runners.", since=_SINCE)
EARLY_DURATIONS: Final = Type("CiJobsDurationStatistics", "How long jobs took.", since=_SINCE, until=_RENAMED)
DURATIONS: Final = Type("CiDurationStatistics", "How long jobs or pipelines took.", since=_RENAMED)


@RUNNER.connection_field("jobsStatistics: CiJobsStatistics", since=_SINCE)
def jobs_statistics(ctx: ReadContext, connection: Connection) -> Sequence[int] | None:
    """How long jobs waited for the runners, for administrators and Maintainers of the group that lists them."""
    owner = connection.owner
    may_read = can(ctx, Ability.READ_GROUP_RUNNERS, owner) if isinstance(owner, Group) else owner is None and ctx.admin
    if not may_read or not has_feature(ctx.world, "ultimate"):
        return None
    return sorted(runners.list_waits(ctx.world, connection.rows))


@STATISTICS.field("queuedDuration: CiDurationStatistics", since=_RENAMED)
@STATISTICS.field("queuedDuration: CiJobsDurationStatistics", until=_RENAMED)
def queued_duration(_ctx: ReadContext, waits: Sequence[int]) -> Sequence[int]:
    """How long the last hundred jobs waited that the runners started."""
    return waits


@DURATIONS.field("mean: Duration", since="18.7")
def mean_of(_ctx: ReadContext, _waits: Sequence[int]) -> float | None:
    """The mean, which is not computed for the jobs of runners."""
    return None


def _declare(percent: int) -> None:
    def percentile(_ctx: ReadContext, waits: Sequence[int]) -> float | None:
        return runners.find_percentile(waits, percent)

    for type_ in (DURATIONS, EARLY_DURATIONS):
        description = f"The number of seconds below which {percent} percent are."
        type_.field(f"p{percent}: Duration", description=description)(percentile)


for _percent in _PERCENTILES:
    _declare(_percent)
