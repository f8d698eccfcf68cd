"""Rules about who may write states of Terraform. Source: docs/platform/terraform-states.md."""

from collections.abc import Mapping
from typing import Any

from fakeplat.core.operations.errors import RecordNotFound, Unprocessable
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.projects import Project
from fakeplat.model.terraform import TerraformStateProtectionRule
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe


def get_rule(world: World, project: Project, id_: int) -> TerraformStateProtectionRule:
    """Return the rule of a project with an id, or refuse with 404."""
    rule = world.terraform_state_protection_rules.get(id_)
    if rule is None or rule.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no rule {id_} for Terraform states")
    return rule


def create(ctx: WriteContext, project: Project, fields: Mapping[str, str]) -> TerraformStateProtectionRule:
    """Create a rule from its attributes, or refuse with 422."""
    table, now = ctx.world.terraform_state_protection_rules, ctx.now_iso
    values: dict[str, Any] = {"created_at": now, "updated_at": now, **fields}
    return table.add(_check(ctx.world, TerraformStateProtectionRule(table.next_id(), project.id, **values)))


def update(
    ctx: WriteContext, rule: TerraformStateProtectionRule, fields: Mapping[str, str]
) -> TerraformStateProtectionRule:
    """Change attributes of a rule, or refuse with 422."""
    values: dict[str, str] = {"updated_at": ctx.now_iso, **fields}
    return _check(ctx.world, ctx.world.terraform_state_protection_rules.change(rule, **values))


def _check(world: World, rule: TerraformStateProtectionRule) -> TerraformStateProtectionRule:
    others = world.terraform_state_protection_rules.where("project", rule.project_id)
    errors = ValidationErrors()
    errors.when(not rule.state_name.strip(), "state_name", BLANK)
    too_long(errors, "state_name", rule.state_name)
    is_taken = any(other.id != rule.id and other.state_name == rule.state_name for other in others)
    errors.when(is_taken, "state_name", TAKEN)
    if errors:
        raise Unprocessable({"error": errors.full_messages()})
    return rule
