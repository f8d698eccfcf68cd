"""Who may approve a merge request, and who may change its rules.

Source: docs/platform/merge-requests.md ('Approvals').
"""

from typing import Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, ForbiddenWithMessage
from fakeplat.domain.merge_requests import approval_settings
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.noteables import noteable_of
from fakeplat.domain.repository import protection
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.people import Level, User
from fakeplat.model.world import World
from fakeplat.policy.authorization import Decision, caller_name
from fakeplat.policy.behaviours import (
    APPROVERS_ARE_MEMBERS,
    GROUPS_APPROVE_FOR_BRANCHES,
    PLANNERS_APPROVE_FOR_BRANCHES,
    PROHIBITED_CHANGES_OF_RULES_ARE_FORBIDDEN,
    RULES_ARE_EDITED_BY_FEWER,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import member_level, project_level

PROHIBITED: Final = "Prohibited"


def may_approve(ctx: ReadContext, merge_request: MergeRequest) -> Decision:
    """Return whether the caller may approve at all: who may update it and, later, is a member; or by a group."""
    user = ctx.viewer
    if user is not None and _is_group_approver(ctx.world, merge_request, user):
        return Decision(True)
    decision = noteables.can_update(ctx, merge_request)
    if not decision.allowed or user is None or not ctx.profile.has(APPROVERS_ARE_MEMBERS):
        return decision
    is_member = project_level(ctx.world, ctx.world.projects[merge_request.project_id], user.id) > Level.MINIMAL
    return Decision(is_member, lambda: f"{user.username} is not a member of the project")


def _is_group_approver(world: World, merge_request: MergeRequest, user: User) -> bool:
    """Return whether the user is in a group that a rule for the protected target branch names."""
    project = world.projects[merge_request.project_id]
    if not world.profile.has(GROUPS_APPROVE_FOR_BRANCHES) or not has_feature(world, "premium", project):
        return False
    branches = protection.list_branch_rules(world, project, merge_request.target_branch)
    # The platform takes one rule that protects the branch, and none of a group above the project.
    own = next((branch.id for branch in branches if branch.project_id == project.id), None)
    group_ids = {
        group_id
        for rule in world.approval_rules.where("subject", ("project", project.id))
        if own is not None and own in rule.protected_branch_ids
        for group_id in rule.group_ids
    }
    lowest = Level.PLANNER if world.profile.has(PLANNERS_APPROVE_FOR_BRANCHES) else Level.REPORTER
    return any(member_level(world, ("group", id_), user.id) >= lowest for id_ in group_ids)


def authorize_approving(ctx: ReadContext, merge_request: MergeRequest) -> None:
    """Refuse with 403 whoever may not approve a merge request."""
    _require(may_approve(ctx, merge_request))


def may_edit_rules(ctx: ReadContext, merge_request: MergeRequest) -> Decision:
    """Return whether the caller may change the rules of a merge request."""
    project = ctx.world.projects[merge_request.project_id]
    decision = noteables.can_update(ctx, merge_request)
    if not decision.allowed:
        return decision
    if not approval_settings.may_override_approvers(ctx.world, project):
        return Decision(False, "disable_overriding_approvers_per_merge_request of the project is on")
    is_restricted = ctx.profile.has(RULES_ARE_EDITED_BY_FEWER) and not ctx.admin
    if not is_restricted or ctx.viewer is None:
        return decision
    is_involved = ctx.viewer.id in noteable_of(merge_request).editor_ids(merge_request)
    needed = Level.DEVELOPER if is_involved else Level.MAINTAINER
    return Decision(
        project_level(ctx.world, project, ctx.viewer.id) >= needed,
        lambda: f"{caller_name(ctx)} is neither a Maintainer nor its author or assignee from Developer on",
    )


def authorize_editing_rules(ctx: ReadContext, merge_request: MergeRequest) -> None:
    """Refuse with 403 whoever may not change the rules of a merge request."""
    _require(may_edit_rules(ctx, merge_request))


def authorize_editing_rule(ctx: ReadContext, rule: ApprovalRule) -> None:
    """Refuse changes of a rule of a merge request that nobody defined, as those of code owners."""
    if rule.rule_type in ("regular", "any_approver"):
        return
    reason = f"nobody changes a rule of the type {rule.rule_type}"
    if ctx.profile.has(PROHIBITED_CHANGES_OF_RULES_ARE_FORBIDDEN):
        raise ForbiddenWithMessage([PROHIBITED], reason=reason)
    raise BadRequest([PROHIBITED], reason=reason)


def _require(decision: Decision) -> None:
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
