"""Rules by which merge requests are approved (paid)."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

RuleType = Literal["regular", "any_approver", "report_approver"]


@frozen
class ApprovalRule:
    """How many of whom must approve. ``subject`` is ("project" or "merge_request", id).

    Those who count are the users and the groups' members; with ``any_approver`` everybody counts. A project's rule
    may be for some protected branches only. ``source_id`` is the project's rule that a merge request's was made from.
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
