"""Why a merge request cannot be merged now, in one word. Source: docs/decisions/choices.md ('Merge requests').

Releases since 15.6 show it; ``merge_status`` only tells whether there are conflicts.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from fakeplat.core.regexps import compile_regexp
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.ci import pipelines
from fakeplat.domain.integrations.issue_trackers import JIRA, find_keys
from fakeplat.domain.merge_requests import approval_states, blocks, merge_checks, reviewers
from fakeplat.domain.notes import resolution
from fakeplat.domain.projects import services, status_checks
from fakeplat.domain.repository import lfs_locks, path_locks
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import explain_regex_error
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repository import LfsLock, PathLock
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    CHANGE_REQUESTS_BLOCK_MERGING,
    COMMITS_STATUS,
    CONFLICT_STATUS,
    JIRA_KEYS_ARE_REQUIRED,
    LOCKS_BLOCK_MERGING,
    LONG_STATUS_NAMES,
    NEED_REBASE,
    TITLES_ARE_CHECKED,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

DetailedMergeStatus = Literal[
    "unchecked",
    "checking",
    "requested_changes",
    "not_approved",
    "merge_request_blocked",
    "blocked_status",
    "jira_association_missing",
    "status_checks_must_pass",
    "external_status_checks",
    "locked_paths",
    "not_open",
    "merge_time",
    "draft_status",
    "commits_status",
    "broken_status",
    "discussions_not_resolved",
    "title_regex",
    "locked_lfs_files",
    "conflict",
    "need_rebase",
    "ci_still_running",
    "ci_must_pass",
    "mergeable",
]
_UNFINISHED: Final[dict[str, DetailedMergeStatus]] = {"unchecked": "unchecked", "checking": "checking"}


def get_status(ctx: ReadContext, merge_request: MergeRequest) -> DetailedMergeStatus:
    """Return the first obstacle of a merge, or that there is none."""
    unfinished = _UNFINISHED.get(merge_checks.public_status(merge_request.merge_status))
    if unfinished is not None and merge_request.is_open:
        return unfinished
    project = ctx.world.projects[merge_request.project_id]
    return next(_list_obstacles(ctx, merge_request, project), None) or _get_pipeline_status(ctx, merge_request, project)


def list_obstacles(ctx: ReadContext, merge_request: MergeRequest) -> list[DetailedMergeStatus]:
    """Return all obstacles of a merge, and the state of the pipeline if that is one."""
    project = ctx.world.projects[merge_request.project_id]
    status = _get_pipeline_status(ctx, merge_request, project)
    of_pipeline: list[DetailedMergeStatus] = [] if status == "mergeable" else ["ci_must_pass"]
    return [*_list_obstacles(ctx, merge_request, project), *of_pipeline]


def _list_obstacles(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> Iterator[DetailedMergeStatus]:
    """Yield the obstacles in the order of the platform, those of paid tiers first."""
    yield from list_paid_obstacles(ctx, merge_request, project)
    if not merge_request.is_open:
        yield "not_open"
    if is_too_early(ctx, merge_request):
        yield "merge_time"
    if merge_request.work_in_progress:
        yield "draft_status"
    is_broken = merge_request.merge_status == "cannot_be_merged"
    if is_broken and (not ctx.profile.has(CONFLICT_STATUS) or not diff_versions.has_commits(ctx.world, merge_request)):
        # One check became two, of which that of conflicts is the later one.
        yield "commits_status" if ctx.profile.has(COMMITS_STATUS) else "broken_status"
    if project.only_allow_merge_if_all_discussions_are_resolved and not resolution.all_resolved(
        ctx.world, merge_request
    ):
        yield "discussions_not_resolved"
    if has_wrong_title(ctx, merge_request, project):
        yield "title_regex"
    if has_locked_files(ctx, merge_request, project):
        yield "locked_lfs_files"
    if is_broken:
        yield "conflict"
    needs_fast_forward = project.merge_method != "merge" and ctx.profile.has(NEED_REBASE)
    if needs_fast_forward and diff_versions.count_diverged_commits(ctx.world, merge_request) > 0:
        yield "need_rebase"


def list_paid_obstacles(
    ctx: ReadContext, merge_request: MergeRequest, project: Project
) -> Iterator[DetailedMergeStatus]:
    """Yield the obstacles that only paid tiers have."""
    if not has_feature(ctx.world, "premium", project):
        return
    if ctx.profile.has(CHANGE_REQUESTS_BLOCK_MERGING) and reviewers.has_requested_changes(merge_request):
        yield "requested_changes"
    if approval_states.list_unmet_rules(ctx.world, merge_request):
        yield "not_approved"
    if blocks.is_blocked(ctx.world, merge_request):
        yield "merge_request_blocked" if ctx.profile.has(LONG_STATUS_NAMES) else "blocked_status"
    if ctx.profile.has(JIRA_KEYS_ARE_REQUIRED) and _lacks_jira_key(ctx.world, merge_request, project):
        yield "jira_association_missing"
    if status_checks.are_missing(ctx.world, merge_request):
        yield "status_checks_must_pass" if ctx.profile.has(LONG_STATUS_NAMES) else "external_status_checks"
    if _has_locked_paths(ctx, merge_request, project):
        yield "locked_paths"


def has_locked_files(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    """Return whether a merge request changes files that others than its author have locked."""
    if not (ctx.profile.has(LOCKS_BLOCK_MERGING) and project.lfs_enabled):
        return False
    locks = lfs_locks.list_locks(ctx.world, project)
    return _changes_locked(ctx.world, merge_request, locks)


def _has_locked_paths(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    """Return whether a merge request into the default branch changes paths that others than its author have locked."""
    if not ctx.profile.has(LOCKS_BLOCK_MERGING) or merge_request.target_branch != project.default_branch:
        return False
    # Unlike a push, a merge request does not heed the locks of directories.
    return _changes_locked(ctx.world, merge_request, path_locks.list_locks(ctx.world, project))


def _changes_locked(world: World, merge_request: MergeRequest, locks: Iterable[LfsLock | PathLock]) -> bool:
    locked = {lock.path for lock in locks if lock.user_id != merge_request.author_id}
    # To compare the branches is the expensive part.
    return bool(locked) and not locked.isdisjoint(diff_versions.list_changed_paths(world, merge_request))


def _lacks_jira_key(world: World, merge_request: MergeRequest, project: Project) -> bool:
    """Return whether a merge request has to name an issue of Jira, and does not."""
    texts = (merge_request.title, merge_request.description)
    return requires_jira_keys(world, project) and not any(find_keys(JIRA, text or "") for text in texts)


def requires_jira_keys(world: World, project: Project) -> bool:
    """Return whether merge requests have to name an issue of Jira."""
    if not (project.prevent_merge_without_jira_issue and has_feature(world, "ultimate", project)):
        return False
    return any(service.slug == JIRA for service in services.list_active(world, project))


def has_wrong_title(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    """Return whether the project has an expression for titles, which this one does not match."""
    expression = project.merge_request_title_regex
    # That of a scenario may be invalid, and then forbids nothing.
    if not expression or not ctx.profile.has(TITLES_ARE_CHECKED) or explain_regex_error(expression):
        return False
    return not compile_regexp(expression).is_in(merge_request.title)


def is_too_early(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether a merge request may not be merged yet."""
    return merge_request.merge_after is not None and not ctx.has_passed(from_iso(merge_request.merge_after))


def _get_pipeline_status(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> DetailedMergeStatus:
    if not project.only_allow_merge_if_pipeline_succeeds:
        return "mergeable"
    pipeline = pipelines.head_pipeline(ctx.world, merge_request)
    if _is_accepted(project, pipeline):
        return "mergeable"
    return "ci_still_running" if pipeline is not None and pipeline.is_active else "ci_must_pass"


def _is_accepted(project: Project, pipeline: Pipeline | None) -> bool:
    status = pipeline.status if pipeline else None
    return status == "success" or (status == "skipped" and bool(project.allow_merge_on_skipped_pipeline))
