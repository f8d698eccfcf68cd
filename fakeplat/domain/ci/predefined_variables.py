"""Variables that the platform defines for pipelines and jobs, with the names and values of the world's release.

Names that contain the vendor's name (``GITLAB_CI``) are served as they are, like the name of the configuration file:
configurations and scripts refer to them. Source: docs/platform/predefined-variables.md.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.operations.operation import PREFIX
from fakeplat.core.release import ALWAYS, Lifetime, Profile
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.ci import ci_files
from fakeplat.domain.deployments import deployments, freeze_periods
from fakeplat.domain.issues.issue_notes import join_words
from fakeplat.domain.pages_domains import page_urls
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.deployments import Environment
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.records import Commit

Pairs = Iterator[tuple[str, str]]

_MAX_SLUG: Final = 63
_MAX_OPEN_MERGE_REQUESTS: Final = 4
_LONGEST_DESCRIPTION: Final = 2_700
_NO_SLUG: Final = re.compile(r"[^a-z0-9]")
_PORTS: Final = {"http": 80, "https": 443}


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


LIFETIMES: Final[Mapping[str, Lifetime]] = {
    "CI_OPEN_MERGE_REQUESTS": Lifetime("13.8"),
    "CI_PROJECT_CONFIG_PATH": Lifetime("13.8", "14.0"),
    "CI_PIPELINE_CREATED_AT": Lifetime("13.10"),
    "CI_JOB_STARTED_AT": Lifetime("13.10"),
    "CI_COMMIT_AUTHOR": Lifetime("13.11"),
    "CI_ENVIRONMENT_ACTION": Lifetime("13.11"),
    "CI_ENVIRONMENT_TIER": Lifetime("14.0"),
    "CI_PROJECT_DESCRIPTION": Lifetime("15.1"),
    "CI_JOB_NAME_SLUG": Lifetime("15.4"),
    "CI_PROJECT_NAMESPACE_ID": Lifetime("15.7"),
    "CI_API_GRAPHQL_URL": Lifetime("15.11"),
    "CI_PIPELINE_NAME": Lifetime("16.3"),
    "CI_MERGE_REQUEST_SQUASH_ON_MERGE": Lifetime("16.4"),
    "CI_MERGE_REQUEST_DESCRIPTION": Lifetime("16.7"),
    "CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED": Lifetime("16.8"),
    "CI_SERVER_FQDN": Lifetime("16.10"),
    **{
        f"CI_BUILD_{name}": Lifetime(until="16.0")
        for name in "BEFORE_SHA ID MANUAL NAME REF REF_NAME REF_SLUG STAGE TAG TOKEN TRIGGERED".split()
    },
    "CI_PROJECT_ROOT_NAMESPACE_SLUG": Lifetime("19.0"),
    "CI_DEFAULT_BRANCH_SLUG": Lifetime("<=19.3"),
    "CI_ENVIRONMENT_ID": Lifetime("<=19.3"),
    "CI_PROJECT_NAMESPACE_SLUG": Lifetime("<=19.3"),
}
"""The releases of the variables that not all releases have. Source: the pages of predefined variables, removals."""


def select(profile: Profile, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a release has."""
    return {key: value for key, value in variables.items() if profile.has(LIFETIMES.get(key, ALWAYS))}


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
    started = {"CI_JOB_STARTED_AT": f"{job.started_at[:19]}Z"} if job.started_at else {}
    return select(
        world.profile,
        {
            "CI_PIPELINE_ID": str(job.pipeline_id),
            "CI_PIPELINE_URL": f"{url}/-/pipelines/{job.pipeline_id}",
            "CI_JOB_ID": str(job.id),
            "CI_JOB_URL": f"{url}/-/jobs/{job.id}",
            "CI_BUILD_ID": str(job.id),
            **started,
        },
    )


def describe_created_job(world: World, job: Job) -> dict[str, str]:
    """Return the variables that say what a created job is, of the world's release."""
    is_triggered = world.pipelines[job.pipeline_id].trigger_id is not None
    return select(world.profile, describe_job(job, is_triggered=is_triggered))


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
    yield "CI_SERVER_PORT", str(url.port or _PORTS[url.scheme])
    yield "CI_SERVER_PROTOCOL", url.scheme
    yield "CI_SERVER_NAME", instance.product_name
    yield "CI_SERVER_VERSION", instance.version
    yield "CI_SERVER_VERSION_MAJOR", major
    yield "CI_SERVER_VERSION_MINOR", minor
    yield "CI_SERVER_VERSION_PATCH", patch
    yield "CI_SERVER_REVISION", instance.revision
    yield "CI_API_V4_URL", f"{origin}{PREFIX}"
    yield "CI_API_GRAPHQL_URL", f"{origin}/api/graphql"
    yield "CI_SERVER_FQDN", url.netloc
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
    if project.pages_access_level != "disabled":
        yield "CI_PAGES_DOMAIN", page_urls.pages_host(origin)
        yield "CI_PAGES_URL", page_urls.pages_url(world, project, origin)


