"""The view of approval settings. Source: docs/platform/merge-requests.md ('Approval settings')."""

from fakeplat.core.operations.entity import Entity, computed
from fakeplat.domain.merge_requests import approval_settings
from fakeplat.domain.merge_requests.approval_settings import Name
from fakeplat.model.projects import Container
from fakeplat.policy.context import ReadContext

Setting = dict[str, bool | str | None]


class ApprovalSettingView(Entity[Container]):
    """The approval settings of a project or group, each with whether and by whom it is locked."""

    ctx: ReadContext
    # Projects and groups have the same ids.
    cached_by_id = False

    @computed
    def allow_author_approval(self) -> Setting:
        return self._show("allow_author_approval")

    @computed
    def allow_committer_approval(self) -> Setting:
        return self._show("allow_committer_approval")

    @computed
    def allow_overrides_to_approver_list_per_merge_request(self) -> Setting:
        return self._show("allow_overrides_to_approver_list_per_merge_request")

    @computed
    def retain_approvals_on_push(self) -> Setting:
        return self._show("retain_approvals_on_push")

    @computed
    def selective_code_owner_removals(self) -> Setting:
        return {**self._show("selective_code_owner_removals"), "locked": None}

    @computed
    def require_password_to_approve(self) -> Setting:
        return self._show("require_password_to_approve")

    @computed
    def require_reauthentication_to_approve(self) -> Setting:
        return self._show("require_password_to_approve")

    def _show(self, name: Name) -> Setting:
        resolved = approval_settings.resolve(self.ctx.world, self.record, name)
        return {
            "value": resolved.value,
            "locked": resolved.decided_by is not None,
            "inherited_from": resolved.decided_by,
        }
