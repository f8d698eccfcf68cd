"""Mutations of environments, and approvals of deployments.

Source: docs/platform/graphql.md, docs/platform/deployments.md.
"""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack, cast

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.deployments import deployment_approvals, environment_stops, environments
from fakeplat.domain.deployments.environments import EnvironmentChanges, EnvironmentFields
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import Scalar, mutation
from fakeplat.model.deployments import ApprovalStatus, AutoStopSetting, Environment, EnvironmentTier
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=16.2"
_NO_AGENT: Final = "Unauthorized to access the cluster agent in this project"
Scalar("EnvironmentID", "The global ID of a record of the type Environment.", since="<=14.9")
Scalar("DeploymentID", "The global ID of a record of the type Deployment.", since=_SINCE)
_ID: Final = '"""The global ID of the environment."""\nid: EnvironmentID!'
_GIVES: Final = '"""The environment."""\nenvironment: Environment'
_FIELDS: Final = '''
"""The description."""
description: String @lifetime(since: "<=18.5")
"""The URL of what is deployed."""
externalUrl: String
"""What it is for."""
tier: DeploymentTier
"""The agent of its dashboard."""
clusterAgentId: ClustersAgentID
"""The namespace in the cluster."""
kubernetesNamespace: String @lifetime(since: "<=16.3")
"""The path of the resource of Flux."""
fluxResourcePath: String @lifetime(since: "<=16.9")
"""When it stops by itself."""
autoStopSetting: AutoStopSetting @lifetime(since: "<=18.5")
'''


class EnvironmentInput(TypedDict, total=False):
    """What a client says of an environment."""

    description: str | None
    external_url: str | None
    tier: EnvironmentTier | None
    cluster_agent_id: str | None
    kubernetes_namespace: str | None
    flux_resource_path: str | None
    auto_stop_setting: AutoStopSetting | None


def _read(ctx: ReadContext, project: Project, values: EnvironmentInput) -> dict[str, Any] | None:
    """Return the fields that were sent; None for an agent that the caller may not use."""
    fields: dict[str, Any] = dict(values)
    if fields.get("auto_stop_setting", "") is None:
        del fields["auto_stop_setting"]
    if values.get("cluster_agent_id") is not None:
        agent = ctx.world.cluster_agents.get(parse_id(ctx, str(values["cluster_agent_id"]), "Clusters::Agent"))
        if agent is None or agent.project_id != project.id or not can(ctx, Ability.READ_CLUSTER_AGENT, project):
            return None
        fields["cluster_agent_id"] = agent.id
    return fields


def _get_environment(ctx: ReadContext, text: str) -> tuple[Project, Environment]:
    environment = ctx.world.environments.get(parse_id(ctx, text, "Environment"))
    if environment is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    return ctx.world.projects[environment.project_id], environment


@mutation(
    "environmentCreate",
    input_fields=f'''
"""The full path of the project."""
projectPath: ID!
"""The name."""
name: String!
{_FIELDS}
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def environment_create(
    ctx: WriteContext, project_path: str, name: str, **values: Unpack[EnvironmentInput]
) -> Mapping[str, Any]:
    """Create an environment."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_ENVIRONMENT, project)
    fields = _read(ctx, project, values)
    if fields is None:
        return {"environment": None, "errors": [_NO_AGENT]}
    return {"environment": environments.create(ctx, project, name, **cast(EnvironmentFields, fields))}


@mutation("environmentUpdate", input_fields=f"{_ID}\n{_FIELDS}", payload_fields=_GIVES, since=_SINCE)
def environment_update(ctx: WriteContext, id: str, **values: Unpack[EnvironmentInput]) -> Mapping[str, Any]:
    """Change an environment."""
    project, environment = _get_environment(ctx, id)
    authorize(ctx, Ability.UPDATE_ENVIRONMENT, project)
    fields = _read(ctx, project, values)
    if fields is None:
        return {"environment": environment, "errors": [_NO_AGENT]}
    with collect_errors(environment=environment):
        return {"environment": environments.update(ctx, environment, **cast(EnvironmentChanges, fields))}


@mutation("environmentDelete", input_fields=_ID, payload_fields="", since=_SINCE)
def environment_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a stopped environment."""
    project, environment = _get_environment(ctx, id)
    authorize(ctx, Ability.DESTROY_ENVIRONMENT, project)
    if environment.is_available:
        raise ResourceNotAvailable(f"environment {environment.name} is not stopped, so it cannot be deleted")
    purge(ctx, environment)
    return {}


@mutation(
    "environmentStop",
    input_fields=f'{_ID}\n"""Whether the job that stops it is left out."""\nforce: Boolean',
    payload_fields=_GIVES,
    since=_SINCE,
)
def environment_stop(ctx: WriteContext, id: str, force: bool | None = None) -> Mapping[str, Any]:
    """Stop an environment, and play the job that stops it."""
    _, environment = _get_environment(ctx, id)
    decision = environment_stops.decide_stop(ctx, environment)
    if not decision.allowed:
        raise ResourceNotAvailable(decision.why)
    return {"environment": environment_stops.stop(ctx, environment, force=bool(force))}


@mutation(
    "approveDeployment",
    input_fields='''
"""The global ID of the deployment."""
id: DeploymentID!
"""What the caller says of it."""
status: DeploymentsApprovalStatus!
"""The comment."""
comment: String
"""The name of the rule for which the caller approves."""
representedAs: String
''',
    payload_fields='"""What the caller said."""\ndeploymentApproval: DeploymentApproval!',
    since=_SINCE,
)
def approve_deployment(
    ctx: WriteContext, id: str, status: ApprovalStatus, comment: str | None = None, represented_as: str | None = None
) -> Mapping[str, Any]:
    """Approve or reject a deployment that waits for approvals."""
    deployment = ctx.world.deployments.get(parse_id(ctx, id, "Deployment"))
    if deployment is None:
        raise RecordNotFound(reason=f"{id} does not exist")
    authorize(ctx, Ability.READ_DEPLOYMENT, ctx.world.projects[deployment.project_id])
    return {"deployment_approval": deployment_approvals.record(ctx, deployment, status, comment, represented_as)}
