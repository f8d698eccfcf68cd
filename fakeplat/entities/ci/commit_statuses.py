"""Views of statuses of commits. Source: docs/platform/pipelines-jobs.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.ci import Job
from fakeplat.policy.context import ReadContext


class CommitStatusView(Entity[Job]):
    """A status of a commit: a job, or what another system reported."""

    ctx: ReadContext

    id = attr()

    @computed
    def sha(self) -> str:
        return self.ctx.world.pipelines[self.record.pipeline_id].sha

    ref = attr()
    status = attr()
    name = attr()
    target_url = attr()
    description = attr()
    created_at = attr()
    started_at = attr()
    finished_at = attr()
    allow_failure = attr()
    coverage = attr()
    pipeline_id = attr(since="<=16.4")

    @computed
    def author(self) -> UserBasic | None:
        id_ = self.record.user_id
        author: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ else None)
        return author
