"""Views of external status checks and of rules that protect packages."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.repository.protected import ProtectedBranchView
from fakeplat.model.merge_requests import ExternalStatusCheck
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.policy.context import ReadContext


class ExternalStatusCheckView(Entity[ExternalStatusCheck]):
    """An external status check."""

    ctx: ReadContext

    id = attr()
    name = attr()
    project_id = attr()
    external_url = attr()
    hmac = attr()

    @computed
    def protected_branches(self) -> list[ProtectedBranchView]:
        branches = (self.ctx.world.protected_branches[id_] for id_ in self.record.protected_branch_ids)
        return [self.ctx.render(ProtectedBranchView, branch) for branch in branches]


class PackageProtectionRuleView(Entity[PackageProtectionRule]):
    """A rule that protects packages."""

    id = attr()
    project_id = attr()
    package_name_pattern = attr()
    package_type = attr()
    minimum_access_level_for_delete = attr()
    minimum_access_level_for_push = attr()
