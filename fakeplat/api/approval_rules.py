"""Rules by which merge requests are approved (paid). Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from fakeplat.api import merge_request_lists
from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS, PROJECT
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Params
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.domain.notes import noteables
from fakeplat.entities.approval_rules import (
    MergeRequestApprovalRuleView,
    ProjectApprovalRuleView,
)
from fakeplat.model.approval_rules import ApprovalRule
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Approvals", login=Login.ALWAYS)


@area.operation(
    "GET",
    "approval_rules",
    scope=PROJECT,
    ability=Ability.CREATE_MERGE_REQUEST_IN,
    params=Paged,
    view=ProjectApprovalRuleView,
    many=True,
    tier="premium",
)
def list_project_approval_rules(ctx: ReadContext, project: Project) -> Sequence[ApprovalRule]:
    """List the approval rules of a project."""
    return approval_rules.list_rules(ctx.world, project)


class _People(Params):
    """Users and groups that approve, under their names of today and of before."""

    user_ids: CommaList[int] | None = None
    group_ids: CommaList[int] | None = None
    users: CommaList[int] | None = None
    groups: CommaList[int] | None = None


class _Rule(_People):
    """How many of whom must approve."""

    name: str
    approvals_required: int


class CreateProjectApprovalRule(_Rule):
    """A new rule of a project."""

    rule_type: Literal["regular", "any_approver"] = "regular"
    protected_branch_ids: CommaList[int] | None = None


@area.operation(
    "POST",
    "approval_rules",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=CreateProjectApprovalRule,
    view=ProjectApprovalRuleView,
    tier="premium",
    refusals=(400,),
)
def create_project_approval_rule(ctx: WriteContext, project: Project, p: CreateProjectApprovalRule) -> ApprovalRule:
    """Create an approval rule of a project."""
    return approval_rules.create(ctx, project, **_given(p))


def _given(p: Params) -> dict[str, Any]:
    """What was sent; of what must be there, null is an empty name and zero."""
    return {"name": "", "approvals_required": 0, **_changed(p)}


_ALIASES: Final = {"users": "user_ids", "groups": "group_ids"}


def _changed(p: Params) -> dict[str, Any]:
    """Return what was sent and is not null, by the names of `approval_rules`."""
    return {_ALIASES.get(name, name): value for name, value in p.given().items() if value is not None}


class _RuleChanges(_People):
    """Changes of a rule. Groups that the caller does not see stay unless ``remove_hidden_groups``."""

    name: str | None = None
    approvals_required: int | None = None
    remove_hidden_groups: bool | None = None


class UpdateProjectApprovalRule(_RuleChanges):
    """Changes of a project's rule."""

    protected_branch_ids: CommaList[int] | None = None


@area.operation(
    "PUT",
    "approval_rules/:rule_id",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdateProjectApprovalRule,
    view=ProjectApprovalRuleView,
    tier="premium",
    refusals=(400, 404),
)
def update_project_approval_rule(
    ctx: WriteContext, project: Project, rule_id: int, p: UpdateProjectApprovalRule
) -> ApprovalRule:
    """Update a rule of a project."""
    return approval_rules.update(ctx, approval_rules.find(ctx.world, project, rule_id), **_changed(p))


@area.operation(
    "DELETE",
    "approval_rules/:rule_id",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    tier="premium",
    refusals=(404, 412),
)
def delete_project_approval_rule(ctx: WriteContext, project: Project, rule_id: int) -> None:
    """Delete an approval rule of a project."""
    approval_rules.delete(ctx, approval_rules.find(ctx.world, project, rule_id))


@merge_request_lists.area.operation(
    "GET",
    "approval_rules",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=Paged,
    view=MergeRequestApprovalRuleView,
    many=True,
    tier="premium",
    refusals=(403,),
)
def list_merge_request_approval_rules(
    ctx: ReadContext, project: Project, merge_request: MergeRequest
) -> Sequence[ApprovalRule]:
    """List the approval rules of a merge request."""
    del project
    return approval_rules.list_rules(ctx.world, merge_request)


class CreateMergeRequestApprovalRule(_Rule):
    """A new rule of a merge request; from a project's rule it has name and people."""

    approval_project_rule_id: int | None = None


@merge_request_lists.area.operation(
    "POST",
    "approval_rules",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=CreateMergeRequestApprovalRule,
    view=MergeRequestApprovalRuleView,
    tier="premium",
    refusals=(400, 403),
)
def create_merge_request_approval_rule(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: CreateMergeRequestApprovalRule
) -> ApprovalRule:
    """Create an approval rule of a merge request."""
    demand_update_approvers(ctx, project, merge_request)
    given = _given(p)
    source_id = given.pop("approval_project_rule_id", None)
    return approval_rules.create(ctx, merge_request, **{**given, **_copied(ctx, project, source_id)})


def demand_update_approvers(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> None:
    """Let those pass who may say who approves a merge request; 403 for others."""
    noteables.authorize_update(ctx, merge_request)
    if project.disable_overriding_approvers_per_merge_request:
        raise Forbidden(reason="the project does not let merge requests have rules of their own")


def _copied(ctx: ReadContext, project: Project, source_id: int | None) -> dict[str, Any]:
    """What a rule takes over from a rule of the project; one that is not there gives nothing."""
    source = ctx.world.approval_rules.get(source_id) if source_id is not None else None
    if source is None or source.subject != approval_rules.subject_of(project):
        return {}
    named = {"user_ids": source.user_ids, "group_ids": source.group_ids}
    return {"name": source.name, "source_id": source.id, **named}


class UpdateMergeRequestApprovalRule(_RuleChanges):
    """Changes of a merge request's rule."""


@merge_request_lists.area.operation(
    "PUT",
    "approval_rules/:approval_rule_id",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=UpdateMergeRequestApprovalRule,
    view=MergeRequestApprovalRuleView,
    tier="premium",
    refusals=(400, 403, 404),
)
def update_merge_request_approval_rule(
    ctx: WriteContext,
    project: Project,
    merge_request: MergeRequest,
    approval_rule_id: int,
    p: UpdateMergeRequestApprovalRule,
) -> ApprovalRule:
    """Update a rule of a merge request."""
    demand_update_approvers(ctx, project, merge_request)
    return approval_rules.update(ctx, approval_rules.find(ctx.world, merge_request, approval_rule_id), **_changed(p))


@merge_request_lists.area.operation(
    "DELETE",
    "approval_rules/:approval_rule_id",
    scope=MERGE_REQUEST_WITH_ACCESS,
    tier="premium",
    refusals=(403, 404, 412),
)
def delete_merge_request_approval_rule(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, approval_rule_id: int
) -> None:
    """Delete a rule of a merge request."""
    demand_update_approvers(ctx, project, merge_request)
    approval_rules.delete(ctx, approval_rules.find(ctx.world, merge_request, approval_rule_id))
