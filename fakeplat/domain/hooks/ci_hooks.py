"""Webhooks about jobs, pipelines, deployments, feature flags, releases and wikis.

Source: docs/platform/webhooks.md.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from fakeplat.domain.hooks import events
from fakeplat.domain.hooks.triggers import execute
from fakeplat.model.ci import Job, Pipeline, Status
from fakeplat.model.deployments import Deployment, DeploymentStatus, FeatureFlag
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.policy.behaviours import DELETED_RELEASES_ARE_TOLD_OF
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.domain.hooks.payloads.deployments import ReleaseAction
    from fakeplat.domain.hooks.payloads.wiki_pages import WikiPageAction
    from fakeplat.domain.wikis.pages import WikiPage
    from fakeplat.model.activity import Action as EventAction

_JOB_STATUSES: Final[tuple[Status, ...]] = ("created", "pending", "running", "success", "failed", "canceled")
_WIKI_PAGE_ACTIONS: Final[Mapping[str, "WikiPageAction"]] = {
    "created": "create",
    "updated": "update",
    "destroyed": "delete",
}
_DEPLOYMENT_STATUSES: Final[tuple[DeploymentStatus, ...]] = ("running", "success", "failed", "canceled")


def execute_new_jobs(ctx: WriteContext, jobs: Sequence[Job]) -> None:
    """Send the events of new jobs."""
    for job in jobs:
        _execute_job(ctx, job)


def execute_job(ctx: WriteContext, _before: Job, job: Job) -> None:
    """Send the event of a new status of a job."""
    _execute_job(ctx, job)


def _execute_job(ctx: WriteContext, job: Job) -> None:
    if job.kind == "build" and job.status in _JOB_STATUSES:
        execute(ctx, ctx.world.projects[job.project_id], events.JOB, job)


def execute_pipeline(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Send the event of a new status of a pipeline."""
    execute(ctx, ctx.world.projects[pipeline.project_id], events.PIPELINE, pipeline)


def execute_deployment(ctx: WriteContext, deployment: Deployment) -> None:
    """Send the event of a new status of a deployment."""
    if deployment.status in _DEPLOYMENT_STATUSES:
        execute(ctx, ctx.world.projects[deployment.project_id], events.DEPLOYMENT, deployment)


def execute_feature_flag(ctx: WriteContext, flag: FeatureFlag) -> None:
    """Send the event of a feature flag that was switched on or off."""
    execute(ctx, ctx.world.projects[flag.project_id], events.FEATURE_FLAG, flag, ctx.user)


def execute_new_release(ctx: WriteContext, release: Release) -> None:
    """Send the event of a new release."""
    _execute_release(ctx, release, "create")


def execute_updated_release(ctx: WriteContext, _before: Release, after: Release) -> None:
    """Send the event of a changed release."""
    _execute_release(ctx, after, "update")


def execute_deleted_release(ctx: WriteContext, release: Release) -> None:
    """Send the event of a release that is deleted."""
    if ctx.profile.has(DELETED_RELEASES_ARE_TOLD_OF):
        _execute_release(ctx, release, "delete")


def _execute_release(ctx: WriteContext, release: Release, action: "ReleaseAction") -> None:
    execute(ctx, ctx.world.projects[release.project_id], events.RELEASE, release, action)


def execute_wiki_page(
    ctx: WriteContext, container: Project | Group, action: "EventAction", page: "WikiPage", _old_slug: str
) -> None:
    """Send the event of a page of a project's wiki that the caller created, changed or deleted; groups have none."""
    if isinstance(container, Project):
        execute(ctx, container, events.WIKI_PAGE, container, page, _WIKI_PAGE_ACTIONS[action], ctx.user)
