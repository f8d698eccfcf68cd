"""Views of protected environments."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.repository.protected import serialize_levels
from fakeplat.model.environments import ProtectedEnvironment
from fakeplat.policy.context import ReadContext


class ProtectedEnvironmentView(Entity[ProtectedEnvironment]):
    """A protected environment."""

    ctx: ReadContext

    name = attr()

    @computed
    def deploy_access_levels(self) -> list[dict[str, Any]]:
        return serialize_levels(self, self.record.deploy)
