"""Approval rules of projects and merge requests (paid tiers). Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.merge_requests import merge_request_lists
from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS, PROJECT
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import approval_access, approval_rules, rule_copies
from fakeplat.entities.merge_requests.approval_rules import MergeRequestApprovalRuleView, ProjectApprovalRuleView
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import (
    ADMINISTRATORS_EDIT_LOCKED_RULES,
    MAINTAINERS_READ_ALL_RULES,
    RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY,
    RULES_OF_PROJECTS_ARE_LOCKED,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Approvals", login=Login.ALWAYS)


def authorize_reading(ctx: ReadContext, project: Project) -> None:
    """Require the right to create merge requests; later, who administers a project reads those of archived ones."""
    if not (ctx.profile.has(MAINTAINERS_READ_ALL_RULES) and can(ctx, Ability.ADMIN_PROJECT, project)):
        authorize(ctx, Ability.CREATE_MERGE_REQUEST_IN, project)


def authorize_changes(ctx: ReadContext, project: Project) -> None:
    """Require the right to change the rules of a project, which later only administrators have if overriding is off."""
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    is_exempt = ctx.admin and ctx.profile.has(ADMINISTRATORS_EDIT_LOCKED_RULES)
    is_locked = ctx.world.settings.disable_overriding_approvers_per_merge_request and not is_exempt
    if is_locked and ctx.profile.has(RULES_OF_PROJECTS_ARE_LOCKED):
        raise Forbidden(reason="the setting disable_overriding_approvers_per_merge_request is on")


@area.operation(
    "GET",
    "approval_rules",
    scope=PROJECT,
    params=Paged,
    view=ProjectApprovalRuleView,
    many=True,
    tier="premium",
)
def list_project_approval_rules(ctx: ReadContext, project: Project) -> Sequence[ApprovalRule]:
    """List the approval rules of a project."""
    authorize_reading(ctx, project)
    return approval_rules.sort_rules(approval_rules.list_rules(ctx.world, project))


class _ApproverParams(Params):
    """Approving users and groups, with their current and former parameter names."""

    user_ids: CommaList[int] | None = None
    group_ids: CommaList[int] | None = None
    usernames: Annotated[CommaList[str] | None, Lifetime(since="<=15.11")] = None
    users: CommaList[int] | None = None
    groups: CommaList[int] | None = None


class _RuleParams(_ApproverParams):
    """The name, number of approvals and approvers of a rule."""

    name: str
    approvals_required: int


class CreateProjectApprovalRule(_RuleParams):
    """A new project approval rule."""

    rule_type: Annotated[
        Literal["regular", "any_approver", "report_approver"], Lifetime(since="<=16.4", values=("report_approver",))
    ] = "regular"
    report_type: Annotated[
        Literal["license_scanning", "code_coverage"] | None,
        Lifetime(since="<=16.4"),
        Lifetime(until="<=18.9", values=("license_scanning",)),
    ] = None
    vulnerabilities_allowed: Annotated[int | None, Lifetime(since="<=18.9")] = None
    scanners: Annotated[list[str] | None, Lifetime(since="14.2")] = None
    severity_levels: Annotated[list[str] | None, Lifetime(since="<=18.9")] = None
    vulnerability_states: Annotated[list[str] | None, Lifetime(since="<=18.9")] = None
    protected_branch_ids: CommaList[int] | None = None
    applies_to_all_protected_branches: Annotated[bool | None, Lifetime(since="15.3")] = None


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
    authorize_changes(ctx, project)
    return approval_rules.create(ctx, project, **collect_rule_fields(ctx, p))


def collect_rule_fields(ctx: ReadContext, p: Params) -> dict[str, Any]:
    """Return the sent fields; a null in a required one counts as an empty name or zero."""
    return {"name": "", "approvals_required": 0, **collect_sent_fields(ctx, p)}


# Names of earlier releases, which the platform still accepts.
_OF_SCANNERS: Final = ("vulnerabilities_allowed", "scanners", "severity_levels", "vulnerability_states")
"""What rules about reports of security scanners are limited to. Nothing shows it, and there are no such reports."""
_ALIASES: Final = {"users": "user_ids", "groups": "group_ids"}
_PEOPLE: Final = frozenset({"user_ids", "group_ids"})


def collect_sent_fields(ctx: ReadContext, p: Params) -> dict[str, Any]:
    """Return the sent parameters that are not null, under the field names of `approval_rules`."""
    given = {name: value for name, value in p.given().items() if value is not None and name not in _OF_SCANNERS}
    # The later names win, whatever the order.
    fields = {later: given[name] for name, later in _ALIASES.items() if name in given}
    fields |= {name: value for name, value in given.items() if name not in _ALIASES}
    if "usernames" in fields:
        users = (ctx.world.users.find("username", name.lower()) for name in fields.pop("usernames"))
        fields["user_ids"] = [*fields.get("user_ids", ()), *(user.id for user in users if user is not None)]
    return fields


class _RuleChanges(_ApproverParams):
    """Changes of a rule. Groups hidden from the caller stay unless ``remove_hidden_groups`` is set."""

    name: str | None = None
    approvals_required: int | None = None
    remove_hidden_groups: bool | None = None


class UpdateProjectApprovalRule(_RuleChanges):
    """Changes of a project approval rule."""

    vulnerabilities_allowed: Annotated[int | None, Lifetime(since="<=18.9")] = None
    scanners: Annotated[list[str] | None, Lifetime(since="14.2")] = None
    severity_levels: Annotated[list[str] | None, Lifetime(since="<=18.9")] = None
    vulnerability_states: Annotated[list[str] | None, Lifetime(since="<=18.9")] = None
    protected_branch_ids: CommaList[int] | None = None
    applies_to_all_protected_branches: Annotated[bool | None, Lifetime(since="15.3")] = None


@area.operation(
    "GET",
    "approval_rules/:approval_rule_id",
    name="get_project_approval_rule",
    scope=PROJECT,
    view=ProjectApprovalRuleView,
    tier="premium",
    since="13.7",
    refusals=(404,),
)
def get_project_approval_rule(ctx: ReadContext, project: Project, approval_rule_id: str) -> ApprovalRule:
    """Get an approval rule of a project."""
    authorize_reading(ctx, project)
    # The platform does not validate this id: it looks up any text, without success.
    return approval_rules.get_rule(ctx.world, project, parse_number(approval_rule_id) or 0)


@area.operation(
    "PUT",
    "approval_rules/:approval_rule_id",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdateProjectApprovalRule,
    view=ProjectApprovalRuleView,
    tier="premium",
    refusals=(400, 404),
)
def update_project_approval_rule(
    ctx: WriteContext, project: Project, approval_rule_id: int, p: UpdateProjectApprovalRule
) -> ApprovalRule:
    """Update a rule of a project."""
    authorize_changes(ctx, project)
    return approval_rules.update(
        ctx, approval_rules.get_rule(ctx.world, project, approval_rule_id), **collect_sent_fields(ctx, p)
    )


@area.operation(
    "DELETE",
    "approval_rules/:approval_rule_id",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    tier="premium",
    refusals=(404, 412),
)
def delete_project_approval_rule(ctx: WriteContext, project: Project, approval_rule_id: int) -> None:
    """Delete an approval rule of a project."""
    authorize_changes(ctx, project)
    approval_rules.delete(ctx, approval_rules.get_rule(ctx.world, project, approval_rule_id))


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
    ctx: ReadContext, _project: Project, merge_request: MergeRequest
) -> Sequence[ApprovalRule]:
    """List the approval rules of a merge request."""
    return approval_rules.list_rules(ctx.world, merge_request)


@merge_request_lists.area.operation(
    "GET",
    "approval_rules/:approval_rule_id",
    name="get_merge_request_approval_rule",
    scope=MERGE_REQUEST_WITH_ACCESS,
    view=MergeRequestApprovalRuleView,
    tier="premium",
    since="14.10",
    refusals=(403, 404),
)
def get_merge_request_approval_rule(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest, approval_rule_id: int
) -> ApprovalRule:
    """Get an approval rule of a merge request."""
    return approval_rules.get_rule(ctx.world, merge_request, approval_rule_id)


class CreateMergeRequestApprovalRule(_RuleParams):
    """A new rule of a merge request; it takes name and approvers from the project rule, if one is given."""

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
    approval_access.authorize_editing_rules(ctx, merge_request)
    fields = collect_rule_fields(ctx, p)
    source_id = fields.pop("approval_project_rule_id", None)
    # The fields of the project's rule win over those that were sent with it, in later releases except for people.
    copied = _copy_source_fields(ctx, project, source_id)
    if ctx.profile.has(RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY) and not _PEOPLE.isdisjoint(fields):
        copied = {name: value for name, value in copied.items() if name not in _PEOPLE}
    return approval_rules.create(ctx, merge_request, **{**fields, **copied})


def _copy_source_fields(ctx: ReadContext, project: Project, source_id: int | None) -> dict[str, Any]:
    """Return the fields to copy from a rule of the project; none if it has no such rule."""
    source = ctx.world.approval_rules.get(source_id) if source_id is not None else None
    # A rule of another project or of a merge request counts as unknown: it is ignored, not refused.
    if source is None or source.subject != approval_rules.subject_of(project):
        return {}
    return {**rule_copies.copy_fields(source)}


class UpdateMergeRequestApprovalRule(_RuleChanges):
    """Changes of a merge request approval rule."""


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
    _project: Project,
    merge_request: MergeRequest,
    approval_rule_id: int,
    p: UpdateMergeRequestApprovalRule,
) -> ApprovalRule:
    """Update a rule of a merge request."""
    approval_access.authorize_editing_rules(ctx, merge_request)
    rule = approval_rules.get_rule(ctx.world, merge_request, approval_rule_id)
    approval_access.authorize_editing_rule(ctx, rule)
    return approval_rules.update(ctx, rule, **collect_sent_fields(ctx, p))


@merge_request_lists.area.operation(
    "DELETE",
    "approval_rules/:approval_rule_id",
    scope=MERGE_REQUEST_WITH_ACCESS,
    tier="premium",
    refusals=(403, 404, 412),
)
def delete_merge_request_approval_rule(
    ctx: WriteContext, _project: Project, merge_request: MergeRequest, approval_rule_id: int
) -> None:
    """Delete a rule of a merge request."""
    approval_access.authorize_editing_rules(ctx, merge_request)
    rule = approval_rules.get_rule(ctx.world, merge_request, approval_rule_id)
    approval_access.authorize_editing_rule(ctx, rule)
    approval_rules.delete(ctx, rule)
