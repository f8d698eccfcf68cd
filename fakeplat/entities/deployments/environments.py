"""What guards environments: protection and freeze periods."""

from typing import Any, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.repository import access_levels, protection
from fakeplat.entities.repository.protected import describe_grantee, serialize_levels
from fakeplat.model.deployments import FreezePeriod, GroupProtectedEnvironment, ProtectedEnvironment
from fakeplat.policy.behaviours import GROUPS_INHERIT_DEPLOYERS
from fakeplat.policy.context import ReadContext

E = TypeVar("E", ProtectedEnvironment, GroupProtectedEnvironment)


class _ProtectionView(Entity[E]):
    """What a project and a group show of a protected environment."""

    ctx: ReadContext

    name = attr()

    @computed
    def deploy_access_levels(self) -> list[dict[str, Any]]:
        rows = serialize_levels(self, self.record.deploy)
        if not self.ctx.profile.has(GROUPS_INHERIT_DEPLOYERS):
            return rows
        levels = access_levels.with_ids(self.record, self.record.deploy)
        return [{**row, "group_inheritance_type": levels[row["id"]].group_inheritance_type} for row in rows]

    required_approval_count = attr(since="14.7")

    @computed_if(since="14.10")
    def approval_rules(self) -> list[dict[str, Any]]:
        is_shown = self.ctx.profile.has(GROUPS_INHERIT_DEPLOYERS)
        return [
            {
                "id": id_,
                "user_id": rule.user_id,
                "group_id": rule.group_id,
                "access_level": rule.level,
                "access_level_description": describe_grantee(self.ctx, rule),
                "required_approvals": rule.required_approvals,
                **({"group_inheritance_type": rule.group_inheritance_type} if is_shown else {}),
            }
            for id_, rule in access_levels.with_ids(self.record, self.record.approval_rules).items()
            if protection.is_grantee_present(self.ctx.world, rule)
        ]


class ProtectedEnvironmentView(_ProtectionView[ProtectedEnvironment]):
    """A protected environment."""


class GroupProtectedEnvironmentView(_ProtectionView[GroupProtectedEnvironment]):
    """A tier of environments that a group protects."""


class FreezePeriodView(Entity[FreezePeriod]):
    """A freeze period."""

    id = attr()
    freeze_start = attr()
    freeze_end = attr()
    cron_timezone = attr()
    created_at = attr()
    updated_at = attr()
