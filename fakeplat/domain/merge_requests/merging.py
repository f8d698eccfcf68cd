"""Merging: the checks in the platform's order, and what follows.

Source: docs/platform/merge-requests.md ('PUT .../:iid/merge').
"""

from contextlib import suppress
from typing import Any, Final, Literal

from fakeplat.core.operations.errors import Conflict, MethodNotAllowed, NotAcceptable, Unauthorized
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues.issue_notes import join_words
from fakeplat.domain.merge_requests import (
    approval_rules,
    diff_versions,
    merge_checks,
    merge_commits,
    merge_request_history,
    merge_requests,
)
from fakeplat.domain.merge_requests import closing_issues as closing
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes import resolution as resolving
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.projects import pipelines
from fakeplat.domain.repository import protection, repositories
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

BRANCH_CANNOT_BE_MERGED: Final = "Branch cannot be merged"
NOT_MERGEABLE: Final = "Merge request is not mergeable"
MUST_BE_REBASED: Final = "Only fast-forward merge is allowed for your project. Please update your source branch"
OTHER_HEAD: Final = "SHA does not match HEAD of source branch: {}"
NO_CANCEL: Final = "Can't cancel the automatic merge"


Way = Literal["now", "later"]


@frozen
class MergeOptions:
    """How somebody wants it merged; None: as the merge request says."""

    merge_commit_message: str | None = None
    squash_commit_message: str | None = None
    squash: bool | None = None
    should_remove_source_branch: bool | None = None
    merge_when_pipeline_succeeds: bool = False
    sha: str | None = None


def accept(ctx: WriteContext, merge_request: MergeRequest, wishes: MergeOptions) -> MergeRequest:
    """Merge now, or when the pipeline succeeds: 401, 405, 406 and 409 in this order for what keeps it from that.

    Where the project only allows what no fast forward can do, it stays open with the text in ``merge_error``.
    """
    world = ctx.world
    project = world.projects[merge_request.project_id]
    if not protection.can_merge(ctx, project, merge_request.target_branch):
        raise Unauthorized(reason=lambda: f"{caller_name(ctx)} may not merge into {merge_request.target_branch!r}")
    later = _must_wait(ctx, merge_request, project, wishes)
    missing = missing_approvals(world, merge_request)
    merge_request = merge_checks.check_now(ctx, merge_request)
    if missing or merge_request.merge_status == "cannot_be_merged":
        raise NotAcceptable(BRANCH_CANNOT_BE_MERGED, reason=missing or "source and target branch are in conflict")
    check_head(world, merge_request, wishes.sha)
    merge_request = _wished(ctx, merge_request, wishes)
    return _wait(ctx, merge_request) if later else merge(ctx, merge_request, ctx.signed_in_user)


