"""Variables that the platform defines for pipelines and jobs, with the names and values of the world's release.

Names that contain the vendor's name (``GITLAB_CI``) are served as they are, like the name of the configuration file:
configurations and scripts refer to them. Source: docs/platform/predefined-variables.md.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.operations.operation import PREFIX
from fakeplat.core.release import Profile
from fakeplat.core.timestamps import cut_milliseconds, from_iso
from fakeplat.domain import urls
from fakeplat.domain.ci import ci_files, jobs, merge_request_variables
from fakeplat.domain.ci.variable_lifetimes import LIFETIMES, select
from fakeplat.domain.deployments import deployments, freeze_periods
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import CERTIFICATE_CLUSTERS
from fakeplat.domain.pages_domains import page_urls
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import protection, repositories
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.deployments import Environment
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.behaviours import TRIGGER_TOKEN_PREFIX

if TYPE_CHECKING:
    from fakeplat.git.records import Commit

Pairs = Iterator[tuple[str, str]]

_MAX_SLUG: Final = 63
_MAX_OPEN_MERGE_REQUESTS: Final = 4
_LONGEST_RELEASE_DESCRIPTION: Final = 1_024
_LONGEST_MESSAGE: Final = 100_000
"""In bytes."""
_MOST_TOPICS: Final = 20
_SHORT_TOKEN: Final = 4
_SPAN: Final = 16
"""The hexadecimal digits of the id of a span."""
_SSH_PORT: Final = 22
_TEMPLATE_REGISTRY: Final = "registry.gitlab.com"
_RETRIES: Final = "CI_JOB_RETRY_COUNT"
_DEPENDENCY_PROXY: Final = "/dependency_proxy/containers"
_NO_SLUG: Final = re.compile(r"[^a-z0-9]")


def of_pipeline(world: World, pipeline: Pipeline, origin: str) -> dict[str, str]:
    """Return the variables of a pipeline that are known before it is created: all but its id and URL."""
    return {**describe_pipeline(world, pipeline, origin), **of_user(world, pipeline.user_id)}


def describe_pipeline(world: World, pipeline: Pipeline, origin: str) -> dict[str, str]:
    """Return the variables of the server, the project and the pipeline itself."""
    project = world.projects[pipeline.project_id]
    return select(
        world.profile,
        {
            **dict(_list_server_variables(world, origin)),
            **dict(_list_project_variables(world, project, origin)),
            **dict(_list_pipeline_variables(world, project, pipeline, origin)),
        },
    )


def of_job(world: World, job: Job, origin: str) -> dict[str, str]:
    """Return the variables of a created job, which include those of its pipeline, without secrets."""
    return {
        **of_created_job(world, job, origin),
        **describe_created_job(world, job),
        **describe_pipeline(world, world.pipelines[job.pipeline_id], origin),
        **of_user(world, job.user_id),
        **of_environment(world, job),
    }


def of_created_job(world: World, job: Job, origin: str) -> dict[str, str]:
    """Return the ids and URLs of a job and its pipeline, which exist only once these are created."""
    url = project_url(world, world.projects[job.project_id], origin)
    started_at = cut_milliseconds(job.started_at) if job.started_at else ""
    started = {"CI_JOB_STARTED_AT": started_at, "CI_JOB_STARTED_AT_SLUG": slugify(started_at)} if started_at else {}
    return select(
        world.profile,
        {
            "CI_PIPELINE_ID": str(job.pipeline_id),
            "CI_PIPELINE_URL": f"{url}/-/pipelines/{job.pipeline_id}",
            "CI_JOB_ID": str(job.id),
            "CI_JOB_URL": f"{url}/-/jobs/{job.id}",
            "CI_JOB_TIMEOUT": str(jobs.time_limit(world, job)),
            "CI_JOB_TAGS": json.dumps(job.tags),
            "CI_BUILD_ID": str(job.id),
            "CI_TRACEPARENT": _build_trace(world, job),
            "CI_TRACESTATE": f"gitlab=pipeline:{job.pipeline_id};job:{job.id}",
            **started,
            **({_RETRIES: str(jobs.count_retries(world, job))} if world.profile.has(LIFETIMES[_RETRIES]) else {}),
        },
    )


def _build_trace(world: World, job: Job) -> str:
    """Return the header that names a job to tracing: the pipelines of a family are one trace."""
    root = world.pipelines[job.pipeline_id]
    while root.source == "parent_pipeline" and (bridge := world.jobs.get(root.source_job_id or 0)) is not None:
        root = world.pipelines[bridge.pipeline_id]
    span = sha256(f"{root.id}:{job.id}".encode()).hexdigest()[:_SPAN]
    return f"00-{root.id:032x}-{span}-01"


def describe_created_job(world: World, job: Job) -> dict[str, str]:
    """Return the variables that say what a created job is, of the world's release."""
    trigger_id = world.pipelines[job.pipeline_id].trigger_id
    trigger = world.triggers.get(trigger_id or 0)
    token = {"CI_TRIGGER_SHORT_TOKEN": _shorten(world.profile, trigger.token)} if trigger else {}
    described = describe_job(job, is_triggered=trigger_id is not None)
    return select(world.profile, {**described, "CI_JOB_GROUP_NAME": jobs.group_name(job), **token})


