"""Approval rules of projects and merge requests (paid)."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

RuleType = Literal["regular", "any_approver", "report_approver"]


@frozen
class ApprovalRule:
    """The approvals that merge requests need. ``subject`` is ("project" or "merge_request", id).

    Eligible approvers are the users and the groups' members; with ``any_approver``, everybody. A project's rule may be
    limited to some protected branches. ``source_id`` is the project's rule that a merge request's rule was copied from.
    """

    id: int
    subject: tuple[str, int]
    name: str
    approvals_required: int
    created_at: str
    rule_type: RuleType = "regular"
    user_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    protected_branch_ids: tuple[int, ...] = ()
    source_id: int | None = None
    updated_at: str | None = None
