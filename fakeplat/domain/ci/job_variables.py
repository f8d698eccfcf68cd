"""All variables of a job, in the order in which later ones replace earlier ones of the same name.

Source: docs/platform/predefined-variables.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from fakeplat.ci_config.interpolation import expand
from fakeplat.ci_config.jobs import RAW_VARIABLES
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import (
    dotenv,
    integration_variables,
    job_artifacts,
    job_dependencies,
    job_id_tokens,
    job_tokens,
    predefined_variables,
    variables,
)
from fakeplat.domain.ci.variable_lifetimes import LIFETIMES
from fakeplat.domain.pages_domains import page_urls
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import deploy_tokens
from fakeplat.domain.repository import protection
from fakeplat.model.ci import CiVariable, Job, Pipeline, PipelineVariable
from fakeplat.policy.behaviours import ID_TOKENS_REPLACE_OTHERS, PAGES_URLS_HAVE_PREFIXES
from fakeplat.policy.context import ReadContext
from fakeplat.policy.credentials import JOB_NAME

_CREATED: Final = ("CI_PIPELINE_ID", "CI_PIPELINE_URL", "CI_JOB_ID", "CI_JOB_URL")


@frozen
class JobVariable:
    """A variable of a job. ``public``: its value may be shown. ``file``: the runner writes the value to a file.

    ``raw``: the runner does not expand other variables in the value.
    """

    key: str
    value: str
    public: bool = True
    masked: bool = False
    file: bool = False
    raw: bool = False


def list_variables(ctx: ReadContext, job: Job) -> list[JobVariable]:
    """Return all variables of a job, with duplicates, as the runner gets them."""
    world = ctx.world
    pipeline = world.pipelines[job.pipeline_id]
    created, others = list(_list_created(ctx, job)), _list_others(ctx, job, pipeline)
    if "id_tokens" not in job.options:
        return [*created, *others]
    return [*created, *_list_id_tokens(ctx, job, as_dict([*created, *others])), *others]


def list_for_runner(ctx: ReadContext, job: Job) -> list[JobVariable]:
    """Return what `list_variables` does, with the tokens that all jobs of earlier releases have."""
    listed = list_variables(ctx, job)
    # From 16.0 on, a job that asks for tokens of its own has no others.
    if "id_tokens" in job.options and ctx.profile.has(ID_TOKENS_REPLACE_OTHERS):
        return listed
    names = [name for name in job_id_tokens.FIXED_NAMES if ctx.profile.has(LIFETIMES[name])]
    return [*listed, *(_secret(name, value) for name, value in job_id_tokens.list_fixed_tokens(ctx, job, names))]


def _list_id_tokens(ctx: ReadContext, job: Job, others: Mapping[str, str]) -> Iterator[JobVariable]:
    for key, value in job_id_tokens.list_tokens(ctx, job, others):
        yield _secret(key, value)


def _list_others(ctx: ReadContext, job: Job, pipeline: Pipeline) -> list[JobVariable]:
    world = ctx.world
    listed = [
        *_public(predefined_variables.describe_created_job(world, job)),
        *_public(predefined_variables.describe_pipeline(world, pipeline, ctx.origin)),
        *_list_runner(ctx, job),
        *_list_clusters(ctx, job),
        *_list_configured(job),
        *_public(predefined_variables.of_user(world, job.user_id)),
        *_list_inherited(ctx, job),
        *_list_declared(ctx, job),
        *_list_given(pipeline.variables),
        *_list_given(job.given_variables),
        *_public(predefined_variables.of_environment(world, job)),
    ]
    return [*listed, *_list_pages(ctx, job, listed)]


def _list_pages(ctx: ReadContext, job: Job, others: Iterable[JobVariable]) -> Iterator[JobVariable]:
    """Yield the URL of the pages that the job deploys below a prefix."""
    prefix = (page_urls.find_options(job) or {}).get("path_prefix")
    project = ctx.world.projects[job.project_id]
    if prefix and project.pages_access_level != "disabled" and ctx.profile.has(PAGES_URLS_HAVE_PREFIXES):
        slug = page_urls.slugify_prefix(expand(str(prefix), as_dict(others)))
        url = page_urls.pages_url(ctx.world, project, ctx.origin)
        yield JobVariable("CI_PAGES_URL", f"{url}/{slug}" if slug else url)


def as_dict(listed: Iterable[JobVariable]) -> dict[str, str]:
    """Return the value of each variable."""
    return {variable.key: variable.value for variable in listed}


def expand_variables(ctx: ReadContext, job: Job, text: str) -> str:
    """Return a text of a job's configuration with the values of its variables."""
    return expand(text, as_dict(list_variables(ctx, job))) if "$" in text or "%" in text else text


def _public(values: Mapping[str, str]) -> Iterator[JobVariable]:
    return (JobVariable(key, value) for key, value in values.items())


