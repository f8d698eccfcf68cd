"""The groups and projects that an access token reaches. Source: docs/platform/impersonation-and-access-tokens.md."""

from collections.abc import Sequence

from fakeplat.core.store.frozen import frozen
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import level_within, project_level


@frozen
class AssociationLists:
    """A page of groups and one of projects, the newest first."""

    groups: Sequence[Group]
    projects: Sequence[Project]


def list_groups(ctx: ReadContext, min_level: int | None) -> list[Group]:
    """Return the groups that the caller sees or, with a level, those where they have it."""
    user = ctx.signed_in_user
    groups = (one for one in ctx.world.namespaces.all() if isinstance(one, Group))
    return [
        group
        for group in groups
        if (can_see(ctx, group) if min_level is None else level_within(ctx.world, group.id, user.id) >= min_level)
    ][::-1]


def list_projects(ctx: ReadContext, min_level: int | None) -> list[Project]:
    """Return the projects that the caller sees or, with a level, those where they have it."""
    user = ctx.signed_in_user
    return [
        project
        for project in ctx.world.projects.all()
        if (can_see(ctx, project) if min_level is None else project_level(ctx.world, project, user.id) >= min_level)
    ][::-1]
