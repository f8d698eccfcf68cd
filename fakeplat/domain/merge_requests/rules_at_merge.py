"""Approval rules as they were when a merge request was merged: it keeps them, whatever happens to the project (paid).

Source: docs/platform/merge-requests.md ('Approvals').
"""

from typing import Final

from fakeplat.domain.merge_requests import approval_states
from fakeplat.domain.merge_requests.approval_rules import insert_rule, list_rules
from fakeplat.domain.merge_requests.code_owner_rules import CODE_OWNER
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

_USER_DEFINED: Final = ("any_approver", "regular")


def keep_rules(ctx: WriteContext, before: MergeRequest, merged: MergeRequest, _user: User | None) -> None:
    """Keep the rules in force and the approvals that they had, if a merge request was merged."""
    world, project = ctx.world, ctx.world.projects[merged.project_id]
    if merged.state != "merged" or not has_feature(world, "premium", project):
        return
    is_overridden = approval_states.is_overridden(world, before)
    applicable_ids = {rule.id for rule in approval_states.list_own_rules(world, before, before.target_branch)}
    for rule in list(list_rules(world, merged)):
        is_in_force = is_overridden or rule.rule_type not in _USER_DEFINED
        _keep_rule(ctx, before, rule, is_applicable=is_in_force and rule.id in applicable_ids)
    if not is_overridden:
        _copy_project_rules(ctx, project, before)


def _keep_rule(ctx: WriteContext, before: MergeRequest, rule: ApprovalRule, *, is_applicable: bool) -> None:
    """Keep who could approve by a rule, and who did."""
    (status,) = approval_states.apply_rules(ctx.world, before, [rule])
    members = (each for id_ in rule.group_ids for each in ctx.world.members.where("source", ("group", id_)))
    is_user_defined = rule.rule_type in _USER_DEFINED
    user_ids = dict.fromkeys((*rule.user_ids, *(member.user_id for member in members if is_user_defined)))
    ctx.world.approval_rules.change(
        rule,
        user_ids=tuple(user_ids),
        approvals_required=status.required if rule.rule_type == CODE_OWNER else rule.approvals_required,
        is_applicable=is_applicable,
        approved_by_ids=() if status.approvers is None else status.approved_by,
    )


def _copy_project_rules(ctx: WriteContext, project: Project, before: MergeRequest) -> None:
    """Give a merge request the rules of its project, also those for other branches, which did not count."""
    world = ctx.world
    taken = {(rule.name, rule.rule_type, rule.is_applicable) for rule in list_rules(world, before)}
    for source in approval_states.list_project_rules(world, project, None):
        is_applicable = approval_states.covers_branch(world, source, before.target_branch)
        if source.rule_type in _USER_DEFINED and (source.name, source.rule_type, is_applicable) not in taken:
            copy = insert_rule(
                ctx,
                before,
                name=source.name,
                approvals_required=source.approvals_required,
                rule_type=source.rule_type,
                user_ids=approval_states.list_approvers(world, source),
                group_ids=_list_shown_groups(ctx, source, before),
            )
            _keep_rule(ctx, before, copy, is_applicable=is_applicable)


def _list_shown_groups(ctx: WriteContext, source: ApprovalRule, before: MergeRequest) -> tuple[int, ...]:
    """Return the ids of the groups of a rule that the author of the merge request sees."""
    author = ctx.as_user(ctx.world.users[before.author_id])
    groups = (ctx.world.namespaces.get(id_) for id_ in source.group_ids)
    return tuple(group.id for group in groups if isinstance(group, Group) and can_see(author, group))
