"""The view of merge trains. Source: docs/platform/merge-trains.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.merge_requests.merge_requests import MergeRequestSimple
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.merge_requests import MergeTrain
from fakeplat.policy.context import ReadContext


class MergeTrainView(Entity[MergeTrain]):
    """A merge request on a merge train."""

    ctx: ReadContext

    id = attr()

    @computed
    def merge_request(self) -> MergeRequestSimple | None:
        merge_request = self.ctx.world.merge_requests[self.record.merge_request_id]
        view: MergeRequestSimple | None = self.ctx.render(MergeRequestSimple, merge_request)
        return view

    @computed
    def user(self) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return user

    @computed
    def pipeline(self) -> PipelineBasic | None:
        pipeline = self.ctx.world.pipelines.get(self.record.pipeline_id or 0)
        view: PipelineBasic | None = self.ctx.render(PipelineBasic, pipeline)
        return view

    created_at = attr()
    updated_at = attr()

    @computed
    def target_branch(self) -> str:
        return self.ctx.world.merge_requests[self.record.merge_request_id].target_branch

    status = attr()
    merged_at = attr()
    duration = attr()
