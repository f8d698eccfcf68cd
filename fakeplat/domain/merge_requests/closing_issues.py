"""Closing keywords: ``Closes #1``, ``fixes #2, #3 and acme/site#4``.

They are read from the texts and commits of merge requests whose target is the default branch.
Source: docs/platform/merge-requests.md ('Closing words').
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final, Unpack

from fakeplat.domain.issuables.resource_events import EventSource
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, ZERO_SHA, Push
from fakeplat.policy.context import ReadContext, WriteContext

# The platform's limit for one push; older commits close nothing.
_MOST_COMMITS: Final = 100
# Accepts #1, issue #1, site#1, acme/site#1 and https://example.com/acme/site/-/issues/1.
_ISSUE: Final = r"(?:issues?\s+)?(?:(?:[\w.-]+/)*[\w.-]*#\d+|https?://\S+/-/issues/\d+)"
# Only the first letter may be a capital.
CLOSING_WORDS: Final = (
    r"\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):?\s+"
)
# Accepts a closing word and a list, as in "Fixes: #1, #2 and site#3".
_CLOSING: Final = (
    rf"{CLOSING_WORDS}"
    # Whitespace alone separates two issues only if another issue follows it.
    rf"(?:{_ISSUE}(?:(?:\s*,)?\s+and\s+|\s*,\s*|\s+(?={_ISSUE}))?)+"
)


def find_closing_references(ctx: ReadContext, project: Project, texts: Iterable[str | None]) -> list[Issue]:
    """Return the issues that the texts close, resolved relative to a project, visible to the caller or not."""
    issues_by_id: dict[int, Issue] = {}
    for text in texts:
        for phrase in re.finditer(_CLOSING, references.strip_code(text)):
            issues_by_id.update(references.find_issues(ctx, project, phrase[0]))
    return list(issues_by_id.values())


def has_closing_words(text: str | None) -> bool:
    """Return whether a text contains a closing phrase."""
    return re.search(_CLOSING, references.strip_code(text)) is not None


def list_closing_issues(ctx: ReadContext, merge_request: MergeRequest) -> list[Issue]:
    """Return the issues that a merge will close, as stored at the last change or push."""
    closing = (ctx.world.issues.get(id_) for id_ in merge_request.closes_ids)
    return [issue for issue in closing if issue is not None]


def parse_closing_issues(ctx: ReadContext, merge_request: MergeRequest) -> list[Issue]:
    """Parse the current texts and commits for issues to close, whether or not the caller can see them."""
    project = ctx.world.projects[merge_request.project_id]
    return find_closing_references(ctx, project, list_closing_texts(ctx, merge_request))


def list_closing_texts(ctx: ReadContext, merge_request: MergeRequest) -> list[str | None]:
    """Return the texts and messages of commits whose closing phrases take effect; empty if none does."""
    if not _targets_default_branch(ctx, merge_request):
        return []
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    commits = diff_versions.list_commits(ctx.world, merge_request, refs)
    # The newest commits are selected, but references count in the order in which they were written.
    messages = [entry.commit.message for entry in reversed(commits[:_MOST_COMMITS])]
    return [merge_request.title, merge_request.description, *messages]


def parse_texts(ctx: ReadContext, merge_request: MergeRequest) -> list[Issue]:
    """Parse only title and description for issues to close, not the commits."""
    if not _targets_default_branch(ctx, merge_request):
        return []
    project = ctx.world.projects[merge_request.project_id]
    return find_closing_references(ctx, project, [merge_request.title, merge_request.description])


def _targets_default_branch(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether closing phrases take effect: only for the default branch."""
    project = ctx.world.projects[merge_request.project_id]
    return merge_request.target_branch == project.default_branch


def close_referenced_issues(ctx: WriteContext, merge_request: MergeRequest, by: User) -> None:
    """Close the issues that a merged merge request references."""
    if _targets_default_branch(ctx, merge_request):
        project, to_close = ctx.world.projects[merge_request.project_id], list_closing_issues(ctx, merge_request)
        close_issues(ctx, project, to_close, by, source_merge_request_id=merge_request.id)
        for issue in to_close:
            _attribute_to_merge(ctx, issue, merge_request)


def _attribute_to_merge(ctx: WriteContext, issue: Issue, merge_request: MergeRequest) -> None:
    """Name the merge request as the source of an event that the push of its commits has just recorded."""
    # The platform handles the commits of a merge after the merge request, and the issues are closed by then.
    for event in list(ctx.world.state_events.where("subject", ("issue", issue.id)))[-1:]:
        if event.source_commit is not None and event.created_at == ctx.now_iso:
            ctx.world.state_events.change(event, source_commit=None, source_merge_request_id=merge_request.id)


def close_issues(
    ctx: WriteContext, project: Project, to_close: Iterable[Issue], by: User, **source: Unpack[EventSource]
) -> None:
    """Close issues as a user, skipping those they may not change; no-op if the project disables automatic closing."""
    if not project.autoclose_referenced_issues:
        return
    for referenced in to_close:
        # Closing one issue can change or delete others, so each is read again.
        issue = ctx.world.issues.get(referenced.id)
        if issue is None:
            continue
        if noteables.is_visible(ctx.as_user(by), issue) and noteables.can_update(ctx.as_user(by), issue).allowed:
            issues.close(ctx, issue, by, **source)


def close_pushed_references(ctx: WriteContext, push: Push) -> None:
    """Close the issues that commits pushed to the default branch reference."""
    project = ctx.world.projects[push.project_id]
    user = ctx.world.users.get(push.user_id) if push.user_id is not None else None
    if push.ref != f"{BRANCHES}{project.default_branch}" or push.after == ZERO_SHA or user is None:
        return
    if not project.autoclose_referenced_issues:
        return
    for sha, message in _list_new_messages(ctx, project, push):
        close_issues(ctx, project, find_closing_references(ctx, project, [message]), user, source_commit=sha)


def _list_new_messages(ctx: WriteContext, project: Project, push: Push) -> list[tuple[str, str]]:
    """Return the ids and the messages of the commits of a push, oldest first."""
    from fakeplat.git.walk import Selection, walk_by_date

    objects = repositories.open_repository(ctx.world, project).objects
    # A branch that the push created has no earlier head, so all of its history counts as new.
    known = () if push.before == ZERO_SHA else (push.before,)
    newest = islice(walk_by_date(objects, Selection((push.after,), known)), _MOST_COMMITS)
    return [(commit.sha, commit.message) for commit in newest][::-1]
