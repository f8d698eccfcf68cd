"""The view of merge requests that block others. Source: docs/platform/merge-requests.md ('Blocks')."""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.notes import noteables
from fakeplat.entities.merge_requests.merge_requests import MergeRequestBasic
from fakeplat.model.merge_requests import MergeRequest, MergeRequestBlock
from fakeplat.policy.context import ReadContext


class MergeRequestBlockView(Entity[MergeRequestBlock]):
    """A block. A merge request that is hidden from the caller is left out."""

    ctx: ReadContext

    id = attr()

    @computed_if(when=lambda view: view.is_visible(view.record.blocking_id))
    def blocking_merge_request(self) -> MergeRequestBasic:
        return self._render(self.record.blocking_id)

    @computed_if(when=lambda view: view.is_visible(view.record.blocked_id))
    def blocked_merge_request(self) -> MergeRequestBasic:
        return self._render(self.record.blocked_id)

    @computed
    def project_id(self) -> int:
        return self.ctx.world.merge_requests[self.record.blocked_id].project_id

    def is_visible(self, id_: int) -> bool:
        """Return whether the caller can see one of the two merge requests."""
        return noteables.is_visible(self.ctx, self._get(id_))

    def _render(self, id_: int) -> MergeRequestBasic:
        view: MergeRequestBasic = self.ctx.render(MergeRequestBasic, self._get(id_))
        return view

    def _get(self, id_: int) -> MergeRequest:
        return self.ctx.world.merge_requests[id_]
