"""The secrets of jobs: what a runner is told of the servers that have them.

Source: docs/platform/runner-protocol.md.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.domain.ci import job_variables
from fakeplat.model.ci import Job
from fakeplat.policy.behaviours import SECRETS_HAVE_PROVIDERS, VAULTS_HAVE_NAMESPACES
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Json = dict[str, Any]
Variables = Mapping[str, str]
_PROVIDER_VARIABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "vault": ("VAULT_SERVER_URL",),
    "azure_key_vault": ("AZURE_KEY_VAULT_SERVER_URL", "AZURE_CLIENT_ID", "AZURE_TENANT_ID"),
    "gcp_secret_manager": (
        "GCP_PROJECT_NUMBER",
        "GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID",
        "GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID",
    ),
    "akeyless": ("AKEYLESS_ACCESS_ID",),
    "aws_secrets_manager": ("AWS_REGION",),
    # Nobody can set up the platform's own store of secrets here.
    "gitlab_secrets_manager": ("",),
}
"""The variables that a job needs for the secrets of each provider."""


def are_managed(ctx: ReadContext, job: Job) -> bool:
    """Return whether the tier has secrets of jobs."""
    return has_feature(ctx.world, "premium", ctx.world.projects[job.project_id])


def is_provider_missing(ctx: ReadContext, job: Job) -> bool:
    """Return whether a job has secrets whose provider its variables do not describe."""
    secrets = job.options.get("secrets")
    if not secrets or not are_managed(ctx, job):
        return False
    values = job_variables.as_dict(job_variables.list_variables(ctx, job))
    known = {name for name, keys in _PROVIDER_VARIABLES.items() if all(values.get(key) for key in keys)}
    if not ctx.profile.has(SECRETS_HAVE_PROVIDERS):
        return not known
    return any(name in _PROVIDER_VARIABLES and name not in known for secret in secrets.values() for name in secret)


def describe(ctx: ReadContext, job: Job) -> Json:
    """Return the secrets of a job with their servers; the first secret of a provider decides how its server is used."""
    secrets: Mapping[str, Json] = job.options.get("secrets") or {}
    values = job_variables.as_dict(job_variables.list_variables(ctx, job)) if secrets else {}
    servers: Json = {}
    for secret in secrets.values():
        token = secret.get("token") or next((f"${name}" for name in job.options.get("id_tokens") or ()), None)
        for name in secret.keys() & _SERVERS.keys() - servers.keys():
            servers[name] = _SERVERS[name](ctx, secret, token, values)
    return {
        name: {key: {**value, "server": servers[key]} if key in servers else value for key, value in secret.items()}
        for name, secret in secrets.items()
    }


def _describe_vault(ctx: ReadContext, _secret: Json, token: str | None, values: Variables) -> Json:
    role = values.get("VAULT_AUTH_ROLE")
    namespace = {"namespace": values.get("VAULT_NAMESPACE")} if ctx.profile.has(VAULTS_HAVE_NAMESPACES) else {}
    return {
        "url": values.get("VAULT_SERVER_URL"),
        **namespace,
        "auth": {
            "name": "jwt",
            "path": values.get("VAULT_AUTH_PATH", "jwt"),
            "data": {"jwt": token or "${CI_JOB_JWT}", **({} if role is None else {"role": role})},
        },
    }


def _describe_azure(_ctx: ReadContext, _secret: Json, token: str | None, values: Variables) -> Json:
    return {
        "url": values.get("AZURE_KEY_VAULT_SERVER_URL"),
        "client_id": values.get("AZURE_CLIENT_ID"),
        "tenant_id": values.get("AZURE_TENANT_ID"),
        "jwt": token or "${CI_JOB_JWT_V2}",
    }


def _describe_gcp(_ctx: ReadContext, secret: Json, _token: str | None, values: Variables) -> Json:
    number, pool, provider = _PROVIDER_VARIABLES["gcp_secret_manager"]
    return {
        "project_number": values.get(number),
        "workload_identity_federation_pool_id": values.get(pool),
        "workload_identity_federation_provider_id": values.get(provider),
        "jwt": secret.get("token"),
    }


def _describe_aws(_ctx: ReadContext, secret: Json, _token: str | None, values: Variables) -> Json:
    return {
        "region": values.get("AWS_REGION"),
        "jwt": secret.get("token") or "$AWS_ID_TOKEN",
        "role_arn": values.get("AWS_ROLE_ARN"),
        "role_session_name": values.get("AWS_ROLE_SESSION_NAME"),
    }


_SERVERS: Final[Mapping[str, Callable[[ReadContext, Json, str | None, Variables], Json]]] = {
    "vault": _describe_vault,
    "azure_key_vault": _describe_azure,
    "gcp_secret_manager": _describe_gcp,
    "aws_secrets_manager": _describe_aws,
}
