"""Rules about who may write states of Terraform, which a feature of the platform switches on.

Source: docs/platform/terraform-states.md.
"""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import get_project
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Check, Params
from fakeplat.domain.deployments import state_protection_rules
from fakeplat.domain.instance import features
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.state_protection_rules import StateProtectionRuleView
from fakeplat.model.projects import Project
from fakeplat.model.terraform import StateSource, StateWriter, TerraformStateProtectionRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Terraform state", login=Login.ALWAYS)
RULES: Final = "terraform/state_protection_rules"
RULE: Final = f"{RULES}/:terraform_state_protection_rule_id"
_FLAG: Final = "protected_terraform_states"
_MAX_LENGTH: Final = 255
StateName = Annotated[
    str, Check(lambda name: None if len(name) <= _MAX_LENGTH else f"must be less than {_MAX_LENGTH} characters")
]


def _get_project(ctx: ReadContext, reference: str) -> Project:
    project = get_project(ctx, reference)
    features.check_enabled(ctx.world, _FLAG, project)
    return project


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project")


@area.operation(
    "GET",
    RULES,
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    view=StateProtectionRuleView,
    many=True,
    paging=None,
    since="18.11",
)
def list_terraform_state_protection_rules(ctx: ReadContext, project: Project) -> Sequence[TerraformStateProtectionRule]:
    """List the rules that protect states of Terraform."""
    return ctx.world.terraform_state_protection_rules.where("project", project.id)


class CreateStateProtectionRule(Params):
    """Who may write a state, and from where."""

    state_name: StateName
    minimum_access_level_for_write: StateWriter
    allowed_from: StateSource = "anywhere"


@area.operation(
    "POST",
    RULES,
    scope=PROJECT,
    ability=Ability.ADMIN_TERRAFORM_STATE,
    params=CreateStateProtectionRule,
    view=StateProtectionRuleView,
    refusals=(400, 422),
    since="19.1",
)
def create_terraform_state_protection_rule(
    ctx: WriteContext, project: Project, p: CreateStateProtectionRule
) -> TerraformStateProtectionRule:
    """Create a rule that protects a state of Terraform."""
    return state_protection_rules.create(ctx, project, p.given())


class UpdateStateProtectionRule(Params):
    """Changes of a rule."""

    state_name: str | None = None
    minimum_access_level_for_write: StateWriter | None = None
    allowed_from: StateSource | None = None


@area.operation(
    "PATCH",
    RULE,
    scope=PROJECT,
    ability=Ability.ADMIN_TERRAFORM_STATE,
    params=UpdateStateProtectionRule,
    view=StateProtectionRuleView,
    refusals=(404, 422),
    since="19.0",
)
def update_terraform_state_protection_rule(
    ctx: WriteContext, project: Project, terraform_state_protection_rule_id: int, p: UpdateStateProtectionRule
) -> TerraformStateProtectionRule:
    """Update a rule that protects a state of Terraform."""
    rule = state_protection_rules.get_rule(ctx.world, project, terraform_state_protection_rule_id)
    return state_protection_rules.update(
        ctx, rule, {name: sent for name, sent in p.given().items() if sent is not None}
    )


@area.operation("DELETE", RULE, scope=PROJECT, ability=Ability.ADMIN_TERRAFORM_STATE, refusals=(404, 412), since="19.0")
def delete_terraform_state_protection_rule(
    ctx: WriteContext, project: Project, terraform_state_protection_rule_id: int
) -> None:
    """Delete a rule that protects a state of Terraform."""
    rule = state_protection_rules.get_rule(ctx.world, project, terraform_state_protection_rule_id)
    ctx.check_unmodified_since(rule.updated_at)
    purge(ctx, rule)
