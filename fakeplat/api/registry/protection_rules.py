"""Rules that protect image repositories. Source: docs/platform/registry.md."""

from collections.abc import Sequence
from typing import Final, Literal

from fakeplat.api.packages.protection_rules import read_changes
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import protection_rules
from fakeplat.entities.registry import ContainerProtectionRuleView
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerProtectionRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Container registry", login=Login.ALWAYS)
RULES: Final = "registry/protection/repository/rules"
RULE: Final = f"{RULES}/:protection_rule_id"
_SINCE: Final = "17.8"


@area.operation(
    "GET",
    RULES,
    scope=PROJECT,
    ability=Ability.ADMIN_CONTAINER_IMAGE,
    view=ContainerProtectionRuleView,
    many=True,
    paging=None,
    since=_SINCE,
)
def list_registry_protection_repository_rules(ctx: ReadContext, project: Project) -> Sequence[ContainerProtectionRule]:
    """List the rules that protect the image repositories of a project."""
    return ctx.world.container_protection_rules.where("project", project.id)


class CreateContainerProtectionRule(Params):
    """Who may push to and delete the image repositories with certain paths."""

    repository_path_pattern: str
    minimum_access_level_for_push: Literal["maintainer", "owner", "admin"] | None = None
    minimum_access_level_for_delete: Literal["maintainer", "owner", "admin"] | None = None

    rules = (at_least_one_of("minimum_access_level_for_push", "minimum_access_level_for_delete"),)


@area.operation(
    "POST",
    RULES,
    scope=PROJECT,
    ability=Ability.ADMIN_CONTAINER_IMAGE,
    params=CreateContainerProtectionRule,
    view=ContainerProtectionRuleView,
    refusals=(400, 422),
    since=_SINCE,
)
def create_registry_protection_repository_rule(
    ctx: WriteContext, project: Project, p: CreateContainerProtectionRule
) -> ContainerProtectionRule:
    """Create a rule that protects image repositories of a project."""
    return protection_rules.create(ctx, project, p.given())


class UpdateContainerProtectionRule(Params):
    """Changes of a rule. An empty level is none."""

    repository_path_pattern: str | None = None
    minimum_access_level_for_push: Literal["maintainer", "owner", "admin", ""] | None = None
    minimum_access_level_for_delete: Literal["maintainer", "owner", "admin", ""] | None = None


@area.operation(
    "PATCH",
    RULE,
    scope=PROJECT,
    ability=Ability.ADMIN_CONTAINER_IMAGE,
    params=UpdateContainerProtectionRule,
    view=ContainerProtectionRuleView,
    refusals=(404, 422),
    since=_SINCE,
)
def update_registry_protection_repository_rule(
    ctx: WriteContext, project: Project, protection_rule_id: int, p: UpdateContainerProtectionRule
) -> ContainerProtectionRule:
    """Update a rule that protects image repositories of a project."""
    rule = protection_rules.get_rule(ctx.world, project, protection_rule_id)
    return protection_rules.update(ctx, rule, read_changes(p.given()))


@area.operation("DELETE", RULE, scope=PROJECT, ability=Ability.ADMIN_CONTAINER_IMAGE, refusals=(404, 412), since=_SINCE)
def delete_registry_protection_repository_rule(ctx: WriteContext, project: Project, protection_rule_id: int) -> None:
    """Delete a rule that protects image repositories of a project."""
    rule = protection_rules.get_rule(ctx.world, project, protection_rule_id)
    ctx.check_unmodified_since(rule.updated_at)
    purge(ctx, rule)
