"""The minutes that the projects of a top-level namespace took on runners of the instance, by month.

Source: docs/platform/graphql.md ('Minutes').
"""

from collections.abc import Iterable, Sequence

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE, SECOND
from fakeplat.domain.ci import minutes_quotas
from fakeplat.model.ci import Job
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World


@frozen
class ProjectUsage:
    """What a project took in a month. ``seconds`` are those of all its jobs, ``minutes`` those that count."""

    project: Project
    minutes: int
    seconds: int

    @property
    def id(self) -> int:
        """The id of the project."""
        return self.project.id


@frozen
class MonthlyUsage:
    """What the projects of a namespace took in a month such as ``2020-11``."""

    month: str
    minutes: int
    seconds: int
    projects: Sequence[ProjectUsage]

    @property
    def id(self) -> str:
        """The month."""
        return self.month


def list_monthly(world: World, root: Namespace) -> list[MonthlyUsage]:
    """Return the months in which runners of the instance ran jobs of a top-level namespace, the newest first."""
    by_month: dict[str, list[Job]] = {}
    for job in minutes_quotas.list_finished(world, root):
        by_month.setdefault(minutes_quotas.month_of(job.finished_at or ""), []).append(job)
    return [_sum_up(world, root, month, by_month[month]) for month in sorted(by_month, reverse=True)]


def _sum_up(world: World, root: Namespace, month: str, jobs: Sequence[Job]) -> MonthlyUsage:
    by_project: dict[int, list[Job]] = {}
    for job in jobs:
        by_project.setdefault(job.project_id, []).append(job)
    projects = [
        ProjectUsage(world.projects[id_], _count_minutes(world, root, members), _count_seconds(members))
        for id_, members in by_project.items()
    ]
    projects.sort(key=lambda usage: (-usage.minutes, usage.id))
    return MonthlyUsage(month, _count_minutes(world, root, jobs), _count_seconds(jobs), projects)


def _count_minutes(world: World, root: Namespace, jobs: Iterable[Job]) -> int:
    """Return the whole minutes that count: none without a quota, and none of public projects."""
    if not minutes_quotas.get_quota(world, root):
        return 0
    counting = (job for job in jobs if minutes_quotas.costs(world.projects[job.project_id]))
    return sum(minutes_quotas.run_time(job) for job in counting) // MINUTE


def _count_seconds(jobs: Iterable[Job]) -> int:
    return sum(minutes_quotas.run_time(job) for job in jobs) // SECOND
