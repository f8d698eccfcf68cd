"""Views of external status checks and of rules that protect packages."""

from fakeplat.core.operations.entity import Entity, attr, computed, nested
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.projects import status_checks
from fakeplat.entities.merge_requests.merge_requests import MergeRequestView
from fakeplat.entities.repository.protected import ProtectedBranchView
from fakeplat.model.merge_requests import ExternalStatusCheck, MergeRequest, StatusCheckResponse
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import CHECKS_HIDE_URLS
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


@frozen
class CheckOfMergeRequest:
    """A status check, and the merge request that it judges."""

    check: ExternalStatusCheck
    merge_request: MergeRequest


class StatusCheckView(Entity[CheckOfMergeRequest]):
    """A status check of a merge request, and what it said of its head."""

    ctx: ReadContext
    cached_by_id = False

    id = nested("check.id", int)
    name = nested("check.name", str)

    @computed
    def external_url(self) -> str:
        url = self.record.check.external_url
        if not self.ctx.profile.has(CHECKS_HIDE_URLS):
            return url
        project = self.ctx.world.projects[self.record.check.project_id]
        # Tokens in the query stay secret, and whoever may not change merge requests sees no address.
        return url.partition("?")[0] if can(self.ctx, Ability.UPDATE_MERGE_REQUEST, project) else ""

    @computed
    def status(self) -> str:
        return status_checks.read_status(self.ctx.world, self.record.merge_request, self.record.check)


class StatusCheckResponseView(Entity[StatusCheckResponse]):
    """What an external service said of a merge request."""

    ctx: ReadContext

    id = attr()

    @computed
    def merge_request(self) -> MergeRequestView:
        merge_request = self.ctx.world.merge_requests[self.record.merge_request_id]
        view: MergeRequestView = self.ctx.render(MergeRequestView, merge_request)
        return view

    @computed
    def external_status_check(self) -> ExternalStatusCheckView:
        check = self.ctx.world.external_status_checks[self.record.external_status_check_id]
        view: ExternalStatusCheckView = self.ctx.render(ExternalStatusCheckView, check)
        return view


class PackageProtectionRuleView(Entity[PackageProtectionRule]):
    """A rule that protects packages."""

    id = attr()
    project_id = attr()
    package_name_pattern = attr()
    package_type = attr()
    minimum_access_level_for_delete = attr()
    minimum_access_level_for_push = attr()
