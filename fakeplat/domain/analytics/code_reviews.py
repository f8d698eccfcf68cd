"""How long open merge requests have been reviewed (paid). Source: docs/platform/analytics.md."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Final

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import HOUR, from_iso
from fakeplat.domain.merge_requests import approvals
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.notes import noteables
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

_NEVER: Final = "9999"
"""A time after all others, for merge requests that nobody has reviewed."""


@frozen
class Selection:
    """Which merge requests are shown: those with all labels and the milestone, and nothing that is excluded."""

    labels: tuple[str, ...] = ()
    milestone: str | None = None
    excluded_labels: tuple[str, ...] = ()
    excluded_milestone: str | None = None


@frozen
class DiffStats:
    """The size of the changes of a merge request."""

    additions: int
    deletions: int
    commits_count: int


def list_reviewed(ctx: ReadContext, project: Project, selection: Selection) -> list[MergeRequest]:
    """Return the open merge requests of a project, the longest reviewed first."""
    chosen = _select(MergeRequestFilter(ctx, project.id), project, selection)
    merge_requests = [ctx.world.merge_requests[id_] for id_ in iterate_bits(chosen)]
    return sorted(merge_requests, key=lambda each: (find_review_start(ctx.world, each) or _NEVER, each.id))


def _select(request_filter: MergeRequestFilter, project: Project, selection: Selection) -> int:
    chosen = request_filter.bits("project", project.id) & request_filter.bits("state", "opened")
    if selection.labels:
        chosen &= request_filter.with_labels(selection.labels)
    if selection.milestone:
        chosen &= request_filter.in_milestone(selection.milestone)
    if selection.excluded_milestone:
        chosen &= ~request_filter.in_milestone(selection.excluded_milestone)
    return chosen & ~reduce(or_, map(request_filter.any_label, selection.excluded_labels), 0)


def find_review_hours(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """Return the full hours since the review began; None before it has begun."""
    start = find_review_start(ctx.world, merge_request)
    return None if start is None else (ctx.now() - from_iso(start)) // HOUR


def find_review_start(world: World, merge_request: MergeRequest) -> str | None:
    """Return the time of the first comment of somebody else, or of the first approval; None without both."""
    comments = (
        note.created_at for note in _list_comments(world, merge_request) if _is_review(world, merge_request, note)
    )
    approved = (approval.created_at for approval in approvals.list_approvals(world, merge_request))
    return min((*comments, *approved), default=None)


def _is_review(world: World, merge_request: MergeRequest, note: Note) -> bool:
    return note.author_id != merge_request.author_id and world.users[note.author_id].kind == "human"


def _list_comments(world: World, merge_request: MergeRequest) -> Iterator[Note]:
    """Return the comments on a merge request and on its commits."""
    yield from world.notes.where("comments", noteables.subject_of(merge_request))
    # Few projects have comments on commits, and only for them are the commits read.
    if any(True for _ in world.notes.where("commits_of", merge_request.project_id)):
        refs = diff_versions.latest_refs(world, merge_request)
        for commit in diff_versions.list_commits(world, merge_request, refs):
            yield from world.notes.where("comments", noteables.subject_of(commit))


def count_changes(world: World, merge_request: MergeRequest) -> DiffStats:
    """Return the numbers of lines that a merge request adds and deletes, and of its commits."""
    refs = diff_versions.latest_refs(world, merge_request)
    files = [diff.file for diff in diff_versions.list_diffs(world, merge_request, refs)]
    return DiffStats(
        sum(file.additions for file in files),
        sum(file.deletions for file in files),
        len(diff_versions.list_commits(world, merge_request, refs)),
    )
