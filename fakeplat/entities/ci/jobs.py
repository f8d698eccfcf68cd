"""Views of jobs. Source: docs/platform/pipelines-jobs.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.repository import commits
from fakeplat.entities import urls
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.people.users import UserPublic
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.jobs import Job
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext


class JobBasic(Entity[Job]):
    """A job in a list, or as part of another record."""

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

    @computed
    def duration(self) -> float | None:
        started, finished = self.record.started_at, self.record.finished_at
        if started is None:
            return None
        return ((from_iso(finished) if finished else self.ctx.now()) - from_iso(started)) / SECOND

    @computed
    def user(self) -> UserPublic | None:
        id_ = self.record.user_id
        user: UserPublic | None = self.ctx.render(UserPublic, self.ctx.world.users.get(id_) if id_ else None)
        return user

    @computed
    def commit(self) -> CommitBasic | None:
        sha = self.ctx.world.pipelines[self.record.pipeline_id].sha
        commit: CommitBasic | None = self.ctx.render(
            CommitBasic, commits.find_commit(self.ctx.world, self._project, sha)
        )
        return commit

    @computed
    def pipeline(self) -> PipelineBasic:
        pipeline: PipelineBasic = self.ctx.render(PipelineBasic, self.ctx.world.pipelines[self.record.pipeline_id])
        return pipeline

    @computed
    def web_url(self) -> str:
        return f"{urls.project_url(self.ctx, self._project)}/-/jobs/{self.record.id}"

    @property
    def _project(self) -> Project:
        return self.ctx.world.projects[self.record.project_id]


class JobView(JobBasic):
    """A single job."""