def _shorten(profile: Profile, token: str) -> str:
    return token.removeprefix(profile.choose(TRIGGER_TOKEN_PREFIX))[:_SHORT_TOKEN]


def describe_job(job: PlannedJob, *, is_triggered: bool = False) -> dict[str, str]:
    """Return the variables that say what a job is, which are known before it is created."""
    flags = {"MANUAL": job.when in ("manual", "delayed"), "TRIGGERED": is_triggered}
    return {
        "CI_JOB_NAME": job.name,
        "CI_JOB_NAME_SLUG": slugify(job.name),
        "CI_JOB_STAGE": job.stage,
        **({"CI_JOB_MANUAL": "true"} if flags["MANUAL"] else {}),
        **({"CI_PIPELINE_TRIGGERED": "true"} if is_triggered else {}),
        **_number_within_parallel_jobs(job),
        # The names before release 9.0.
        "CI_BUILD_NAME": job.name,
        "CI_BUILD_STAGE": job.stage,
        **{f"CI_BUILD_{name}": "true" for name, holds in flags.items() if holds},
    }


def _number_within_parallel_jobs(job: PlannedJob) -> dict[str, str]:
    if job.parallel is None:
        return {"CI_NODE_TOTAL": "1"}
    number, total = job.parallel
    return {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": str(total)}


def of_user(world: World, user_id: int | None) -> dict[str, str]:
    """Return the variables of the user for whom a job runs."""
    user = world.users.get(user_id) if user_id is not None else None
    if user is None:
        return {}
    return {
        "GITLAB_USER_ID": str(user.id),
        "GITLAB_USER_EMAIL": user.email,
        "GITLAB_USER_LOGIN": user.username,
        "GITLAB_USER_NAME": user.name,
    }


def find_environment(world: World, job: Job) -> Environment | None:
    """Return the environment of a job: the one that it deploys to, else the one that it names."""
    deployment = deployments.find_by_job(world, job)
    if deployment is not None:
        return world.environments.get(deployment.environment_id)
    return world.environments.find("place", (job.project_id, job.environment.name)) if job.environment else None


def of_environment(world: World, job: Job) -> dict[str, str]:
    """Return the variables of a job's environment, if that exists.

    The URL is not expanded: it may contain variables that only the runner knows.
    """
    environment = find_environment(world, job)
    if environment is None:
        return {}
    url = (job.environment.url if job.environment else None) or environment.external_url
    return select(
        world.profile,
        {
            "CI_ENVIRONMENT_NAME": environment.name,
            "CI_ENVIRONMENT_SLUG": environment.slug,
            "CI_ENVIRONMENT_TIER": environment.tier,
            **({"CI_ENVIRONMENT_ACTION": job.environment.action} if job.environment else {}),
            "CI_ENVIRONMENT_ID": str(environment.id),
            **({"CI_ENVIRONMENT_URL": url} if url else {}),
        },
    )


def project_url(world: World, project: Project, origin: str) -> str:
    """Return the URL of a project below an origin."""
    return f"{origin}/{namespaces.project_path(world, project)}"


def slugify(text: str) -> str:
    """Return a text in lower case with dashes for all but letters and digits, fit for host names."""
    return _NO_SLUG.sub("-", text.lower())[:_MAX_SLUG].strip("-")


def _list_server_variables(world: World, origin: str) -> Pairs:
    url, instance = urlsplit(origin), world.instance
    major, _, rest = instance.version.partition(".")
    minor, _, patch = rest.partition(".")
    yield "CI", "true"
    yield "GITLAB_CI", "true"
    yield "CI_SERVER_URL", origin
    yield "CI_SERVER_HOST", url.hostname or ""
    yield "CI_SERVER_PORT", str(urls.port_of(origin))
    yield "CI_SERVER_PROTOCOL", url.scheme
    yield "CI_SERVER_SHELL_SSH_HOST", url.hostname or ""
    yield "CI_SERVER_SHELL_SSH_PORT", str(_SSH_PORT)
    yield "CI_SERVER_NAME", instance.product_name
    yield "CI_SERVER_VERSION", instance.version
    yield "CI_SERVER_VERSION_MAJOR", major
    yield "CI_SERVER_VERSION_MINOR", minor
    yield "CI_SERVER_VERSION_PATCH", patch
    yield "CI_SERVER_REVISION", instance.revision
    yield "CI_API_V4_URL", f"{origin}{PREFIX}"
    yield "CI_API_GRAPHQL_URL", f"{origin}/api/graphql"
    yield "CI_SERVER_FQDN", url.netloc
    yield "CI_TEMPLATE_REGISTRY_HOST", _TEMPLATE_REGISTRY
    # Features of paid tiers, which have no list here.
    yield "GITLAB_FEATURES", ""


def _list_project_variables(world: World, project: Project, origin: str) -> Pairs:
    path = namespaces.project_path(world, project)
    namespace = world.namespaces[project.namespace_id]
    yield "CI_PROJECT_ID", str(project.id)
    yield "CI_PROJECT_NAME", project.path
    yield "CI_PROJECT_TITLE", project.name
    yield "CI_PROJECT_PATH", path
    yield "CI_PROJECT_PATH_SLUG", slugify(path)
    yield "CI_PROJECT_NAMESPACE", namespaces.full_path(world, namespace)
    yield "CI_PROJECT_ROOT_NAMESPACE", namespaces.root_of(world, namespace).path
    yield "CI_PROJECT_URL", f"{origin}/{path}"
    yield "CI_PROJECT_VISIBILITY", project.visibility
    yield "CI_PROJECT_REPOSITORY_LANGUAGES", ",".join(repositories.languages(world, project)).lower()
    yield "CI_DEFAULT_BRANCH", project.default_branch or ""
    yield "CI_DEFAULT_BRANCH_SLUG", slugify(project.default_branch or "")
    yield "CI_PROJECT_DESCRIPTION", project.description or ""
    yield "CI_PROJECT_NAMESPACE_ID", str(namespace.id)
    yield "CI_PROJECT_NAMESPACE_SLUG", slugify(namespaces.full_path(world, namespace))
    yield "CI_PROJECT_ROOT_NAMESPACE_SLUG", slugify(namespaces.root_of(world, namespace).path)
    yield "CI_PROJECT_CONFIG_PATH", ci_files.ci_path(project)
    yield "CI_PROJECT_CLASSIFICATION_LABEL", project.external_authorization_classification_label or ""
    yield "CI_PROJECT_TOPICS", ",".join(project.tag_list[:_MOST_TOPICS]).lower()
    registry = urls.host_of(origin)
    yield "CI_REGISTRY", registry
    if project.container_registry_enabled:
        yield "CI_REGISTRY_IMAGE", f"{registry}/{path.lower()}"
    yield from _list_dependency_proxy(world, namespace, origin)
    if project.pages_access_level != "disabled":
        pages_url = page_urls.pages_url(world, project, origin)
        yield "CI_PAGES_DOMAIN", page_urls.pages_host(origin)
        yield "CI_PAGES_HOSTNAME", urlsplit(pages_url).netloc
        yield "CI_PAGES_URL", pages_url


def _list_dependency_proxy(world: World, namespace: Namespace, origin: str) -> Pairs:
    """Yield where images can be pulled through the proxy of the namespace, or of the one at the top."""
    server = urls.host_with_port(origin)
    for name, owner in (("DIRECT_GROUP", namespace), ("GROUP", namespaces.root_of(world, namespace))):
        path = namespaces.full_path(world, owner).lower()
        yield f"CI_DEPENDENCY_PROXY_{name}_IMAGE_PREFIX", f"{server}/{path}{_DEPENDENCY_PROXY}"
    yield "CI_DEPENDENCY_PROXY_SERVER", server


def _list_pipeline_variables(world: World, project: Project, pipeline: Pipeline, origin: str) -> Pairs:
    yield "CI_PIPELINE_IID", str(pipeline.iid)
    yield "CI_PIPELINE_SOURCE", pipeline.source
    if has_active_kubernetes(world, project):
        yield "CI_KUBERNETES_ACTIVE", "true"
    yield "CI_CONFIG_PATH", ci_files.ci_path(project)
    yield from _list_ref_variables(world, project, pipeline)
    yield from _list_commit_variables(world, _find_commit(world, project, pipeline.sha))
    if pipeline.tag:
        yield from _list_tag_variables(world, project, pipeline.ref)
    yield from _list_causes(world, pipeline)
    ref_path = _build_ref_path(world, pipeline)
    uri = ci_files.config_uri(world, project, ref_path, origin) if ref_path else None
    if uri is not None:
        yield "CI_CONFIG_REF_URI", uri
    if pipeline.merge_request_id is not None:
        yield from merge_request_variables.list_variables(
            world, world.merge_requests[pipeline.merge_request_id], origin, pipeline.ref
        )
    if freeze_periods.is_frozen(world, project, from_iso(pipeline.created_at)):
        yield "CI_DEPLOY_FREEZE", "true"
    if pipeline.name:
        yield "CI_PIPELINE_NAME", pipeline.name
    yield "CI_PIPELINE_CREATED_AT", cut_milliseconds(pipeline.created_at)
    if world.profile.has(LIFETIMES["CI_OPEN_MERGE_REQUESTS"]):
        yield from _list_open_merge_requests(world, pipeline)


def has_active_kubernetes(world: World, project: Project) -> bool:
    """Return whether the project deploys to a cluster with a certificate, which later releases do by a flag only."""
    if not world.clusters or not features.is_enabled(world, CERTIFICATE_CLUSTERS):
        return False
    # Most worlds have no clusters.
    from fakeplat.domain.clusters import clusters

    return clusters.has_active_cluster(world, project)


def _build_ref_path(world: World, pipeline: Pipeline) -> str:
    """Return the full name of the ref of a pipeline; that of a merge request is its source branch."""
    merge_request = world.merge_requests.get(pipeline.merge_request_id or 0)
    return f"{TAGS if pipeline.tag else BRANCHES}{merge_request.source_branch if merge_request else pipeline.ref}"


def _list_causes(world: World, pipeline: Pipeline) -> Pairs:
    """Yield what is known of the schedule or the job that made the pipeline."""
    schedule = world.pipeline_schedules.get(pipeline.schedule_id or 0)
    if schedule is not None:
        yield "CI_PIPELINE_SCHEDULE_DESCRIPTION", schedule.description
    bridge = world.jobs.get(pipeline.source_job_id or 0)
    if bridge is not None:
        yield "CI_UPSTREAM_PIPELINE_ID", str(bridge.pipeline_id)
        yield "CI_UPSTREAM_PROJECT_ID", str(bridge.project_id)
        yield "CI_UPSTREAM_JOB_ID", str(bridge.id)


def _list_tag_variables(world: World, project: Project, name: str) -> Pairs:
    git = repositories.open_repository(world, project)
    if git.find_tag(name):
        tag = git.tag(name)
        yield "CI_COMMIT_TAG_MESSAGE", tag.message.removesuffix("\n") if tag else ""
    release = releases.find(world, project, name)
    if release is not None and release.description:
        yield "CI_RELEASE_DESCRIPTION", release.description[:_LONGEST_RELEASE_DESCRIPTION]


def _list_ref_variables(world: World, project: Project, pipeline: Pipeline) -> Pairs:
    merge_request = pipeline.merge_request_id and world.merge_requests.get(pipeline.merge_request_id)
    ref = merge_request.source_branch if merge_request else pipeline.ref
    common = {"BEFORE_SHA": pipeline.before_sha, "REF_NAME": ref, "REF_SLUG": slugify(ref)}
    yield "CI_COMMIT_SHA", pipeline.sha
    yield "CI_COMMIT_SHORT_SHA", pipeline.sha[:8]
    for name, value in common.items():
        yield f"CI_COMMIT_{name}", value
    if not pipeline.tag and not merge_request:
        yield "CI_COMMIT_BRANCH", pipeline.ref
        base = _find_base(world, project, pipeline)
        if base:
            yield "CI_COMMIT_DEFAULT_BRANCH_BASE_SHA", base
    if pipeline.tag:
        yield "CI_COMMIT_TAG", pipeline.ref
    is_protected = protection.is_protected(world, project, pipeline.ref, tag=pipeline.tag)
    yield "CI_COMMIT_REF_PROTECTED", "true" if is_protected else "false"
    # The names before release 9.0.
    yield "CI_BUILD_REF", pipeline.sha
    for name, value in common.items():
        yield f"CI_BUILD_{name}", value
    if pipeline.tag:
        yield "CI_BUILD_TAG", pipeline.ref


def _find_base(world: World, project: Project, pipeline: Pipeline) -> str | None:
    """Return the merge base of a commit and the default branch; None in a pipeline of that branch."""
    from fakeplat.git.errors import GitError

    if not world.profile.has(LIFETIMES["CI_COMMIT_DEFAULT_BRANCH_BASE_SHA"]) or pipeline.ref == project.default_branch:
        return None
    try:
        return repositories.open_repository(world, project).merge_base(pipeline.sha, project.default_branch or "HEAD")
    except GitError:
        return None


def _find_commit(world: World, project: Project, sha: str) -> "Commit | None":
    from fakeplat.git.errors import GitError

    try:
        # Also a commit that no branch has any more.
        return repositories.open_repository(world, project).objects.commit(sha)
    except GitError:
        # A pipeline of a scenario may have a commit that its repository does not.
        return None


def _list_commit_variables(world: World, commit: "Commit | None") -> Pairs:
    message = commit.message if commit else ""
    is_limited = world.profile.has(LIFETIMES["CI_COMMIT_MESSAGE_IS_TRUNCATED"])
    is_truncated = is_limited and len(message.encode()) > _LONGEST_MESSAGE
    if is_truncated:
        message = message.encode()[:_LONGEST_MESSAGE].decode(errors="ignore")
    yield "CI_COMMIT_MESSAGE_IS_TRUNCATED", str(is_truncated).lower()
    title, _, description = message.partition("\n")
    yield "CI_COMMIT_MESSAGE", message
    yield "CI_COMMIT_TITLE", title
    # A description of its own only below a short title, as commits show it.
    yield "CI_COMMIT_DESCRIPTION", message if len(title) >= 100 else description.removesuffix("\n")
    yield "CI_COMMIT_AUTHOR", f"{commit.author.name} <{commit.author.email}>" if commit else ""
    author = users.find_by_email(world, commit.author.email) if commit else None
    yield "CI_COMMIT_USER_LOGIN", author.username if author else ""
    yield "CI_COMMIT_TIMESTAMP", commit.committer.time.astimezone(UTC).isoformat() if commit else ""


def _list_open_merge_requests(world: World, pipeline: Pipeline) -> Pairs:
    merge_requests = world.merge_requests.where("open_from", _source_branch(world, pipeline)).in_reverse()
    references = [
        f"{namespaces.project_path(world, world.projects[merge_request.project_id])}!{merge_request.iid}"
        for merge_request in list(merge_requests)[:_MAX_OPEN_MERGE_REQUESTS]
    ]
    if references:
        yield "CI_OPEN_MERGE_REQUESTS", ",".join(references)


def _source_branch(world: World, pipeline: Pipeline) -> tuple[int | None, str]:
    if pipeline.merge_request_id is None:
        return pipeline.project_id, pipeline.ref
    merge_request = world.merge_requests[pipeline.merge_request_id]
    return merge_request.source_project_id, merge_request.source_branch