def _wait(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Have it merged in the caller's name when the pipeline succeeds."""
    user, head = ctx.signed_in_user, diff_versions.head_sha(ctx.world, merge_request)
    body = f"enabled an automatic merge when the pipeline for {head} succeeds"
    merge_request_history.write_system_note(ctx, merge_request, user, body)
    return ctx.world.merge_requests.change(
        merge_request, merge_when_pipeline_succeeds=True, merge_user_id=user.id, updated_at=ctx.now_iso
    )


def merge_strategy(ctx: ReadContext, merge_request: MergeRequest) -> Way | None:
    """How it would be merged if the caller asked for that: later if a pipeline is under way; None: not at all."""
    project = ctx.world.projects[merge_request.project_id]
    refs = diff_versions.current_refs(ctx.world, merge_request)
    if not protection.can_merge(ctx, project, merge_request.target_branch) or refs is None:
        return None
    if not merge_checks.is_mergeable(ctx.world, merge_request) or _must_be_rebased(ctx, project, refs):
        return None
    if missing_approvals(ctx.world, merge_request):
        return None
    for waits in (True, False):
        with suppress(MethodNotAllowed):
            later = _must_wait(ctx, merge_request, project, MergeOptions(merge_when_pipeline_succeeds=waits))
            return "later" if later else "now"
    return None


def check_head(world: World, merge_request: MergeRequest, sha: str | None) -> None:
    """409 for who does not know the newest commit of the source branch."""
    head = diff_versions.head_sha(world, merge_request)
    if sha and sha != head:
        raise Conflict(OTHER_HEAD.format(head), reason=f"the caller knows {sha}")


def _must_wait(ctx: ReadContext, merge_request: MergeRequest, project: Project, wishes: MergeOptions) -> bool:
    """Whether it is to wait for the pipeline; 405 if it can neither be merged now nor wait."""
    why, pipeline = merge_blocker(ctx, merge_request), pipelines.head_pipeline(ctx.world, merge_request)
    status = pipeline.status if pipeline else None
    waits = wishes.merge_when_pipeline_succeeds and pipeline is not None and pipeline.is_active
    if wishes.merge_when_pipeline_succeeds and not waits and status != "success":
        why = why or f"there is no active pipeline to wait for: {status or 'none'}"
    elif not waits:
        why = why or _obstacle_of_pipeline(project, status)
    if why:
        raise MethodNotAllowed(reason=why)
    return waits


def merge_blocker(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return what keeps a merge request from being merged, but for pipelines, conflicts and approvals; or nothing."""
    world, one = ctx.world, merge_request
    project = world.projects[one.project_id]
    if not one.is_open:
        return f"it is {one.state}"
    if one.work_in_progress:
        return f"its title says that it is a draft: {one.title!r}"
    source, target = diff_versions.source_head(world, one), diff_versions.target_head(world, one)
    if source is None or target is None:
        return f"the branch {one.source_branch if source is None else one.target_branch!r} is not there"
    if _is_in(ctx, project, source, target):
        return f"{one.target_branch!r} has all commits of {one.source_branch!r}"
    if project.only_allow_merge_if_all_discussions_are_resolved and not resolving.all_resolved(ctx.world, one):
        return "not all discussions are resolved, as the project asks for"
    return ""


def missing_approvals(world: World, merge_request: MergeRequest) -> str:
    """Return which rules still need approvals, in words; empty where none does."""
    unmet = approval_rules.list_unmet_rules(world, merge_request)
    return f"approvals are missing: {', '.join(rule.name for rule in unmet)}" if unmet else ""


def _is_in(ctx: ReadContext, project: Project, source: str, target: str) -> bool:
    from fakeplat.git.writing import can_fast_forward

    return can_fast_forward(repositories.open_repository(ctx.world, project).objects, source, target)


def _obstacle_of_pipeline(project: Project, status: str | None) -> str:
    if not project.only_allow_merge_if_pipeline_succeeds:
        return ""
    if status == "success" or (status == "skipped" and project.allow_merge_on_skipped_pipeline):
        return ""
    return f"the pipeline must succeed, as the project asks for: {status or 'there is none'}"


def _wished(ctx: WriteContext, merge_request: MergeRequest, wishes: MergeOptions) -> MergeRequest:
    names = ("merge_commit_message", "squash_commit_message", "squash", "should_remove_source_branch")
    said = {name: value for name in names if (value := getattr(wishes, name)) is not None}
    return ctx.world.merge_requests.change(merge_request, merge_error=None, **said)


def merge(ctx: WriteContext, merge_request: MergeRequest, by: User) -> MergeRequest:
    """Make the commits, move the target branch, and do all that follows. Nobody's rights are asked."""
    world, table = ctx.world, ctx.world.merge_requests
    project = world.projects[merge_request.project_id]
    refs = diff_versions.current_refs(world, merge_request)
    if refs is None or _must_be_rebased(ctx, project, refs):
        return table.change(merge_request, merge_error=NOT_MERGEABLE if refs is None else MUST_BE_REBASED)
    message = merge_request.merge_commit_message or merge_message(ctx, merge_request)
    made = merge_commits.MergeCommits(ctx, project, merge_request, refs, by).made(message)
    locked = table.change(merge_request, state="locked")
    repositories.move_refs(ctx, project, {BRANCHES + merge_request.target_branch: made.target}, by)
    locked = table[locked.id]
    merged = merge_requests.set_state(
        ctx,
        locked,
        "merged",
        by,
        merged_at=ctx.now_iso,
        merged_by_id=by.id,
        merge_commit_sha=made.merge,
        squash_commit_sha=made.squash,
        merge_when_pipeline_succeeds=False,
        merge_status="can_be_merged",
    )
    closing.close_referenced_issues(ctx, merged, by)
    _remove_source(ctx, merged, by)
    return table[merged.id]


def _must_be_rebased(ctx: ReadContext, project: Project, refs: DiffRefs) -> bool:
    return project.merge_method != "merge" and not _is_in(ctx, project, refs.start, refs.head)


def merge_message(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """What a merge commit says unless something else is wanted; of issues it names those that the author sees."""
    project, author = (
        ctx.world.projects[merge_request.project_id],
        ctx.as_user(ctx.world.users[merge_request.author_id]),
    )
    seen = [one for one in closing.list_closing_issues(ctx, merge_request) if noteables.is_visible(author, one)]
    named = [f"#{one.iid}" if one.project_id == project.id else _full(ctx.world, one) for one in seen]
    parts = [
        f"Merge branch '{merge_request.source_branch}' into '{merge_request.target_branch}'",
        merge_request.title,
        f"Closes {join_words(named)}" if named else "",
        f"See merge request {project_path(ctx.world, project)}!{merge_request.iid}",
    ]
    return "\n\n".join(part for part in parts if part)


def _full(world: World, issue: Issue) -> str:
    return f"{project_path(world, world.projects[issue.project_id])}#{issue.iid}"


def _remove_source(ctx: WriteContext, merged: MergeRequest, by: User) -> None:
    """Remove the source branch where that is wanted, and nothing speaks against it."""
    wanted = merged.should_remove_source_branch
    wanted = bool(merged.force_remove_source_branch) if wanted is None else wanted
    source = ctx.world.projects.get(merged.source_project_id) if merged.source_project_id is not None else None
    if not wanted or source is None:
        return
    branch = merged.source_branch
    user = ctx.world.users.get(merged.author_id) if merged.force_remove_source_branch else by
    remover = ctx.as_user(user or by)
    stands = diff_versions.source_head(ctx.world, merged) == diff_versions.head_sha(ctx.world, merged)
    protected = branch == source.default_branch or protection.list_branch_rules(ctx.world, source, branch)
    if stands and not protected and can(remover, Ability.PUSH_CODE, source):
        repositories.move_refs(ctx, source, {BRANCHES + branch: None}, by)


def cancel(ctx: WriteContext, merge_request: MergeRequest) -> dict[str, Any]:
    """Wait no more for the pipeline; the body says how that went. 401 for who may not merge and did not write it."""
    project = ctx.world.projects[merge_request.project_id]
    ability = protection.can_merge(ctx, project, merge_request.target_branch)
    if not ability and ctx.signed_in_user.id != merge_request.author_id:
        raise Unauthorized(reason=lambda: f"{caller_name(ctx)} neither wrote it nor may merge it")
    if not merge_request.merge_when_pipeline_succeeds:
        return {"message": NO_CANCEL, "status": "error", "http_status": 406}
    waiting = cancel_auto_merge(ctx, merge_request)
    merge_request_history.write_system_note(ctx, waiting, ctx.signed_in_user, "canceled the automatic merge")
    return {"status": "success"}


def cancel_auto_merge(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """It is not to be merged by itself any more."""
    return ctx.world.merge_requests.change(
        merge_request,
        merge_when_pipeline_succeeds=False,
        merge_user_id=None,
        should_remove_source_branch=None,
        merge_commit_message=None,
        squash_commit_message=None,
    )
