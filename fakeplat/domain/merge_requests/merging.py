"""Merging: the checks in the platform's order, the merge, and its effects.

Source: docs/platform/merge-requests.md ('PUT .../:iid/merge').
"""

from contextlib import suppress
from typing import Any, Final, Literal

from fakeplat.core.operations.errors import (
    BadRequest,
    Conflict,
    MethodNotAllowed,
    NotAcceptable,
    Refusal,
    Unauthorized,
    Unprocessable,
)
from fakeplat.core.store.frozen import frozen
from fakeplat.domain import signals
from fakeplat.domain.ci import pipelines
from fakeplat.domain.merge_requests import (
    approval_states,
    closing_issues,
    detailed_merge_status,
    merge_checks,
    merge_commits,
    merge_refs,
    merge_request_history,
    merge_requests,
    merge_trains,
    message_templates,
)
from fakeplat.domain.notes import resolution
from fakeplat.domain.people.namespaces import owner_of, project_path
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection, push_rule_checks, repositories, size_limits
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import DiffRefs, MergeRequest, MergeTrain
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.behaviours import (
    CONFLICTS_FORBID_MERGING,
    FAILED_MERGES_ARE_UNPROCESSABLE,
    HEADS_ARE_CHECKED_FIRST,
    MERGE_WHEN_CHECKS_PASS,
    MERGES_MAY_NEED_A_SHA,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

BRANCH_CANNOT_BE_MERGED: Final = "Branch cannot be merged"
NOT_MERGEABLE: Final = "Merge request is not mergeable"
MUST_BE_REBASED: Final = "Only fast-forward merge is allowed for your project. Please update your source branch"
SHA_MISMATCH: Final = "SHA does not match HEAD of source branch: {}"
CANNOT_CANCEL: Final = "Can't cancel the automatic merge"


MergeTiming = Literal["now", "later"]


@frozen
class MergeOptions:
    """Options of a merge; None: as stored on the merge request."""

    merge_commit_message: str | None = None
    squash_commit_message: str | None = None
    squash: bool | None = None
    should_remove_source_branch: bool | None = None
    merge_when_pipeline_succeeds: bool = False
    sha: str | None = None
    skip_merge_train: bool = False


def accept(ctx: WriteContext, merge_request: MergeRequest, options: MergeOptions) -> MergeRequest:
    """Merge now, or when the pipeline succeeds. Refusals are in this order: 401, 405, 406, 409; later 401, 409, 405.

    If the project requires a fast-forward merge that is impossible, the merge request stays open with ``merge_error``.
    """
    world = ctx.world
    project = world.projects[merge_request.project_id]
    # The platform responds with 401 here, not 403, even to callers who are signed in.
    if not protection.can_merge(ctx, project, merge_request.target_branch):
        branch = merge_request.target_branch
        raise Unauthorized(reason=lambda: protection.explain_merge(ctx, project, branch))
    if ctx.profile.has(HEADS_ARE_CHECKED_FIRST):
        check_head(world, merge_request, options.sha)
    # This raises 405, which precedes the refusals of what branches cannot do.
    must_wait = _must_wait(ctx, merge_request, project, options)
    merge_request = merge_checks.check_now(ctx, merge_request)
    obstacle = _explain_branches(ctx, merge_request, project)
    if obstacle:
        raise _refuse_branches(ctx, obstacle)
    check_head(world, merge_request, options.sha)
    merge_request = apply_options(ctx, merge_request, options)
    if must_wait:
        return enable_auto_merge(ctx, merge_request)
    merged = merge(ctx, merge_request, ctx.signed_in_user)
    if merged.state == "merged" and options.skip_merge_train and project.merge_trains_skip_train_allowed:
        merge_trains.insert_skip_merged(ctx, merged, ctx.signed_in_user)
    return merged


def require_sha(ctx: ReadContext, project: Project, sha: str | None) -> None:
    """Refuse with 400 if ``sha`` is missing where a group or the instance requires it."""
    if not sha and ctx.profile.has(MERGES_MAY_NEED_A_SHA) and _is_sha_required(ctx.world, project):
        raise BadRequest("SHA must be provided when merging", reason="require_sha_for_merge is on")


def _is_sha_required(world: World, project: Project) -> bool:
    """Return the value of the outermost namespace that locks it, else of the closest one that has one."""
    groups = [group for group in ancestors(world, project.namespace_id) if isinstance(group, Group)]
    deciding: list[Settings | Group] = [world.settings, *reversed(groups)]
    locked = (each for each in deciding if each.lock_require_sha_for_merge and each.require_sha_for_merge is not None)
    closest = (each for each in reversed(deciding) if each.require_sha_for_merge is not None)
    return bool(next(locked, next(closest)).require_sha_for_merge)


def _explain_branches(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> str:
    """Return why the branches cannot be merged now; empty if they can. Missing approvals once counted among that."""
    if not ctx.profile.has(FAILED_MERGES_ARE_UNPROCESSABLE):
        missing = missing_approvals(ctx.world, merge_request)
        if missing:
            return missing
    if merge_request.merge_status == "cannot_be_merged":
        return "source and target branch are in conflict"
    refs = diff_versions.compute_refs(ctx.world, merge_request)
    if ctx.profile.has(FAILED_MERGES_ARE_UNPROCESSABLE) and refs is not None and _must_be_rebased(ctx, project, refs):
        return "the project requires a rebase first"
    return ""


def _refuse_branches(ctx: ReadContext, reason: str) -> Refusal:
    if ctx.profile.has(CONFLICTS_FORBID_MERGING):
        return MethodNotAllowed(reason=reason)
    if ctx.profile.has(FAILED_MERGES_ARE_UNPROCESSABLE):
        return Unprocessable(BRANCH_CANNOT_BE_MERGED, reason=reason)
    return NotAcceptable(BRANCH_CANNOT_BE_MERGED, reason=reason)


def enable_auto_merge(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Enable the automatic merge when the pipeline succeeds or, in later releases, all checks pass, as the caller."""
    if merge_trains.are_enabled(ctx.world, ctx.world.projects[merge_request.project_id]):
        return enable_joining(ctx, merge_request)
    user, head = ctx.signed_in_user, diff_versions.head_sha(ctx.world, merge_request)
    condition = (
        f"all merge checks for {head} pass"
        if ctx.profile.has(MERGE_WHEN_CHECKS_PASS)
        else f"the pipeline for {head} succeeds"
    )
    body = f"enabled an automatic merge when {condition}"
    merge_request_history.write_system_note(ctx, merge_request, user, body)
    waiting = ctx.world.merge_requests.change(
        merge_request, merge_when_pipeline_succeeds=True, merge_user_id=user.id, updated_at=ctx.now_iso
    )
    signals.merge_request_auto_merge_set.send(ctx, waiting)
    return waiting


def enable_joining(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Put a merge request on the train of its target branch, as the caller, when all its checks pass."""
    user, body = ctx.signed_in_user, "enabled automatic add to merge train when checks pass"
    merge_request_history.write_system_note(ctx, merge_request, user, body)
    return ctx.world.merge_requests.change(
        merge_request,
        merge_when_pipeline_succeeds=True,
        joins_merge_train=True,
        merge_user_id=user.id,
        updated_at=ctx.now_iso,
    )


def waiting_strategy(ctx: ReadContext) -> str:
    """Return the name of the strategy by which a merge waits."""
    checks = ctx.profile.has(MERGE_WHEN_CHECKS_PASS)
    return "merge_when_checks_pass" if checks else "merge_when_pipeline_succeeds"


def merge_strategy(ctx: ReadContext, merge_request: MergeRequest) -> MergeTiming | None:
    """Return how a merge by the caller would go: later if a pipeline is in progress; None if it cannot be merged."""
    project = ctx.world.projects[merge_request.project_id]
    if not _fits(ctx, merge_request, project):
        return None
    # Waiting is tried first: without that option an active pipeline would be ignored and the merge be immediate.
    with suppress(MethodNotAllowed):
        if _must_wait(ctx, merge_request, project, MergeOptions(merge_when_pipeline_succeeds=True)):
            return "later"
    return "now" if _need_not_wait(ctx, merge_request, project) else None


def can_merge_now(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether nothing stands in the way of a merge by the caller."""
    project = ctx.world.projects[merge_request.project_id]
    return _fits(ctx, merge_request, project) and _need_not_wait(ctx, merge_request, project)


def _need_not_wait(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    with suppress(MethodNotAllowed):
        return not _must_wait(ctx, merge_request, project, MergeOptions())
    return False


def can_wait(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the caller and the branches allow a merge later, whatever the pipeline's status."""
    project = ctx.world.projects[merge_request.project_id]
    if not _fits(ctx, merge_request, project):
        return False
    waits_for_all = ctx.profile.has(MERGE_WHEN_CHECKS_PASS)
    return not (_lasting_blocker if waits_for_all else merge_blocker)(ctx, merge_request)


def _fits(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    """Return whether the caller and the branches allow a merge as soon as all checks pass."""
    refs = diff_versions.compute_refs(ctx.world, merge_request)
    if not protection.can_merge(ctx, project, merge_request.target_branch) or refs is None:
        return False
    if not merge_checks.is_mergeable(ctx.world, merge_request, refs) or _must_be_rebased(ctx, project, refs):
        return False
    # Later releases can wait for approvals, which then are among the checks.
    return ctx.profile.has(MERGE_WHEN_CHECKS_PASS) or not missing_approvals(ctx.world, merge_request)


def check_head(world: World, merge_request: MergeRequest, sha: str | None) -> None:
    """Refuse with 409 if ``sha`` is not the head of the source branch."""
    head = diff_versions.head_sha(world, merge_request)
    if sha and sha != head:
        raise Conflict(SHA_MISMATCH.format(head), reason=f"the request names {sha}")


def _must_wait(ctx: ReadContext, merge_request: MergeRequest, project: Project, options: MergeOptions) -> bool:
    """Return whether to wait for the pipeline; 405 if it can neither be merged now nor wait."""
    if options.merge_when_pipeline_succeeds and ctx.profile.has(MERGE_WHEN_CHECKS_PASS):
        return _must_wait_for_checks(ctx, merge_request, project)
    blocker, pipeline = merge_blocker(ctx, merge_request), pipelines.head_pipeline(ctx.world, merge_request)
    status = pipeline.status if pipeline else None
    can_wait = options.merge_when_pipeline_succeeds and pipeline is not None and pipeline.is_active
    # With a pipeline that has already succeeded there is nothing to wait for, and the merge is immediate.
    if options.merge_when_pipeline_succeeds and not can_wait and status != "success":
        blocker = (
            blocker or f"there is no active pipeline to wait for; the status of the head pipeline is {status or 'none'}"
        )
    elif not can_wait:
        blocker = blocker or _pipeline_blocker(project, status)
    if blocker:
        raise MethodNotAllowed(reason=blocker)
    return can_wait


def _must_wait_for_checks(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    """Return whether to wait until all checks pass; 405 if that will not happen or there is nothing to wait for."""
    pipeline = pipelines.head_pipeline(ctx.world, merge_request)
    status = pipeline.status if pipeline else None
    blocker = _lasting_blocker(ctx, merge_request)
    if blocker:
        raise MethodNotAllowed(reason=blocker)
    is_active = pipeline is not None and pipeline.is_active
    if is_active or merge_blocker(ctx, merge_request) or _pipeline_blocker(project, status):
        return True
    if status != "success" and not (pipeline is None and ctx.profile.has(CONFLICTS_FORBID_MERGING)):
        raise MethodNotAllowed(
            reason=f"there is nothing to wait for; the status of the head pipeline is {status or 'none'}"
        )
    return False


def merge_blocker(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return what blocks the merge, except for pipelines and conflicts; empty if nothing does.

    Approvals are among that only in later releases.
    """
    world = ctx.world
    project = world.projects[merge_request.project_id]
    # Earlier releases check approvals together with the branches.
    ignored = () if ctx.profile.has(FAILED_MERGES_ARE_UNPROCESSABLE) else ("not_approved",)
    for obstacle in detailed_merge_status.list_paid_obstacles(ctx, merge_request, project):
        if obstacle not in ignored:
            return f"its detailed_merge_status is {obstacle}"
    if merge_request.is_open and detailed_merge_status.is_too_early(ctx, merge_request):
        return f"it may not be merged before {merge_request.merge_after}"
    if merge_request.is_open and merge_request.work_in_progress:
        return f"its title marks it as a draft: {merge_request.title!r}"
    blocker = _lasting_blocker(ctx, merge_request)
    if blocker:
        return blocker
    if project.only_allow_merge_if_all_discussions_are_resolved and not resolution.all_resolved(world, merge_request):
        return "the project requires all discussions to be resolved, and some are not"
    if detailed_merge_status.has_wrong_title(ctx, merge_request, project):
        return f"the project does not allow its title: {merge_request.title!r}"
    if detailed_merge_status.has_locked_files(ctx, merge_request, project):
        return "it changes files that others have locked with Git LFS"
    return ""


def _lasting_blocker(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return what blocks the merge until somebody pushes or reopens it; empty if nothing does."""
    world = ctx.world
    project = world.projects[merge_request.project_id]
    source_branch, target_branch = merge_request.source_branch, merge_request.target_branch
    if not merge_request.is_open:
        return f"it is {merge_request.state}"
    source, target = (
        diff_versions.source_head_sha(world, merge_request),
        diff_versions.target_head_sha(world, merge_request),
    )
    if source is None or target is None:
        return f"the branch {source_branch if source is None else target_branch!r} does not exist"
    if _is_ancestor(ctx, project, source, target):
        return f"{target_branch!r} already contains all commits of {source_branch!r}"
    return ""


def missing_approvals(world: World, merge_request: MergeRequest) -> str:
    """Return a message with the rules that still need approvals; empty if none does."""
    unmet = approval_states.list_unmet_rules(world, merge_request)
    return f"approvals are missing: {', '.join(rule.name for rule in unmet)}" if unmet else ""


def _is_ancestor(ctx: ReadContext, project: Project, source: str, target: str) -> bool:
    from fakeplat.git.writing import can_fast_forward

    return can_fast_forward(repositories.open_repository(ctx.world, project).objects, source, target)


def is_ready(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the pipeline and everything else let a waiting merge request be merged, except conflicts."""
    pipeline = pipelines.head_pipeline(ctx.world, merge_request)
    if pipeline is not None and pipeline.is_active:
        return False
    project = ctx.world.projects[merge_request.project_id]
    blocker = merge_blocker(ctx, merge_request) or missing_approvals(ctx.world, merge_request)
    return not (blocker or _pipeline_blocker(project, pipeline.status if pipeline else None))


def _pipeline_blocker(project: Project, status: str | None) -> str:
    if not project.only_allow_merge_if_pipeline_succeeds:
        return ""
    if status == "success" or (status == "skipped" and project.allow_merge_on_skipped_pipeline):
        return ""
    return f"the project requires a successful pipeline; its status is {status or 'none, as there is no pipeline'}"


def apply_options(ctx: WriteContext, merge_request: MergeRequest, options: MergeOptions) -> MergeRequest:
    """Store the options of a merge that were chosen."""
    names = ("merge_commit_message", "squash_commit_message", "squash", "should_remove_source_branch")
    chosen = {name: value for name in names if (value := getattr(options, name)) is not None}
    return ctx.world.merge_requests.change(merge_request, merge_error=None, **chosen)


def merge(ctx: WriteContext, merge_request: MergeRequest, by: User) -> MergeRequest:
    """Create the commits, move the target branch and apply all effects of the merge, without permission checks."""
    world, table = ctx.world, ctx.world.merge_requests
    project = world.projects[merge_request.project_id]
    refs = diff_versions.compute_refs(world, merge_request)
    if refs is None or _must_be_rebased(ctx, project, refs):
        return table.change(merge_request, merge_error=NOT_MERGEABLE if refs is None else MUST_BE_REBASED)
    message = merge_request.merge_commit_message or merge_message(ctx, merge_request)
    objection = size_limits.explain_merge_objection(world, project) or push_rule_checks.explain_merge_objection(
        ctx, project, message, by
    )
    if objection:
        return table.change(merge_request, merge_error=objection)
    commits = merge_commits.MergeCommits(ctx, project, merge_request, refs, by).create(message)
    # While it is locked it is not open, so the push to the target does not also mark it as merged.
    locked = table.change(merge_request, state="locked")
    repositories.move_refs(ctx, project, {BRANCHES + merge_request.target_branch: commits.target}, by)
    # The push to the target may have changed the record.
    locked = table[locked.id]
    merged = merge_requests.set_state(
        ctx,
        locked,
        by,
        state="merged",
        merged_at=ctx.now_iso,
        merged_by_id=by.id,
        merge_commit_sha=commits.merge,
        squash_commit_sha=commits.squash,
        merge_when_pipeline_succeeds=False,
        joins_merge_train=False,
        merge_status="can_be_merged",
    )
    merge_trains.leave(ctx, merged)
    closing_issues.close_referenced_issues(ctx, merged, by)
    _remove_source_branch(ctx, merged, by)
    return table[merged.id]


def _must_be_rebased(ctx: ReadContext, project: Project, refs: DiffRefs) -> bool:
    return project.merge_method != "merge" and not _is_ancestor(ctx, project, refs.start, refs.head)


def merge_message(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return the default message of the merge commit; it names only closed issues that the author can see."""
    project = ctx.world.projects[merge_request.project_id]
    if project.merge_commit_template:
        return message_templates.fill_in(ctx, project.merge_commit_template, merge_request)
    parts = [
        f"Merge branch '{merge_request.source_branch}' into '{merge_request.target_branch}'",
        merge_request.title,
        message_templates.closing_text(ctx, merge_request),
        f"See merge request {project_path(ctx.world, project)}!{merge_request.iid}",
    ]
    return "\n\n".join(part for part in parts if part)


def _remove_source_branch(ctx: WriteContext, merged: MergeRequest, by: User) -> None:
    """Delete the source branch if that was chosen and the user may do so."""
    # The choice at the merge takes precedence over the choice of the author.
    should_remove = merged.should_remove_source_branch
    if should_remove is None:
        should_remove = bool(merged.force_remove_source_branch)
    source = ctx.world.projects.get(merged.source_project_id) if merged.source_project_id is not None else None
    if not should_remove or source is None:
        return
    # A choice of the author is carried out with the author's permissions, not with those of the merger.
    user = ctx.world.users.get(merged.author_id) if merged.force_remove_source_branch else by
    if can_remove_source_branch(ctx.as_user(user or by), merged):
        repositories.move_refs(ctx, source, {BRANCHES + merged.source_branch: None}, by)


def can_remove_source_branch(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the source branch has not moved, is not protected, and the caller may push to it."""
    source, branch = ctx.world.projects.get(merge_request.source_project_id or 0), merge_request.source_branch
    head = diff_versions.source_head_sha(ctx.world, merge_request)
    if source is None or head is None or head != diff_versions.head_sha(ctx.world, merge_request):
        return False
    is_protected = branch == source.default_branch or protection.list_branch_rules(ctx.world, source, branch)
    return not is_protected and can(ctx, Ability.PUSH_CODE, source)


def can_push_to_source_branch(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the source branch exists and the caller may push to it."""
    source = ctx.world.projects.get(merge_request.source_project_id or 0)
    if source is None or diff_versions.source_head_sha(ctx.world, merge_request) is None:
        return False
    return protection.can_push(ctx, source, merge_request.source_branch)


def can_pick(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the caller can bring what was merged to another branch, in the project or in an own fork of it."""
    if merge_request.state != "merged" or not _has_merged_commit(ctx.world, merge_request):
        return False
    project = ctx.world.projects[merge_request.project_id]
    if can(ctx, Ability.PUSH_CODE, project):
        return True
    forks = ctx.world.projects.where("forked_from", project.id)
    owners = [owner_of(ctx.world, ctx.world.namespaces[fork.namespace_id]) for fork in forks]
    return ctx.viewer is not None and ctx.viewer in owners and can(ctx, Ability.CREATE_MERGE_REQUEST_IN, project)


def _has_merged_commit(world: World, merge_request: MergeRequest) -> bool:
    """Return whether one commit has all that was merged."""
    if merge_request.merge_commit_sha or merge_request.squash_commit_sha:
        return True
    refs = diff_versions.latest_refs(world, merge_request)
    return len(diff_versions.list_commits(world, merge_request, refs)) == 1


def cancel_as_caller(ctx: WriteContext, merge_request: MergeRequest) -> dict[str, Any]:
    """Cancel the automatic merge and return the response body. 401 unless the caller may merge or is the author."""
    project = ctx.world.projects[merge_request.project_id]
    may_merge = protection.can_merge(ctx, project, merge_request.target_branch)
    if not may_merge and ctx.signed_in_user.id != merge_request.author_id:
        raise Unauthorized(reason=lambda: f"{caller_name(ctx)} is not its author and may not merge it")
    if not merge_request.merge_when_pipeline_succeeds:
        # The platform passes on the result of its service under 201, so 406 appears only in the body.
        return {"message": CANNOT_CANCEL, "status": "error", "http_status": 406}
    _cancel_with_note(ctx, merge_request)
    return {"status": "success"}


def _cancel_with_note(ctx: WriteContext, merge_request: MergeRequest) -> None:
    body = "canceled the automatic merge"
    if merge_trains.find_active(ctx.world, merge_request) is not None:
        body = "removed this merge request from the merge train"
    elif merge_request.joins_merge_train:
        body = "cancelled automatic add to merge train"
    canceled = cancel_auto_merge(ctx, merge_request)
    merge_request_history.write_system_note(ctx, canceled, ctx.signed_in_user, body)


def leave_train(ctx: WriteContext, train: MergeTrain) -> None:
    """Take a merge request off its train, or its merge off the history of that, as the caller."""
    merge_request = ctx.world.merge_requests[train.merge_request_id]
    if merge_request.merge_when_pipeline_succeeds:
        _cancel_with_note(ctx, merge_request)
    else:
        purge(ctx, train)


def abort_auto_merge(ctx: WriteContext, merge_request: MergeRequest, reason: str, by: User | None) -> MergeRequest:
    """Cancel the automatic merge for a reason, which is noted."""
    body = f"aborted the automatic merge because {reason}"
    if merge_trains.find_active(ctx.world, merge_request) is not None:
        link = f"{ctx.origin}/help/ci/pipelines/merge_trains#merge-request-dropped-from-the-merge-train"
        body = f"removed this merge request from the merge train because {reason}. [Learn more]({link})."
    elif merge_request.joins_merge_train:
        body = f"aborted automatic add to merge train because {reason}"
    canceled = cancel_auto_merge(ctx, merge_request)
    merge_request_history.write_system_note(ctx, canceled, by, body)
    return canceled


def cancel_auto_merge(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Disable the automatic merge and reset its options; a merge request on a train leaves it."""
    merge_trains.leave(ctx, merge_request)
    return ctx.world.merge_requests.change(
        merge_request,
        merge_when_pipeline_succeeds=False,
        joins_merge_train=False,
        merge_user_id=None,
        should_remove_source_branch=None,
        merge_commit_message=None,
        squash_commit_message=None,
    )


def require_merge_ref(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return the commit of the merge ref; 400 if the branches cannot be merged."""
    sha = merge_refs.find_merge_ref(ctx.world, merge_request)
    # An older merge ref may still exist, but the platform does not serve it once the check has failed.
    if sha is None or not merge_request.is_open or merge_request.merge_status == "cannot_be_merged":
        raise BadRequest(
            NOT_MERGEABLE, reason=f"its state is {merge_request.state}, its merge status {merge_request.merge_status}"
        )
    return sha
