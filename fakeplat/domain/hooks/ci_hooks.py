"""Webhooks about jobs, pipelines, deployments, feature flags, releases and wikis.

Source: docs/platform/webhooks.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from fakeplat.domain.hooks.triggers import Payload, execute
from fakeplat.model.deployments import Deployment, DeploymentStatus
from fakeplat.model.feature_flags import FeatureFlag
from fakeplat.model.jobs import Job
from fakeplat.model.pipelines import Pipeline, Status
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.domain.hooks.payloads.wiki_pages import WikiPageAction
    from fakeplat.domain.wikis.pages import WikiPage

_JOB_STATUSES: Final[tuple[Status, ...]] = ("created", "pending", "running", "success", "failed", "canceled")
_DEPLOYMENT_STATUSES: Final[tuple[DeploymentStatus, ...]] = ("running", "success", "failed", "canceled")


def execute_new_jobs(ctx: WriteContext, jobs: Sequence[Job]) -> None:
    """Send the events of new jobs."""
    for job in jobs:
        _execute_job(ctx, job)


def execute_job(ctx: WriteContext, _before: Job, job: Job) -> None:
    """Send the event of a new status of a job."""
    _execute_job(ctx, job)


def _execute_job(ctx: WriteContext, job: Job) -> None:
    if job.kind != "build" or job.status not in _JOB_STATUSES:
        return

    def build() -> Payload:
        from fakeplat.domain.hooks.payloads.ci import build_job_event

        return build_job_event(ctx, job)

    execute(ctx, ctx.world.projects[job.project_id], "job_hooks", build)


def execute_pipeline(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Send the event of a new status of a pipeline."""

    def build() -> Payload:
        from fakeplat.domain.hooks.payloads.ci import build_pipeline_event

        return build_pipeline_event(ctx, pipeline)

    execute(ctx, ctx.world.projects[pipeline.project_id], "pipeline_hooks", build)


def execute_deployment(ctx: WriteContext, deployment: Deployment) -> None:
    """Send the event of a new status of a deployment."""
    if deployment.status not in _DEPLOYMENT_STATUSES:
        return

    def build() -> Payload:
        from fakeplat.domain.hooks.payloads.deployments import build_deployment_event

        return build_deployment_event(ctx, deployment)

    execute(ctx, ctx.world.projects[deployment.project_id], "deployment_hooks", build)


def execute_feature_flag(ctx: WriteContext, flag: FeatureFlag) -> None:
    """Send the event of a feature flag that was switched on or off."""

    def build() -> Payload:
        from fakeplat.domain.hooks.payloads.deployments import build_feature_flag_event

        return build_feature_flag_event(ctx, flag, ctx.user)

    execute(ctx, ctx.world.projects[flag.project_id], "feature_flag_hooks", build)


def execute_new_release(ctx: WriteContext, release: Release) -> None:
    """Send the event of a new release."""
    _execute_release(ctx, release, "create")


def execute_updated_release(ctx: WriteContext, _before: Release, after: Release) -> None:
    """Send the event of a changed release."""
    _execute_release(ctx, after, "update")


def _execute_release(ctx: WriteContext, release: Release, action: Literal["create", "update"]) -> None:
    def build() -> Payload:
        from fakeplat.domain.hooks.payloads.deployments import build_release_event

        return build_release_event(ctx, release, action)

    execute(ctx, ctx.world.projects[release.project_id], "release_hooks", build)


def execute_wiki_page_event(ctx: WriteContext, project: Project, page: "WikiPage", action: "WikiPageAction") -> None:
    """Send the event of a page of a project's wiki that the caller created, changed or deleted."""

    def build() -> Payload:
        from fakeplat.domain.hooks.payloads.wiki_pages import build_wiki_page_event

        return build_wiki_page_event(ctx, project, page, action, ctx.user)

    execute(ctx, project, "wiki_page_hooks", build)
