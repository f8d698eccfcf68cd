"""Jobs, and the resource groups that they wait for.

Source: docs/platform/pipelines-jobs.md, docs/platform/deployments.md.
"""

from typing import Any, TypedDict

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.ci import ci_access, detailed_statuses, job_artifacts, jobs
from fakeplat.domain.repository import commits
from fakeplat.entities import urls
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.ci.runners import RunnerManagerView, RunnerView
from fakeplat.entities.people.users import UserPublic
from fakeplat.entities.projects.projects import ProjectIdentity
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.ci import FileFormat, Job, JobArtifact, Pipeline, ResourceGroup
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling


class ArtifactSummary(TypedDict):
    """A file that a job left."""

    file_type: str
    size: int
    filename: str
    file_format: FileFormat | None


class ArtifactsFile(TypedDict):
    """The archive of a job."""

    filename: str
    size: int


class JobBasic(Entity[Job]):
    """What all jobs of pipelines show."""

    ctx: ReadContext

    id = attr()
    status = attr()
    stage = attr()
    name = attr()
    ref = attr()
    tag = attr()
    coverage = attr()
    allow_failure = attr()
    created_at = attr()
    started_at = attr()
    finished_at = attr()
    erased_at = attr(since="15.11")

    @computed
    def duration(self) -> float | None:
        """The seconds from the start to the end or, while the job is running, to now."""
        return jobs.measure_run(self.record, self.ctx.moving_now)

    @computed_if(since="13.9")
    def queued_duration(self) -> float | None:
        """The seconds that the job waited for a runner or, while it is waiting, until now."""
        return jobs.measure_wait(self.record, self.ctx.moving_now)

    @computed
    def user(self) -> UserPublic | None:
        id_ = self.record.user_id
        user: UserPublic | None = self.ctx.render(
            UserPublic, self.ctx.world.users.get(id_) if id_ is not None else None
        )
        return user

    @computed
    def commit(self) -> CommitBasic | None:
        world = self.ctx.world
        commit = commits.find_commit(world, world.projects[self.record.project_id], self._pipeline.sha)
        view: CommitBasic | None = self.ctx.render(CommitBasic, commit)
        return view

    @computed
    def pipeline(self) -> PipelineBasic:
        view: PipelineBasic = self.ctx.render(PipelineBasic, self._pipeline)
        return view

    failure_reason = attr(since="13.8", when=lambda view: view.record.status == "failed")

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}{detailed_statuses.job_path(self.ctx.world, self.record)}"

    @computed_if(since="<=14.6")
    def project(self) -> Any:
        project = self.ctx.world.projects[self.record.project_id]
        return {"ci_job_token_scope_enabled": project.job_token_scope_enabled}

    @property
    def _pipeline(self) -> Pipeline:
        return self.ctx.world.pipelines[self.record.pipeline_id]


class JobWithProject(JobBasic):
    """A job in the list of a runner, with its project."""

    @computed
    def project(self) -> ProjectIdentity:
        project: ProjectIdentity = self.ctx.render(ProjectIdentity, self.ctx.world.projects[self.record.project_id])
        return project


class JobView(JobBasic):
    """A job that runs commands, with its artifacts and its runner."""

    @computed_if(when=lambda view: view.archive is not None)
    def artifacts_file(self) -> ArtifactsFile | None:
        archive = self.archive
        return None if archive is None else {"filename": archive.filename, "size": archive.size}

    @computed
    def artifacts(self) -> list[ArtifactSummary]:
        """The files that the job has kept, and its log once the job is completed."""
        return [
            {"file_type": row.file_type, "size": row.size, "filename": row.filename, "file_format": row.file_format}
            for row in job_artifacts.list_of(self.ctx, self.record)
        ]

    @computed
    def runner(self) -> RunnerView | None:
        id_ = self.record.runner_id
        runner: RunnerView | None = self.ctx.render(
            RunnerView, self.ctx.world.runners.get(id_) if id_ is not None else None
        )
        return runner

    @computed_if(since="<=18.9")
    def runner_manager(self) -> RunnerManagerView | None:
        manager = self.ctx.world.runner_managers.get(self.record.runner_manager_id or 0)
        shown: RunnerManagerView | None = self.ctx.render(RunnerManagerView, manager)
        return shown

    @computed
    def artifacts_expire_at(self) -> str | None:
        return job_artifacts.expire_at(self.ctx.world, self.record)

    @computed_if(since="18.5")
    def archived(self) -> bool:
        return ci_access.is_job_archived(self.ctx, self.record)

    @computed_if(since="13.10")
    def tag_list(self) -> list[str]:
        return sorted(self.record.tags)

    @property
    def archive(self) -> JobArtifact | None:
        """The archive, unless it has expired."""
        return job_artifacts.find(self.ctx, self.record)


class KeptJobView(JobView):
    """A job whose artifacts are kept, with the field that only this response has (ruling 13)."""

    @computed_if(when=lambda view: Ruling.OBSOLETE_FIELDS_ARE_SHOWN.holds(view.ctx.world))
    def download_url(self) -> str | None:
        job = self.record
        path = f"projects/{job.project_id}/jobs/{job.id}/artifacts"
        return None if self.archive is None else urls.api_url(self.ctx, path)


class BridgeView(JobBasic):
    """A job that triggers another pipeline."""

    @computed
    def downstream_pipeline(self) -> PipelineBasic | None:
        id_ = self.record.downstream_pipeline_id
        pipeline = self.ctx.world.pipelines.get(id_) if id_ is not None else None
        view: PipelineBasic | None = self.ctx.render(PipelineBasic, pipeline)
        return view


class ResourceGroupView(Entity[ResourceGroup]):
    """A resource group."""

    id = attr()
    key = attr()
    process_mode = attr()
    created_at = attr()
    updated_at = attr()
