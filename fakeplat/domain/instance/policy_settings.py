"""The group that manages the security policies of the instance (paid). Source: docs/platform/settings.md."""

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.model.instance import PolicySetting
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def get_setting(world: World) -> PolicySetting:
    """Return the setting; one without a group before anybody chose one."""
    return next(iter(world.policy_settings.all()), PolicySetting(0))


def set_group(ctx: WriteContext, csp_namespace_id: int | None) -> PolicySetting:
    """Choose a top-level group, or none."""
    table, stored = ctx.world.policy_settings, get_setting(ctx.world)
    if csp_namespace_id is not None:
        _check_group(ctx.world, csp_namespace_id)
    if stored.id:
        return table.change(stored, csp_namespace_id=csp_namespace_id)
    return table.add(PolicySetting(table.next_id(), csp_namespace_id))


def _check_group(world: World, group_id: int) -> None:
    group = world.namespaces.get(group_id)
    if not isinstance(group, Group):
        raise Unprocessable("CSP namespace must be a group", reason=f"there is no group {group_id}")
    if group.parent_id is not None:
        raise Unprocessable("CSP namespace must be a top level Group", reason=f"group {group_id} has a parent")
