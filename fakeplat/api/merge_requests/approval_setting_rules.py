"""Approval rules of projects by the platform's private operations, which its own pages use.

Source: docs/platform/external.md ('Approvals').
"""

from fakeplat.api.merge_requests.approval_rules import (
    CreateProjectApprovalRule,
    UpdateProjectApprovalRule,
    area,
    authorize_changes,
    authorize_reading,
    collect_rule_fields,
    collect_sent_fields,
)
from fakeplat.api.scopes import PROJECT
from fakeplat.core.params.params import Params
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.entities.merge_requests.approval_rules import ApprovalRulesView, ApprovalSettingRuleView, ProjectRules
from fakeplat.model.merge_requests import ApprovalRule
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext


class GetApprovalSettings(Params):
    """The branch that rules may be limited to."""

    target_branch: str | None = None


@area.operation(
    "GET",
    "approval_settings",
    name="list_approval_settings",
    scope=PROJECT,
    params=GetApprovalSettings,
    view=ApprovalRulesView,
    tier="premium",
)
def list_approval_settings(ctx: ReadContext, project: Project, p: GetApprovalSettings) -> ProjectRules:
    """Get the approval rules of a project in one record."""
    authorize_reading(ctx, project)
    return ProjectRules(project, p.target_branch)


@area.operation(
    "POST",
    "approval_settings/rules",
    name="create_approval_setting_rule",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=CreateProjectApprovalRule,
    view=ApprovalSettingRuleView,
    tier="premium",
    refusals=(400,),
)
def create_approval_setting_rule(ctx: WriteContext, project: Project, p: CreateProjectApprovalRule) -> ApprovalRule:
    """Create an approval rule of a project."""
    authorize_changes(ctx, project)
    return approval_rules.create(ctx, project, **collect_rule_fields(ctx, p))


@area.operation(
    "PUT",
    "approval_settings/rules/:approval_rule_id",
    name="update_approval_setting_rule",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdateProjectApprovalRule,
    view=ApprovalSettingRuleView,
    tier="premium",
    refusals=(400, 404),
)
def update_approval_setting_rule(
    ctx: WriteContext, project: Project, approval_rule_id: int, p: UpdateProjectApprovalRule
) -> ApprovalRule:
    """Update an approval rule of a project."""
    authorize_changes(ctx, project)
    rule = approval_rules.get_rule(ctx.world, project, approval_rule_id)
    return approval_rules.update(ctx, rule, **collect_sent_fields(ctx, p))


@area.operation(
    "DELETE",
    "approval_settings/rules/:approval_rule_id",
    name="delete_approval_setting_rule",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    tier="premium",
    refusals=(404, 412),
)
def delete_approval_setting_rule(ctx: WriteContext, project: Project, approval_rule_id: int) -> None:
    """Delete an approval rule of a project."""
    authorize_changes(ctx, project)
    approval_rules.delete(ctx, approval_rules.get_rule(ctx.world, project, approval_rule_id))
