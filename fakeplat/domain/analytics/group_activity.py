"""What was created in a group lately (paid). Source: docs/platform/analytics.md."""

from typing import Final

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.timestamps import DAY, to_iso
from fakeplat.domain.issues.issue_access import is_visible
from fakeplat.domain.issues.issue_search import visible_in_group
from fakeplat.domain.people.members import list_direct
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

_RECENT: Final = 90 * DAY


def list_issues(world: World, project: Project) -> list[Issue]:
    """Return the issues of a project."""
    return [world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id)))]


def count_issues(ctx: ReadContext, group: Group) -> int:
    """Count the issues of the last 90 days that the caller sees in a group and its subgroups."""
    since = _start(ctx)
    projects = [project for project in visible_in_group(ctx.world, group) if can_see(ctx, project)]
    return sum(
        issue.created_at >= since and is_visible(ctx, issue, project)
        for project in projects
        if can(ctx, Ability.READ_ISSUES, project)
        for issue in list_issues(ctx.world, project)
    )


def count_merge_requests(ctx: ReadContext, group: Group) -> int:
    """Count the merge requests of the last 90 days that the caller sees in a group and its subgroups."""
    since = _start(ctx)
    projects = [project for project in visible_in_group(ctx.world, group) if can_see(ctx, project)]
    table = ctx.world.merge_requests
    return sum(
        table[id_].created_at >= since
        for project in projects
        if can(ctx, Ability.READ_MERGE_REQUESTS, project)
        for id_ in iterate_bits(table.bits("facts", ("project", project.id)))
    )


def count_new_members(ctx: ReadContext, group: Group) -> int:
    """Count the users who became members of a group or of one of its subgroups within the last 90 days."""
    since, groups = _start(ctx), (group, *list_descendants(ctx.world, group))
    return len(
        {member.user_id for each in groups for member in list_direct(ctx.world, each) if member.created_at >= since}
    )


def _start(ctx: ReadContext) -> str:
    return to_iso(ctx.now() - _RECENT)
