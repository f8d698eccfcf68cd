"""Deployments of pages: a successful job about pages deploys what its archive has, perhaps under a prefix of its own.

The files are not served. Source: docs/platform/pages.md.
"""

from typing import Final

from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import MINUTE, SECOND, from_iso, to_iso
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

_DELETE: Final = "delete_pages_deployment"
_CLEANUP_INTERVAL: Final = 10 * MINUTE
_SERVED_AFTER_NEXT: Final = 30 * MINUTE
"""So long the platform keeps a deployment after the next one, because its web server caches where pages are."""
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
    """Return the active deployments of a project, by id."""
    deployments = ctx.world.pages_deployments.where("project", project.id)
    return [deployment for deployment in deployments if find_deletion_time(ctx, deployment) is None]


def find_deletion_time(ctx: ReadContext, deployment: PagesDeployment) -> str | None:
    """Return when a deployment that is not active may be deleted; an expired one may be at once."""
    expires_at = deployment.expires_at
    has_expired = expires_at is not None and ctx.has_passed(from_iso(expires_at))
    return deployment.deleted_at or (expires_at if has_expired else None)


def add(ctx: WriteContext, project: Project, **fields: str | int | None) -> PagesDeployment:
    """Add a deployment."""
    table = ctx.world.pages_deployments
    created_at = fields.get("created_at", ctx.now_iso)
    values = {"created_at": created_at, "updated_at": created_at, **fields}
    deployment = table.add(PagesDeployment(table.next_id(), project.id, **values))  # type: ignore[arg-type]
    if deployment.deleted_at is not None:
        _schedule_deletion(ctx, deployment, deployment.deleted_at)
    return deployment


def deactivate(ctx: WriteContext, *deployments: PagesDeployment, served_for: int = 0) -> None:
    """End deployments, which are deleted some time later; until then they can be restored.

    ``served_for``: they are still served for some time (ms).
    """
    deleted_at = to_iso(ctx.now() + served_for)
    for deployment in deployments:
        ctx.cancel_tasks(_subject(deployment))
        ctx.world.pages_deployments.change(deployment, updated_at=ctx.now_iso, deleted_at=deleted_at)
        _schedule_deletion(ctx, deployment, deleted_at)


def restore(ctx: WriteContext, deployment: PagesDeployment) -> PagesDeployment:
    """Make a deployment active again."""
    ctx.cancel_tasks(_subject(deployment))
    return ctx.world.pages_deployments.change(deployment, updated_at=ctx.now_iso, deleted_at=None)


def _subject(deployment: PagesDeployment) -> Subject:
    return "pages_deployments", deployment.id


def _schedule_deletion(ctx: WriteContext, deployment: PagesDeployment, deleted_at: str) -> None:
    next_cleanup = (from_iso(deleted_at) // _CLEANUP_INTERVAL + 1) * _CLEANUP_INTERVAL
    ctx.schedule(_DELETE, _subject(deployment), next_cleanup, recurring=True)


@task_handler(_DELETE)
def _delete(ctx: WriteContext, task: ScheduledTask) -> None:
    purge(ctx, ctx.world.pages_deployments[task.subject[1]])


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
    file_count = _count_files(archive, folder or page_urls.FOLDER)
    error = _find_error(ctx, project, job, prefix) or (None if file_count else _NO_FOLDER)
    if error is None:
        outdated = [each for each in list_active(ctx, project) if each.path_prefix == prefix]
        deactivate(ctx, *outdated, served_for=_SERVED_AFTER_NEXT)
        add(
            ctx,
            project,
            job_id=job.id,
            path_prefix=prefix,
            root_directory=folder or None,
            expires_at=_build_expiry(ctx, options.get("expire_in"), prefix),
            file_count=file_count,
            size=archive.size,
        )
    return error


def _count_files(archive: JobArtifact, folder: str) -> int:
    start = f"{folder.strip('/')}/"
    return sum(entry.filename.startswith(start) for entry in artifact_files.list_entries(archive.content))


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
    """End the deployments with a prefix that pipelines of a closed or merged request made."""
    if merge_request.state not in ("closed", "merged"):
        return
    project = ctx.world.projects[merge_request.project_id]
    ended = [
        deployment
        for deployment in list_active(ctx, project)
        if deployment.path_prefix is not None and _belongs_to(ctx.world, deployment, merge_request)
    ]
    deactivate(ctx, *ended)


def _belongs_to(world: World, deployment: PagesDeployment, merge_request: MergeRequest) -> bool:
    pipeline = world.pipelines.get(_pipeline_of(world, deployment))
    return pipeline is not None and pipeline.merge_request_id == merge_request.id
