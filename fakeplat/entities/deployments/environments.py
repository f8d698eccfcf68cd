"""What guards environments: protection and freeze periods."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.repository.protected import serialize_levels
from fakeplat.model.deployments import FreezePeriod, ProtectedEnvironment
from fakeplat.policy.context import ReadContext


class ProtectedEnvironmentView(Entity[ProtectedEnvironment]):
    """A protected environment."""

    ctx: ReadContext

    name = attr()

    @computed
    def deploy_access_levels(self) -> list[dict[str, Any]]:
        return serialize_levels(self, self.record.deploy)


class FreezePeriodView(Entity[FreezePeriod]):
    """A freeze period."""

    id = attr()
    freeze_start = attr()
    freeze_end = attr()
    cron_timezone = attr()
    created_at = attr()
    updated_at = attr()
