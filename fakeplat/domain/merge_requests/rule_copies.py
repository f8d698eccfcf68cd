"""Approval rules of merge requests that were copied from those of their project.

Source: docs/platform/merge-requests.md ('Approvals').
"""

from typing import TypedDict

from fakeplat.domain.merge_requests import approval_access
from fakeplat.domain.purging import purge
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.world import World
from fakeplat.policy.behaviours import COPIED_RULES_FOLLOW_THEIR_SOURCE, RULES_ARE_INHERITED
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature


class CopiedFields(TypedDict):
    """What a copy has of its source, apart from how many approvals are needed."""

    name: str
    user_ids: tuple[int, ...]
    group_ids: tuple[int, ...]
    source_id: int


def copy_fields(source: ApprovalRule) -> CopiedFields:
    """Return the fields that a copy of a rule has, apart from the number of approvals."""
    return {
        "name": source.name,
        "user_ids": source.user_ids,
        "group_ids": source.group_ids,
        "source_id": source.id,
    }


def find_source(world: World, rule: ApprovalRule) -> ApprovalRule | None:
    """Return the rule of the project that a rule was copied from; None for other rules."""
    return None if rule.source_id is None else world.approval_rules.get(rule.source_id)


def differs_from_source(world: World, rule: ApprovalRule) -> bool:
    """Return whether a rule was copied and is not like its source."""
    source = find_source(world, rule)
    return source is not None and _describe(rule) != _describe(source)


def _describe(rule: ApprovalRule) -> tuple[object, ...]:
    return rule.name, rule.approvals_required, set(rule.user_ids), set(rule.group_ids)


def is_modified(world: World, rule: ApprovalRule) -> bool:
    """Return whether somebody made a copied rule unlike its source, which needs a change after the creation."""
    return rule.updated_at is not None and differs_from_source(world, rule)


def inherit_rules(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Give a new merge request copies of the rules of its project, if the caller may edit them."""
    project = ctx.world.projects[merge_request.project_id]
    if not ctx.profile.has(RULES_ARE_INHERITED) or not has_feature(ctx.world, "premium", project):
        return
    table = ctx.world.approval_rules
    sources = [rule for rule in table.where("subject", ("project", project.id)) if rule.rule_type != "report_approver"]
    if sources and approval_access.may_edit_rules(ctx, merge_request).allowed:
        for source in sources:
            table.add(
                ApprovalRule(
                    id=table.next_id(),
                    subject=("merge_request", merge_request.id),
                    created_at=ctx.now_iso,
                    rule_type=source.rule_type,
                    approvals_required=source.approvals_required,
                    **copy_fields(source),
                )
            )


def follow_source(ctx: WriteContext, source: ApprovalRule) -> None:
    """Change the copies of a rule that nobody modified like the rule itself, in earlier releases."""
    if ctx.profile.has(COPIED_RULES_FOLLOW_THEIR_SOURCE):
        for copy in _list_open_copies(ctx.world, source):
            if copy.updated_at is None:
                number = source.approvals_required
                ctx.world.approval_rules.change(copy, approvals_required=number, **copy_fields(source))


def delete_copies(ctx: WriteContext, source: ApprovalRule) -> None:
    """Delete the copies of a rule, except those of merged merge requests."""
    purge(ctx, *_list_open_copies(ctx.world, source))


def _list_open_copies(world: World, source: ApprovalRule) -> list[ApprovalRule]:
    copies = world.approval_rules.where("source", source.id)
    return [rule for rule in copies if world.merge_requests[rule.subject[1]].state != "merged"]
