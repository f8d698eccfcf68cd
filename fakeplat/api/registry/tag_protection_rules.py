"""Rules that protect tags of images. Source: docs/platform/registry.md."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from fakeplat.api.packages.protection_rules import read_changes
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import tag_protection_rules
from fakeplat.entities.registry import ContainerTagProtectionRuleView
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerTagProtectionRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Container registry", login=Login.ALWAYS)
RULES: Final = "registry/protection/tag/rules"
RULE: Final = f"{RULES}/:protection_rule_id"


@area.operation(
    "GET",
    RULES,
    scope=PROJECT,
    ability=Ability.ADMIN_CONTAINER_IMAGE,
    view=ContainerTagProtectionRuleView,
    many=True,
    paging=None,
    since="18.7",
)
def list_registry_protection_tag_rules(ctx: ReadContext, project: Project) -> Sequence[ContainerTagProtectionRule]:
    """List the rules that say which roles may change tags of images of a project."""
    return tag_protection_rules.list_rules(ctx.world, project)


class CreateTagRule(Params):
    """Who may push and delete the tags whose names match a regular expression."""

    tag_name_pattern: str
    minimum_access_level_for_push: Literal["maintainer", "owner", "admin"]
    minimum_access_level_for_delete: Literal["maintainer", "owner", "admin"]


@area.operation(
    "POST",
    RULES,
    scope=PROJECT,
    ability=Ability.ADMIN_CONTAINER_IMAGE,
    params=CreateTagRule,
    view=ContainerTagProtectionRuleView,
    refusals=(400, 422),
    since="18.8",
)
def create_registry_protection_tag_rule(
    ctx: WriteContext, project: Project, p: CreateTagRule
) -> ContainerTagProtectionRule:
    """Create a rule that protects tags of images of a project, of which it has five at most."""
    return tag_protection_rules.create(
        ctx,
        project,
        tag_name_pattern=p.tag_name_pattern or "",
        minimum_access_level_for_push=p.minimum_access_level_for_push,
        minimum_access_level_for_delete=p.minimum_access_level_for_delete,
    )


class UpdateTagRule(Params):
    """Changes of a rule. An empty level is none."""

    tag_name_pattern: str | None = None
    minimum_access_level_for_push: Literal["maintainer", "owner", "admin", ""] | None = None
    minimum_access_level_for_delete: Literal["maintainer", "owner", "admin", ""] | None = None


@area.operation(
    "PATCH",
    RULE,
    scope=PROJECT,
    ability=Ability.ADMIN_CONTAINER_IMAGE,
    params=UpdateTagRule,
    view=ContainerTagProtectionRuleView,
    refusals=(404, 422),
    since="18.9",
)
def update_registry_protection_tag_rule(
    ctx: WriteContext, project: Project, protection_rule_id: int, p: UpdateTagRule
) -> ContainerTagProtectionRule:
    """Update a rule that protects tags of images of a project."""
    rule = tag_protection_rules.get_rule(ctx.world, project, protection_rule_id)
    changes: Any = read_changes(p.given())
    return tag_protection_rules.update(ctx, rule, **changes)


@area.operation("DELETE", RULE, scope=PROJECT, refusals=(403, 404, 412), since="18.9")
def delete_registry_protection_tag_rule(ctx: WriteContext, project: Project, protection_rule_id: int) -> None:
    """Delete a rule that protects tags of images of a project."""
    rule = tag_protection_rules.get_rule(ctx.world, project, protection_rule_id)
    tag_protection_rules.authorize_removal(ctx, project, rule)
    ctx.check_unmodified_since(rule.updated_at)
    purge(ctx, rule)
