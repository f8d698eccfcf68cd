"""What the caller visits often and lately. Source: docs/platform/graphql.md ('Visits')."""

from typing import Final

from fakeplat.domain.people import visits
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=16.9"


@QUERY.field(f"frecentGroups: [{GROUP.name}!]", since=_SINCE)
def frecent_groups(ctx: ReadContext) -> list[Group] | None:
    """The three groups that the caller visits most, the latest weeks counting more."""
    if ctx.viewer is None:
        return None
    ids = visits.list_frecent_ids(ctx.world, ctx.viewer, "group", ctx.now())
    found = (ctx.world.namespaces[id_] for id_ in ids)
    return [group for group in found if isinstance(group, Group) and can_see(ctx, group)]


@QUERY.field(f"frecentProjects: [{PROJECT.name}!]", since=_SINCE)
def frecent_projects(ctx: ReadContext) -> list[Project] | None:
    """The five projects that the caller visits most, the latest weeks counting more."""
    if ctx.viewer is None:
        return None
    ids = visits.list_frecent_ids(ctx.world, ctx.viewer, "project", ctx.now())
    return [project for project in (ctx.world.projects[id_] for id_ in ids) if can_see(ctx, project)]