def _list_created(ctx: ReadContext, job: Job) -> Iterator[JobVariable]:
    """Yield the ids and URLs of what was created, and the token of the job."""
    created = predefined_variables.of_created_job(ctx.world, job, ctx.origin)
    yield from _public({key: created[key] for key in _CREATED})
    token = job_tokens.find(ctx.world, job)
    value = token.value if token else ""
    yield _secret("CI_JOB_TOKEN", value)
    if ctx.profile.has(LIFETIMES["CI_BUILD_TOKEN"]):
        yield JobVariable("CI_BUILD_REPO", repository_url(ctx, job), public=False)
        yield JobVariable("CI_BUILD_ID", created["CI_BUILD_ID"])
        yield _secret("CI_BUILD_TOKEN", value)
    yield from _public({key: value for key, value in created.items() if key not in (*_CREATED, "CI_BUILD_ID")})
    yield JobVariable("CI_REGISTRY_USER", JOB_NAME)
    yield _secret("CI_REGISTRY_PASSWORD", value)
    yield JobVariable("CI_REPOSITORY_URL", repository_url(ctx, job), public=False)
    deploy_token = deploy_tokens.find_ci_deploy_token(ctx, ctx.world.projects[job.project_id])
    if deploy_token is not None:
        yield JobVariable("CI_DEPLOY_USER", deploy_token.username)
        yield _secret("CI_DEPLOY_PASSWORD", deploy_token.value)
    yield from _list_integrated(ctx, job)
    if ctx.profile.has(LIFETIMES["CI_DEPENDENCY_PROXY_USER"]):
        yield JobVariable("CI_DEPENDENCY_PROXY_USER", JOB_NAME)
        yield _secret("CI_DEPENDENCY_PROXY_PASSWORD", value)


def _list_integrated(ctx: ReadContext, job: Job) -> Iterator[JobVariable]:
    """Yield the variables of the project's integrations."""
    project = ctx.world.projects[job.project_id]
    protected = protection.is_protected(ctx.world, project, job.ref, tag=job.tag)
    for variable in integration_variables.list_variables(ctx.world, project, ref_is_protected=protected):
        yield JobVariable(variable.key, variable.value, public=variable.public, masked=variable.masked)


def _secret(key: str, value: str) -> JobVariable:
    return JobVariable(key, value, public=False, masked=True)


def repository_url(ctx: ReadContext, job: Job) -> str:
    """Return the URL from which a job clones the repository, with its token."""
    token = job_tokens.find(ctx.world, job)
    scheme, _, host = ctx.origin.partition("://")
    path = namespaces.project_path(ctx.world, ctx.world.projects[job.project_id])
    return f"{scheme}://{JOB_NAME}:{token.value if token else ''}@{host}/{path}.git"


def _list_configured(job: Job) -> Iterator[JobVariable]:
    raw = job.options.get(RAW_VARIABLES, ())
    return (JobVariable(key, value, raw=key in raw) for key, value in dict(job.variables).items())


def _list_runner(ctx: ReadContext, job: Job) -> Iterator[JobVariable]:
    runner = ctx.world.runners.get(job.runner_id) if job.runner_id is not None else None
    if runner is not None:
        yield JobVariable("CI_RUNNER_ID", str(runner.id))
        yield JobVariable("CI_RUNNER_DESCRIPTION", runner.description or "")
        yield JobVariable("CI_RUNNER_TAGS", ", ".join(runner.tag_list))


def _list_clusters(ctx: ReadContext, job: Job) -> Iterator[JobVariable]:
    """Yield the file with the clusters that the job may use through agents."""
    if ctx.world.cluster_agents and ctx.profile.has(LIFETIMES["KUBECONFIG"]):
        # Most worlds have no agents.
        from fakeplat.domain.clusters import kubeconfig

        token = job_tokens.find(ctx.world, job)
        content = kubeconfig.find_kubeconfig(ctx, job, token.value if token else "")
        if content is not None:
            yield JobVariable("KUBECONFIG", content, public=False, file=True)


def _list_inherited(ctx: ReadContext, job: Job) -> Iterator[JobVariable]:
    """Yield the variables from the reports ``dotenv`` of the jobs that a job depends on."""
    for dependency in job_dependencies.list_dependencies(ctx.world, job):
        report = job_artifacts.find(ctx, dependency, "dotenv")
        for key, value in dotenv.read_report(ctx.world.settings, report.content).items() if report else ():
            yield JobVariable(key, value, public=False)


def _list_declared(ctx: ReadContext, job: Job) -> Iterator[JobVariable]:
    """Yield the variables of the instance, the groups and the project that the job may see."""
    project = ctx.world.projects[job.project_id]
    protected = protection.is_protected(ctx.world, project, job.ref, tag=job.tag)
    environment = predefined_variables.find_environment(ctx.world, job)
    name = environment.name if environment else job.environment.name if job.environment else None
    effective = variables.list_effective(ctx.world, project, ref_is_protected=protected, environment=name)
    return map(_from_declared, effective)


def _from_declared(variable: CiVariable) -> JobVariable:
    return JobVariable(
        variable.key,
        variable.value,
        public=False,
        masked=variable.masked,
        file=variable.variable_type == "file",
        raw=variable.raw,
    )


def _list_given(given: Iterable[PipelineVariable]) -> Iterator[JobVariable]:
    """Yield the variables that a pipeline was given by its creator, trigger or schedule, or a job by who played it."""
    for variable in given:
        yield JobVariable(variable.key, variable.value, public=False, file=variable.variable_type == "file")
