"""Merge requests, the differences that they had, and who approved them."""

import re
from typing import Final, Literal, NamedTuple

from fakeplat.core.store.frozen import frozen

State = Literal["opened", "closed", "locked", "merged"]
MergeStatus = Literal[
    "unchecked",
    "checking",
    "can_be_merged",
    "cannot_be_merged",
    "cannot_be_merged_recheck",
    "cannot_be_merged_rechecking",
]

_DRAFT: Final = re.compile(r"\s*(?:\[(?:wip|draft)\]|\(draft\)|(?:wip|draft):|draft\s+-\s)", re.IGNORECASE)


def undrafted(title: str) -> str:
    """A title without what says that the work is not done."""
    while match := _DRAFT.match(title):
        title = title[match.end() :].lstrip()
    return title


class DiffRefs(NamedTuple):
    """The three commits of a difference: where both branches part, where the target stood, the source's head."""

    base: str
    start: str
    head: str


@frozen
class MergeRequest:
    """A merge request of the project that it wants to change.

    ``source_project_id`` is None where the fork is gone. ``merge_status`` is what was found when both branches were
    last put together. ``closes_ids`` are the issues that it names to be closed. Times of tracking are in seconds.
    ``merge_user_id`` is who wants it merged when the pipeline succeeds.
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

    @property
    def is_open(self) -> bool:
        """Whether it waits to be merged."""
        return self.state == "opened"

    @property
    def is_checked(self) -> bool:
        """Whether it is known if it can be merged."""
        return self.merge_status in ("can_be_merged", "cannot_be_merged")

    @property
    def work_in_progress(self) -> bool:
        """Whether the title says that the work is not done."""
        return _DRAFT.match(self.title) is not None


@frozen
class DiffVersion:
    """How a merge request differed from its target since ``created_at``.

    ``refs`` are None where there is no source branch. ``declared``: nobody looked at the branches yet, they stand as
    a scenario says, and so do the refs.
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
    """Somebody's approval of a merge request."""

    id: int
    merge_request_id: int
    user_id: int
    created_at: str
