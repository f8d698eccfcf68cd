"""Views of the instance's licences. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Mapping

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.instance import licenses
from fakeplat.domain.people import users
from fakeplat.model.instance import InstanceLicense
from fakeplat.policy.context import ReadContext


class InstanceLicenseView(Entity[InstanceLicense]):
    """A licence. No history of users is kept: the greatest number of them is the present one."""

    ctx: ReadContext

    id = attr()

    @computed
    def plan(self) -> str:
        return licenses.plan_of(self.ctx, self.record)

    created_at = attr()
    starts_at = attr()
    expires_at = attr()

    @computed
    def historical_max(self) -> int:
        return users.count_active(self.ctx.world)

    @computed
    def maximum_user_count(self) -> int:
        return users.count_active(self.ctx.world)

    @computed
    def licensee(self) -> Mapping[str, str]:
        return dict(self.record.licensee)

    @computed
    def add_ons(self) -> Mapping[str, int]:
        return dict(self.record.add_ons)

    @computed
    def expired(self) -> bool:
        return licenses.is_expired(self.ctx, self.record)

    @computed
    def overage(self) -> int:
        limit = self.record.user_limit
        return max(0, users.count_active(self.ctx.world) - limit) if limit else 0

    user_limit = attr()


class LicenseWithActiveUsers(InstanceLicenseView):
    """The licence that counts, with the number of users that it is for."""

    @computed
    def active_users(self) -> int:
        return users.count_active(self.ctx.world)