def _list_pipeline_variables(world: World, project: Project, pipeline: Pipeline, origin: str) -> Pairs:
    yield "CI_PIPELINE_IID", str(pipeline.iid)
    yield "CI_PIPELINE_SOURCE", pipeline.source
    yield "CI_CONFIG_PATH", ci_files.ci_path(project)
    yield from _list_ref_variables(world, project, pipeline)
    yield from _list_commit_variables(_find_commit(world, project, pipeline.sha))
    if pipeline.merge_request_id is not None:
        yield from _list_merge_request_variables(world, world.merge_requests[pipeline.merge_request_id], origin)
    if freeze_periods.is_frozen(world, project, from_iso(pipeline.created_at)):
        yield "CI_DEPLOY_FREEZE", "true"
    if pipeline.name:
        yield "CI_PIPELINE_NAME", pipeline.name
    yield "CI_PIPELINE_CREATED_AT", f"{pipeline.created_at[:19]}Z"
    if world.profile.has(LIFETIMES["CI_OPEN_MERGE_REQUESTS"]):
        yield from _list_open_merge_requests(world, pipeline)


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


def _find_commit(world: World, project: Project, sha: str) -> "Commit | None":
    from fakeplat.git.errors import GitError

    try:
        # Also a commit that no branch has any more.
        return repositories.open_repository(world, project).objects.commit(sha)
    except GitError:
        # A pipeline of a scenario may have a commit that its repository does not.
        return None


def _list_commit_variables(commit: "Commit | None") -> Pairs:
    message = commit.message if commit else ""
    title, _, description = message.partition("\n")
    yield "CI_COMMIT_MESSAGE", message
    yield "CI_COMMIT_TITLE", title
    # A description of its own only below a short title, as commits show it.
    yield "CI_COMMIT_DESCRIPTION", message if len(title) >= 100 else description.removesuffix("\n")
    yield "CI_COMMIT_AUTHOR", f"{commit.author.name} <{commit.author.email}>" if commit else ""
    yield "CI_COMMIT_TIMESTAMP", _format_seconds(commit.committer.when) if commit else ""


def _format_seconds(when: int) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat()


def _list_merge_request_variables(world: World, merge_request: MergeRequest, origin: str) -> Pairs:
    # Pipelines for merged results are a paid feature; all others are detached, and do not name these two commits.
    yield "CI_MERGE_REQUEST_EVENT_TYPE", "detached"
    yield "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", ""
    yield "CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""
    target = world.projects[merge_request.project_id]
    yield "CI_MERGE_REQUEST_ID", str(merge_request.id)
    yield "CI_MERGE_REQUEST_IID", str(merge_request.iid)
    yield "CI_MERGE_REQUEST_REF_PATH", diff_versions.HEAD_REF.format(merge_request.iid)
    yield from _list_side("", world, target, origin)
    yield "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", merge_request.target_branch
    source = world.projects.get(merge_request.source_project_id or 0)
    if source is not None:
        yield from _list_side("SOURCE_", world, source, origin)
        yield "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", merge_request.source_branch
    yield "CI_MERGE_REQUEST_TITLE", merge_request.title
    description = merge_request.description or ""
    yield "CI_MERGE_REQUEST_DESCRIPTION", description[:_LONGEST_DESCRIPTION]
    yield "CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED", str(len(description) > _LONGEST_DESCRIPTION).lower()
    yield "CI_MERGE_REQUEST_SQUASH_ON_MERGE", str(bool(merge_request.squash)).lower()
    yield from _list_classification(world, merge_request)


def _list_side(side: str, world: World, project: Project, origin: str) -> Pairs:
    yield f"CI_MERGE_REQUEST_{side}PROJECT_ID", str(project.id)
    yield f"CI_MERGE_REQUEST_{side}PROJECT_PATH", namespaces.project_path(world, project)
    yield f"CI_MERGE_REQUEST_{side}PROJECT_URL", project_url(world, project, origin)


def _list_classification(world: World, merge_request: MergeRequest) -> Pairs:
    if merge_request.assignee_ids:
        assignees = [world.users[id_].username for id_ in merge_request.assignee_ids]
        yield "CI_MERGE_REQUEST_ASSIGNEES", join_words(assignees)
    if merge_request.milestone_id is not None:
        yield "CI_MERGE_REQUEST_MILESTONE", world.milestones[merge_request.milestone_id].title
    if merge_request.label_ids:
        titles = sorted(world.labels[id_].title for id_ in merge_request.label_ids)
        yield "CI_MERGE_REQUEST_LABELS", ",".join(titles)


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
