"""Merge requests: versions, approvals, rules, trains."""

import re
from typing import Final, Literal, NamedTuple

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init
from fakeplat.core.store.references import Subject

State = Literal["opened", "closed", "locked", "merged"]
MergeStatus = Literal[
    "unchecked",
    "checking",
    "can_be_merged",
    "cannot_be_merged",
    "cannot_be_merged_recheck",
    "cannot_be_merged_rechecking",
]

ReviewState = Literal["unreviewed", "reviewed", "requested_changes", "approved", "unapproved", "review_started"]

# Accepts ``[WIP] x``, ``[Draft] x``, ``(Draft) x``, ``WIP: x``, ``Draft: x`` and ``Draft - x``, in any case.
_DRAFT: Final = re.compile(r"\s*(?:\[(?:wip|draft)\]|\(draft\)|(?:wip|draft):|draft\s+-\s)", re.IGNORECASE)


def is_draft(title: str) -> bool:
    """Return whether a title marks a merge request as a draft."""
    return _DRAFT.match(title) is not None


def strip_draft_prefix(title: str) -> str:
    """Return a title without the prefixes that mark it as a draft."""
    # Prefixes may be repeated, as in ``Draft: WIP: x``.
    while match := _DRAFT.match(title):
        title = title[match.end() :].lstrip()
    return title


class DiffRefs(NamedTuple):
    """The three commits of a diff: the merge base, the head of the target branch, and the head of the source branch."""

    base: str
    start: str
    head: str


@frozen
class Reviewer:
    """Whoever is to review a merge request, since when, and how far they are."""

    user_id: int
    created_at: str
    state: ReviewState = "unreviewed"


@fast_init
@frozen
class MergeRequest:
    """A merge request; ``project_id`` is the target project.

    ``source_project_id`` is None if the fork was deleted. ``merge_status`` is the result of the last mergeability
    check. ``closes_ids`` are the issues that merging closes, of which users added some (``added_closes_ids``)
    whatever its texts say. ``picked_shas`` are the commits that cherry-picks of its
    merge commit made. Time tracking is in seconds. ``merge_user_id`` is the user
    who set it to be merged when the pipeline succeeds. It may not be merged before ``merge_after``.
    ``change_requester_ids`` are users who ask for changes without being reviewers.
    """

    id: int
    iid: int
    project_id: int
    source_project_id: int | None
    source_branch: str
    target_branch: str
    title: str
    author_id: int
    created_at: str
    updated_at: str
    description: str | None = None
    state: State = "opened"
    assignee_ids: tuple[int, ...] = ()
    label_ids: tuple[int, ...] = ()
    milestone_id: int | None = None
    merged_at: str | None = None
    merged_by_id: int | None = None
    closed_at: str | None = None
    closed_by_id: int | None = None
    change_requester_ids: tuple[int, ...] = ()
    merge_status: MergeStatus = "unchecked"
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None
    rebase_commit_sha: str | None = None
    merge_error: str | None = None
    rebase_in_progress: bool = False
    merge_when_pipeline_succeeds: bool = False
    merge_user_id: int | None = None
    merge_commit_message: str | None = None
    squash_commit_message: str | None = None
    should_remove_source_branch: bool | None = None
    force_remove_source_branch: bool | None = None
    allow_collaboration: bool = False
    squash: bool = False
    discussion_locked: bool | None = None
    time_estimate: int = 0
    total_time_spent: int = 0
    approvals_before_merge: int | None = None
    closes_ids: tuple[int, ...] = ()
    added_closes_ids: tuple[int, ...] = ()
    picked_shas: tuple[str, ...] = ()
    reviewers: tuple[Reviewer, ...] = ()
    merge_after: str | None = None
    joins_merge_train: bool = False

    @property
    def reviewer_ids(self) -> tuple[int, ...]:
        """The users who are to review the merge request."""
        return tuple(reviewer.user_id for reviewer in self.reviewers)

    @property
    def is_open(self) -> bool:
        """Whether the merge request is open."""
        return self.state == "opened"

    @property
    def is_checked(self) -> bool:
        """Whether the result of a mergeability check is known."""
        return self.merge_status in ("can_be_merged", "cannot_be_merged")

    @property
    def work_in_progress(self) -> bool:
        """Whether the title marks the merge request as a draft."""
        return is_draft(self.title)


