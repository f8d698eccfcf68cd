"""Environments of projects. Source: docs/platform/graphql.md, docs/platform/deployments.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack, get_args

from graphql import GraphQLError

from fakeplat.domain.deployments import environments
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.deployments import Environment, EnvironmentState
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

ENVIRONMENT = Type("Environment", "A deployment environment of a project.", gid="Environment")
ENVIRONMENT.attributes({"name: String!": "The name.", "state: String!": "The state: available or stopped."})
_FILTERS: Final = "name: String, search: String, states: [String!]"


class EnvironmentFilters(TypedDict, total=False):
    """The arguments of the fields."""

    name: str | None
    search: str | None
    states: Sequence[str] | None


@PROJECT.field(f"environments({_FILTERS}): EnvironmentConnection")
def environments_of(
    ctx: ReadContext,
    project: Project,
    name: str | None = None,
    search: str | None = None,
    states: Sequence[str] | None = None,
) -> Sequence[Environment]:
    """The environments of the project, those with a name or with names that start with a text."""
    if not {*(states or ())} <= {*get_args(EnvironmentState)}:
        raise GraphQLError("Requested states are invalid")
    if not can(ctx, Ability.READ_ENVIRONMENT, project):
        return ()
    return environments.list_environments(ctx.world, project, name=name or "", prefix=search or "", states=states or ())


@PROJECT.field(f"environment({_FILTERS}): Environment", single=True)
def environment_of(ctx: ReadContext, project: Project, **filters: Unpack[EnvironmentFilters]) -> Environment | None:
    """The first environment of the project that matches the filters."""
    return next(iter(environments_of(ctx, project, **filters)), None)
