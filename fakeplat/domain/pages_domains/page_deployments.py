"""Deployments of pages: a successful job about pages deploys what its archive has, perhaps under a prefix of its own.

The files are not served. Source: docs/platform/pages.md.
"""

from typing import Final

from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.ci import artifact_files, job_artifacts, job_transitions, jobs
from fakeplat.domain.ci.job_variables import expand_variables
from fakeplat.domain.pages_domains import page_urls
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.model.ci import Job, JobArtifact
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pages_domains import PagesDeployment
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import PAGES_ARE_DEPLOYED
from fakeplat.policy.context import ReadContext, WriteContext

_STATUS: Final = "pages:deploy"
_STAGE: Final = "deploy"
_EXTERNAL_STAGE: Final = 1_000_000
_MOST_EXTRA_DEPLOYMENTS: Final = 1_000
_NO_FOLDER: Final = (
    "Error: You need to either include a `public/` folder in your artifacts, or specify which one to use for Pages "
    "using `publish` in `.gitlab-ci.yml`"
)
_OUTDATED: Final = "build SHA is outdated for this ref"


def list_active(ctx: ReadContext, project: Project) -> list[PagesDeployment]:
    """Return the deployments of a project that have not expired, by id."""
    deployments = ctx.world.pages_deployments.where("project", project.id)
    return [deployment for deployment in deployments if not _has_expired(ctx, deployment)]


def _has_expired(ctx: ReadContext, deployment: PagesDeployment) -> bool:
    return deployment.expires_at is not None and ctx.has_passed(from_iso(deployment.expires_at))


def add(ctx: WriteContext, project: Project, **fields: str | int | None) -> PagesDeployment:
    """Add a deployment, in place of those with the same prefix."""
    table = ctx.world.pages_deployments
    values = {"created_at": ctx.now_iso, **fields}
    deployment = PagesDeployment(table.next_id(), project.id, **values)  # type: ignore[arg-type]
    same = [each for each in table.where("project", project.id) if each.path_prefix == deployment.path_prefix]
    purge(ctx, *same)
    return table.add(deployment)


def follow_job(ctx: WriteContext, _before: Job, job: Job) -> None:
    """Deploy the pages of a job that has succeeded, and report that as a status of its own."""
    if job.status != "success" or page_urls.find_options(job) is None or not ctx.profile.has(PAGES_ARE_DEPLOYED):
        return
    project = ctx.world.projects[job.project_id]
    archive = job_artifacts.find(ctx, job)
    if archive is not None and project.pages_access_level != "disabled":
        _report(ctx, job, _deploy(ctx, project, job, archive))


def _deploy(ctx: WriteContext, project: Project, job: Job, archive: JobArtifact) -> str | None:
    """Deploy the pages of a job; return what is wrong with them, if anything is."""
    options = page_urls.find_options(job) or {}
    prefix = page_urls.slugify_prefix(expand_variables(ctx, job, str(options.get("path_prefix") or "")))
    folder = expand_variables(ctx, job, str(options.get("publish") or ""))
    error = _find_error(ctx, project, job, prefix) or _find_missing_folder(archive, folder or page_urls.FOLDER)
    if error is None:
        expires_at = _build_expiry(ctx, options.get("expire_in"), prefix)
        add(ctx, project, job_id=job.id, path_prefix=prefix, root_directory=folder or None, expires_at=expires_at)
    return error


def _find_missing_folder(archive: JobArtifact, folder: str) -> str | None:
    start = f"{folder.strip('/')}/"
    has_files = any(entry.filename.startswith(start) for entry in artifact_files.list_entries(archive.content))
    return None if has_files else _NO_FOLDER


def _find_error(ctx: WriteContext, project: Project, job: Job, prefix: str | None) -> str | None:
    active = list_active(ctx, project)
    newer = [each for each in active if each.path_prefix == prefix and _pipeline_of(ctx.world, each) > job.pipeline_id]
    if newer:
        return _OUTDATED
    if prefix is None or _count_extra(ctx, project) < _MOST_EXTRA_DEPLOYMENTS:
        return None
    link = f"{ctx.origin}/help/user/project/pages/parallel_deployments.md#limits"
    return f"Namespace reached its allowed limit of {_MOST_EXTRA_DEPLOYMENTS} extra deployments. Learn more: {link}"


def _pipeline_of(world: World, deployment: PagesDeployment) -> int:
    job = world.jobs.get(deployment.job_id or 0)
    return job.pipeline_id if job else 0


def _count_extra(ctx: WriteContext, project: Project) -> int:
    """Count the deployments with a prefix: of a project with a domain of its own, else of all below its root."""
    projects = [project]
    if not project.pages_unique_domain_enabled:
        root = namespaces.root_of(ctx.world, ctx.world.namespaces[project.namespace_id])
        shared = (each for each in ctx.world.projects.all() if not each.pages_unique_domain_enabled)
        projects = [
            each
            for each in shared
            if namespaces.root_of(ctx.world, ctx.world.namespaces[each.namespace_id]).id == root.id
        ]
    return sum(deployment.path_prefix is not None for each in projects for deployment in list_active(ctx, each))


def _build_expiry(ctx: WriteContext, expire_in: object, prefix: str | None) -> str | None:
    """Return when a deployment ends: after its own time, else after that of the settings if it has a prefix."""
    if expire_in:
        return job_artifacts.expiry_of(ctx, job_artifacts.parse_expiry(str(expire_in)))
    seconds = ctx.world.settings.pages_extra_deployments_default_expiry_seconds if prefix is not None else 0
    return to_iso(ctx.now() + seconds * SECOND) if seconds else None


def _report(ctx: WriteContext, job: Job, error: str | None) -> None:
    """Add the status of the deployment to the pipeline, in the stage ``deploy``."""
    table, now = ctx.world.jobs, ctx.now_iso
    stages = {each.stage: each.stage_index for each in jobs.get_latest(ctx.world, job.pipeline_id)}
    status = table.add(
        Job(
            id=table.next_id(),
            kind="external",
            pipeline_id=job.pipeline_id,
            project_id=job.project_id,
            name=_STATUS,
            ref=job.ref,
            tag=job.tag,
            stage=_STAGE,
            stage_index=stages.get(_STAGE, _EXTERNAL_STAGE),
            user_id=job.user_id,
            description=error,
            created_at=now,
            updated_at=now,
        )
    )
    jobs.mark_others_as_retried(ctx, status)
    status = job_transitions.fire(ctx, status, "enqueue")
    status = job_transitions.fire(ctx, status, "run")
    if error is None:
        job_transitions.fire(ctx, status, "success")
    else:
        job_transitions.fire(ctx, status, "drop", failure_reason="script_failure")


def end_with_merge_request(
    ctx: WriteContext, _before: MergeRequest, merge_request: MergeRequest, _user: User | None
) -> None:
    """Remove the deployments with a prefix that pipelines of a closed or merged request made."""
    if merge_request.state not in ("closed", "merged"):
        return
    project = ctx.world.projects[merge_request.project_id]
    ended = [
        deployment
        for deployment in ctx.world.pages_deployments.where("project", project.id)
        if deployment.path_prefix is not None and _belongs_to(ctx.world, deployment, merge_request)
    ]
    purge(ctx, *ended)


def _belongs_to(world: World, deployment: PagesDeployment, merge_request: MergeRequest) -> bool:
    pipeline = world.pipelines.get(_pipeline_of(world, deployment))
    return pipeline is not None and pipeline.merge_request_id == merge_request.id
