"""ID tokens of jobs, with which they sign in to other services: the keyword ``id_tokens``.

Source: docs/platform/runner-protocol.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from fakeplat.ci_config.interpolation import expand
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.rng import format_uuid, random_bytes
from fakeplat.core.timestamps import SECOND
from fakeplat.domain import urls
from fakeplat.domain.ci import ci_files, jobs, predefined_variables
from fakeplat.domain.oauth import id_tokens
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection
from fakeplat.model.ci import Job
from fakeplat.model.people import LEVEL_NAMES
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import AUDIENCES_HAVE_VARIABLES
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import project_level

_VALID_BEFORE: Final = 5
"""How many seconds before it is issued a token is valid."""
_RESERVED: Final = ("jti", "iss", "iat", "nbf", "exp", "sub")
_LIFETIMES: Final[Mapping[str, Lifetime]] = {
    **dict.fromkeys(["ref_path", "runner_id", "runner_environment", "sha"], Lifetime("16.0")),
    **dict.fromkeys(["ci_config_ref_uri", "ci_config_sha"], Lifetime("16.2")),
    "project_visibility": Lifetime("16.3"),
    "environment_action": Lifetime("16.5"),
    "user_access_level": Lifetime("16.9"),
    **dict.fromkeys(["job_project_id", "job_project_path", "job_namespace_id", "job_namespace_path"], Lifetime("18.4")),
}
"""The releases of the claims that not all releases with such tokens have."""


def list_tokens(ctx: ReadContext, job: Job, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the variables of the tokens that a job asks for; ``variables`` are those that an audience may contain."""
    for name, described in job.options["id_tokens"].items():
        audience = described["aud"]
        if ctx.profile.has(AUDIENCES_HAVE_VARIABLES):
            audience = _expand(audience, variables)
        yield name, id_tokens.sign(ctx.world, _list_claims(ctx, job, name, audience))


FIXED_NAMES: Final = ("CI_JOB_JWT", "CI_JOB_JWT_V1", "CI_JOB_JWT_V2")
_FIRST_CLAIMS: Final = (
    *"namespace_id namespace_path project_id project_path user_id user_login user_email".split(),
    *"pipeline_id pipeline_source job_id ref ref_type ref_protected environment environment_protected".split(),
)
"""The claims of a job that all releases have in the tokens that each job has."""


def list_fixed_tokens(ctx: ReadContext, job: Job, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the variables with tokens that each job has; the second version has an audience and another subject."""
    for name in names:
        claims = _list_claims(ctx, job, name, ctx.origin)
        if name == "CI_JOB_JWT_V2":
            claims = {key: claims[key] for key in claims if key in (*_FIRST_CLAIMS, *_RESERVED, "aud")}
        else:
            claims = {key: claims[key] for key in claims if key in (*_FIRST_CLAIMS, *_RESERVED)}
            claims.update(iss=urls.host_of(ctx.origin).partition(":")[0], sub=f"job_{job.id}")
        yield name, id_tokens.sign(ctx.world, claims)


def _expand(audience: str | list[str], variables: Mapping[str, str]) -> str | list[str]:
    if isinstance(audience, str):
        return expand(audience, variables)
    return [expand(each, variables) for each in audience]


def _list_claims(ctx: ReadContext, job: Job, name: str, audience: str | list[str]) -> dict[str, Any]:
    issued_at = ctx.now() // SECOND
    claims = {
        **_claims_of_job(ctx, job),
        "jti": _identify(ctx, job, name),
        "iat": issued_at,
        "nbf": issued_at - _VALID_BEFORE,
        "exp": issued_at + jobs.time_limit(ctx.world, job),
        "iss": ctx.origin,
        "aud": audience,
    }
    return {key: value for key, value in claims.items() if ctx.profile.has(_LIFETIMES.get(key, ALWAYS))}


def _identify(ctx: ReadContext, job: Job, name: str) -> str:
    """Return the id of a token, in the form of a UUID."""
    return format_uuid(random_bytes(ctx.world.setup.seed, f"ID token {name}", job.id).hex())


def _claims_of_job(ctx: ReadContext, job: Job) -> dict[str, Any]:
    world, pipeline = ctx.world, ctx.world.pipelines[job.pipeline_id]
    project = world.projects[job.project_id]
    merge_request = world.merge_requests.get(pipeline.merge_request_id or 0)
    source = world.projects.get(merge_request.source_project_id or 0) if merge_request else None
    path = namespaces.project_path(world, source or project)
    ref = merge_request.source_branch if merge_request else job.ref
    ref_type = "tag" if job.tag else "branch"
    ref_path = f"refs/{'tags' if job.tag else 'heads'}/{ref}"
    is_protected = protection.is_protected(world, project, job.ref, tag=job.tag)
    return {
        **_claims_of_project(ctx, source or project, ""),
        **_claims_of_user(ctx, source or project, job.user_id),
        **_claims_of_project(ctx, project, "job_"),
        "pipeline_id": str(pipeline.id),
        "pipeline_source": pipeline.source,
        "job_id": str(job.id),
        "ref": ref,
        "ref_type": ref_type,
        "ref_path": ref_path,
        "ref_protected": str(is_protected).lower(),
        **_claims_of_environment(ctx, job, project),
        "runner_id": job.runner_id,
        "runner_environment": "self-hosted",
        "sha": pipeline.sha,
        "project_visibility": project.visibility,
        **_claims_of_configuration(ctx, project, ref_path, pipeline.sha),
        "sub": _build_subject(project, {"project_path": path, "ref_type": ref_type, "ref": ref}),
    }


def _build_subject(project: Project, claims: Mapping[str, str]) -> str:
    components = [name for name in project.ci_id_token_sub_claim_components if name in claims]
    return ":".join(f"{name}:{claims[name]}" for name in components)


def _claims_of_project(ctx: ReadContext, project: Project, prefix: str) -> dict[str, Any]:
    namespace = ctx.world.namespaces[project.namespace_id]
    return {
        f"{prefix}namespace_id": str(namespace.id),
        f"{prefix}namespace_path": namespaces.full_path(ctx.world, namespace),
        f"{prefix}project_id": str(project.id),
        f"{prefix}project_path": namespaces.project_path(ctx.world, project),
    }


def _claims_of_user(ctx: ReadContext, project: Project, user_id: int | None) -> dict[str, Any]:
    user = ctx.world.users.get(user_id or 0)
    if user is None:
        return {"user_id": "", "user_login": None, "user_email": None, "user_access_level": None}
    level = project_level(ctx.world, project, user.id)
    names = {int(number): name for name, number in LEVEL_NAMES.items() if number}
    return {
        "user_id": str(user.id),
        "user_login": user.username,
        "user_email": user.email,
        "user_access_level": names.get(level),
    }


def _claims_of_environment(ctx: ReadContext, job: Job, project: Project) -> dict[str, Any]:
    environment = predefined_variables.find_environment(ctx.world, job)
    if environment is None or job.environment is None:
        return {}
    protected = ctx.world.protected_environments.find("name", (project.id, environment.name))
    return {
        "environment": environment.name,
        "environment_protected": str(protected is not None).lower(),
        "deployment_tier": environment.tier,
        "environment_action": job.environment.action,
    }


def _claims_of_configuration(ctx: ReadContext, project: Project, ref_path: str, sha: str) -> dict[str, str | None]:
    """Return where the configuration of the pipeline is: nowhere here, if another project or server has it."""
    uri = ci_files.config_uri(ctx.world, project, ref_path, ctx.origin)
    return {"ci_config_ref_uri": uri, "ci_config_sha": sha if uri else None}
