"""Whose customers a group uses, and who may see and change them. Source: docs/platform/customer-relations.md."""

from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, can, decide
from fakeplat.policy.behaviours import CUSTOMERS_ARE_ENABLED, CUSTOMERS_BELONG_TO_TOP_LEVEL_GROUPS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe


def is_enabled(world: World, group: Namespace) -> bool:
    """Return whether a group has customers: what it says, or else the default of the release."""
    if not isinstance(group, Group):
        return False
    return world.profile.has(CUSTOMERS_ARE_ENABLED) if group.crm_enabled is None else group.crm_enabled


def can_have_customers(world: World, group: Namespace) -> bool:
    """Return whether customers can be added to a group; later on only to top-level groups."""
    is_possible = group.parent_id is None or not world.profile.has(CUSTOMERS_BELONG_TO_TOP_LEVEL_GROUPS)
    return isinstance(group, Group) and is_possible


def find_source(world: World, container: Project | Namespace) -> Group | None:
    """Return the group whose customers a project or group uses: the top-level one, before 14.8 its own."""
    group = world.namespaces[container.namespace_id] if isinstance(container, Project) else container
    if world.profile.has(CUSTOMERS_BELONG_TO_TOP_LEVEL_GROUPS):
        group = namespaces.root_of(world, group)
    return group if isinstance(group, Group) else None


def decide_in(ctx: ReadContext, ability: Ability, group: Group) -> Decision:
    """Decide on an ability for the customers of a group, which nobody has while the group has none."""
    if not is_enabled(ctx.world, group):
        return Decision(False, lambda: f"{ability.value}: {describe(ctx.world, group)} has no customer relations")
    return decide(ctx, ability, group)


def may(ctx: ReadContext, ability: Ability, group: Group) -> bool:
    """Return whether the caller has an ability for the customers of a group."""
    return decide_in(ctx, ability, group).allowed


def sets_contacts_of(ctx: ReadContext, project: Project) -> bool:
    """Return whether the caller decides on the contacts of a project's issues."""
    source = find_source(ctx.world, project)
    if source is None or not is_enabled(ctx.world, ctx.world.namespaces[project.namespace_id]):
        return False
    return may(ctx, Ability.READ_CRM_CONTACT, source) and can(ctx, Ability.ADMIN_ISSUE, project)
