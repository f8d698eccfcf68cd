"""The file ``KUBECONFIG`` of jobs, with a context for each agent that the job may use.

Source: docs/platform/cluster-agents.md.
"""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.ci_config.document_writing import write
from fakeplat.domain.ci import predefined_variables
from fakeplat.domain.clusters import agent_access
from fakeplat.domain.clusters.agent_access import Authorization, Circumstances
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection
from fakeplat.model.ci import Job
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

_CLUSTER: Final = "gitlab"
_PROXY: Final = "/-/kubernetes-agent/k8s-proxy/"


def list_allowed(world: World, job: Job) -> list[Authorization]:
    """Return the agents that a job may use: those of its project, environment and ref."""
    project = world.projects[job.project_id]
    environment = predefined_variables.find_environment(world, job)
    is_protected = protection.is_protected(world, project, job.ref, tag=job.tag)
    at = Circumstances(environment.name if environment else None, is_protected)
    return agent_access.select_allowed(agent_access.list_authorizations(world, project), at)


def find_kubeconfig(ctx: ReadContext, job: Job, token: str) -> str | None:
    """Return the content of the file, None if the job may use no agent."""
    allowed = list_allowed(ctx.world, job) if ctx.world.cluster_agents else []
    return _render(ctx, allowed, token) if allowed else None


def _render(ctx: ReadContext, allowed: Sequence[Authorization], token: str) -> str:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _CLUSTER, "cluster": {"server": f"{ctx.origin}{_PROXY}"}}],
        "users": [{"name": _user_of(each), "user": {"token": f"ci:{each.agent.id}:{token}"}} for each in allowed],
        "contexts": [{"name": _name_of(ctx.world, each), "context": _describe(each)} for each in allowed],
    }
    return write(document, keys=str)


def _user_of(authorization: Authorization) -> str:
    return f"agent:{authorization.agent.id}"


def _name_of(world: World, authorization: Authorization) -> str:
    path = namespaces.project_path(world, world.projects[authorization.agent.project_id])
    return f"{path}:{authorization.agent.name}"


def _describe(authorization: Authorization) -> dict[str, Any]:
    namespace = authorization.configuration.get("default_namespace")
    return {
        "cluster": _CLUSTER,
        **({} if namespace is None else {"namespace": namespace}),
        "user": _user_of(authorization),
    }