@frozen
class DiffVersion:
    """A version of a merge request's diff, from ``created_at`` on.

    ``refs`` are None if there is no source branch. ``declared``: the refs are not computed yet, because nobody has read
    the branches that a scenario declares.
    """

    id: int
    merge_request_id: int
    project_id: int
    source_project_id: int | None
    created_at: str
    refs: DiffRefs | None = None
    declared: bool = False


@frozen
class Approval:
    """A user's approval of a merge request."""

    id: int
    merge_request_id: int
    user_id: int
    created_at: str


@frozen
class ExternalStatusCheck:
    """A service outside that judges merge requests; it is never notified."""

    id: int
    project_id: int
    name: str
    external_url: str
    protected_branch_ids: tuple[int, ...] = ()
    hmac: bool = False


ResponseStatus = Literal["passed", "failed", "pending"]


@frozen
class StatusCheckResponse:
    """What an external service said of a commit of a merge request."""

    id: int
    merge_request_id: int
    external_status_check_id: int
    sha: str
    status: ResponseStatus
    created_at: str


@frozen
class MergeRequestBlock:
    """A merge request that is not merged before another one, which may be in another project."""

    id: int
    blocking_id: int
    blocked_id: int


@frozen
class ApprovalSetting:
    """What a group allows for the approvals in all of its projects; None leaves it to them."""

    id: int
    group_id: int
    allow_author_approval: bool | None = None
    allow_committer_approval: bool | None = None
    allow_overrides_to_approver_list_per_merge_request: bool | None = None
    retain_approvals_on_push: bool | None = None
    selective_code_owner_removals: bool | None = None
    require_password_to_approve: bool | None = None


@frozen
class ContextCommit:
    """A commit of the target project that a merge request refers to without containing it."""

    id: int
    merge_request_id: int
    sha: str


RuleType = Literal["regular", "any_approver", "code_owner", "report_approver"]


@frozen
class ApprovalRule:
    """The approvals that merge requests need. ``subject`` is ("project", "merge_request" or "group", id).

    Eligible approvers are the users and the groups' members; with ``any_approver``, everybody. A project's rule may be
    limited to some protected branches, or to all of them; that of a group is for all of them. ``source_id`` is the
    project's rule that a merge request's rule was copied from.

    A rule of code owners is named like the pattern in the file; ``section`` and the direct members of the project with
    one of ``role_levels`` come from there, too. Merging fixes the rules: ``is_applicable`` tells which of them counted,
    ``approved_by_ids`` who had approved.
    """

    id: int
    subject: Subject
    name: str
    approvals_required: int
    created_at: str
    rule_type: RuleType = "regular"
    user_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    protected_branch_ids: tuple[int, ...] = ()
    applies_to_all_protected_branches: bool = False
    source_id: int | None = None
    updated_at: str | None = None
    report_type: str | None = None
    section: str | None = None
    role_levels: tuple[int, ...] = ()
    is_applicable: bool | None = None
    approved_by_ids: tuple[int, ...] = ()


MergeTrainStatus = Literal["idle", "fresh", "stale", "merging", "merged", "skip_merged"]


@frozen
class MergeTrain:
    """A merge request on the train of its target branch. ``duration``: seconds from its creation to its merge."""

    id: int
    merge_request_id: int
    user_id: int
    created_at: str
    updated_at: str
    status: MergeTrainStatus = "idle"
    pipeline_id: int | None = None
    merged_at: str | None = None
    duration: int | None = None
