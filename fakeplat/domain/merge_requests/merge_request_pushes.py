"""Effects of pushes on merge requests: new versions, merges by push, and push options.

Source: docs/platform/merge-requests.md, docs/platform/git-over-http.md ('Push effects').
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain import signals
from fakeplat.domain.merge_requests import (
    approvals,
    closing_issues,
    merge_checks,
    merge_request_history,
    merge_requests,
    merging,
    outdated_positions,
)
from fakeplat.domain.merge_requests.merge_requests import MergeRequestParams
from fakeplat.domain.notes import todos
from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, ZERO_SHA, Push
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import Caller, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Commit

_MAX_LISTED_COMMITS: Final = 100
_OPTION_PREFIX: Final = "merge_request."
PushOptions = dict[str, list[str]]
"""The values of each option; of most options the last one counts."""


def handle_push(ctx: WriteContext, push: Push) -> None:
    """Update the merge requests from and to a branch that moved, then apply the push options."""
    if not push.ref.startswith(BRANCHES):
        return
    branch = push.ref.removeprefix(BRANCHES)
    user = ctx.world.users.get(push.user_id) if push.user_id is not None else None
    # Merges by push come first: what is merged is no longer open, and the steps below skip it.
    _mark_merged_by_push(ctx, push, branch, user)
    for merge_request in list(ctx.world.merge_requests.where("open_from", (push.project_id, branch))):
        _handle_source_push(ctx, merge_request, push, user)
    # A branch that was just created or deleted cannot have lost commits to a forced push.
    if push.after != ZERO_SHA and push.before != ZERO_SHA:
        _handle_forced_push(ctx, push, branch, user)
    if user is not None and push.options and push.after != ZERO_SHA:
        _apply_push_options(ctx, push, branch, user)


def _mark_merged_by_push(ctx: WriteContext, push: Push, branch: str, user: User | None) -> None:
    """Mark merge requests as merged whose head came into the target branch by a push."""
    world = ctx.world
    # Walking the new commits is expensive, so first see whether any open merge request could be concerned.
    if ZERO_SHA in (push.before, push.after) or not world.merge_requests.ids("open_to", (push.project_id, branch)):
        return
    for sha in _new_commits(ctx, push):
        for version in list(world.diff_versions.where("head", sha)):
            merge_request = world.merge_requests[version.merge_request_id]
            # An older version does not count: its source has moved on and is not merged completely.
            is_target = (merge_request.project_id, merge_request.target_branch) == (push.project_id, branch)
            if is_target and merge_request.is_open and diff_versions.latest_version(world, merge_request) == version:
                _mark_merged(ctx, merge_request, push, user)


def _new_commits(ctx: WriteContext, push: Push) -> list[str]:
    from fakeplat.git.history import History

    objects = repositories.open_repository(ctx.world, ctx.world.projects[push.project_id]).objects
    history = History.of(objects)
    # Ancestors are bitsets: the new commits are those that only the new head reaches.
    after, before = (history.ancestors(objects, sha) for sha in (push.after, push.before))
    return history.shas(after & ~before) if after & ~before else []


def _mark_merged(ctx: WriteContext, merge_request: MergeRequest, push: Push, user: User | None) -> None:
    git = repositories.open_repository(ctx.world, ctx.world.projects[push.project_id])
    head = diff_versions.head_sha(ctx.world, merge_request)
    landed = diff_versions.find_landing_commit(git, head, push.after) if head else None
    merged = merge_requests.set_state(
        ctx,
        merge_request,
        user,
        state="merged",
        merged_at=ctx.now_iso,
        merged_by_id=user.id if user else None,
        merge_commit_sha=landed.sha if landed else None,
        merge_when_pipeline_succeeds=False,
    )
    if user is not None:
        closing_issues.close_referenced_issues(ctx, merged, user)


def _handle_source_push(ctx: WriteContext, merge_request: MergeRequest, push: Push, user: User | None) -> None:
    """Handle a push to the source branch: add a version and invalidate what depended on the old one."""
    merge_request = merge_checks.mark_unchecked(ctx, merge_request)
    # A deleted source branch leaves the last version as it is.
    if push.after == ZERO_SHA:
        return
    before, after = (
        diff_versions.latest_refs(ctx.world, merge_request),
        diff_versions.compute_refs(ctx.world, merge_request),
    )
    # A branch that was deleted and then pushed again without a change needs no new version.
    if after == before:
        return
    diff_versions.insert_version(ctx, merge_request, ctx.now_iso, after)
    outdated_positions.move_positions(ctx, merge_request, before, user)
    approvals.reset_after_push(ctx, merge_request)
    if merge_request.merge_when_pipeline_succeeds:
        merge_request = merging.abort_auto_merge(ctx, merge_request, "source branch was updated", user)
    merge_request = merge_requests.refresh_closing_issues(
        ctx, ctx.world.merge_requests.change(merge_request, updated_at=ctx.now_iso)
    )
    # Without a previous head there is no range of added commits to list.
    if after is not None and push.before != ZERO_SHA:
        body = _describe_commits(_list_added_commits(ctx, merge_request, push))
        merge_request_history.write_system_note(ctx, merge_request, user, body)
    todos.finish_pending(ctx, user, merge_request_history.subject_of(merge_request))
    pushed = ctx.world.merge_requests[merge_request.id]
    signals.merge_request_pushed.send(ctx, pushed, push.before, user)


def _list_added_commits(ctx: WriteContext, merge_request: MergeRequest, push: Push) -> "list[Commit]":
    from fakeplat.git.walk import Selection, walk_by_date

    project = ctx.world.projects[merge_request.project_id]
    objects = repositories.open_repository(ctx.world, project).objects
    return list(walk_by_date(objects, Selection((push.after,), (push.before,))))


def _describe_commits(commits: "list[Commit]") -> str:
    """Return the text of the system note for a push: the number of commits, and the title of each."""
    count = len(commits)
    listed = "".join(
        f"<li>{commit.sha[:8]} - {commit.title}</li>" for commit in reversed(commits[:_MAX_LISTED_COMMITS])
    )
    return f"added {count} commit{'' if count == 1 else 's'}\n\n<ul>{listed}</ul>"


def _handle_forced_push(ctx: WriteContext, push: Push, branch: str, user: User | None) -> None:
    """Add versions to the merge requests into a branch that lost commits, as their merge bases may have changed."""
    from fakeplat.git.writing import can_fast_forward

    objects = repositories.open_repository(ctx.world, ctx.world.projects[push.project_id]).objects
    if can_fast_forward(objects, push.before, push.after):
        return
    for merge_request in list(ctx.world.merge_requests.where("open_to", (push.project_id, branch))):
        # Read before the new version is added, as the latest version is another one afterwards.
        before = diff_versions.latest_refs(ctx.world, merge_request)
        diff_versions.add_version(ctx, merge_request)
        outdated_positions.move_positions(ctx, merge_request, before, user)


def _apply_push_options(ctx: WriteContext, push: Push, branch: str, user: User) -> None:
    """Apply the push options; one that is refused has no effect, as the push itself has succeeded."""
    options = _parse_options(push.options)
    if not options:
        return
    project = ctx.world.projects[push.project_id]
    with suppress(Refusal):
        _apply_options_as_user(_act_as(ctx, user), project, branch, user, options)


def _parse_options(raw: tuple[str, ...]) -> PushOptions:
    """Return the merge request options by name."""
    options: PushOptions = {}
    for option in raw:
        name, _, value = option.removeprefix(_OPTION_PREFIX).partition("=")
        if option.startswith(_OPTION_PREFIX):
            options.setdefault(name, []).append(value)
    return options


def _last_value(options: PushOptions, name: str) -> str:
    return options.get(name, [""])[-1]


def _apply_options_as_user(ctx: WriteContext, project: Project, branch: str, user: User, options: PushOptions) -> None:
    world = ctx.world
    target = _last_value(options, "target") or project.default_branch or ""
    merge_request = next(iter(world.merge_requests.where("open_from", (project.id, branch))), None)
    if merge_request is None and "create" in options:
        if not can(ctx, Ability.CREATE_MERGE_REQUEST_FROM, project) or target == branch:
            return
        params = _creation_params(ctx, project, branch, target, options)
        merge_request = merge_requests.create(ctx, project, user, **params)
    elif merge_request is not None:
        merge_request = merge_requests.update(ctx, merge_request, **_update_params(options))
    if merge_request is not None and "merge_when_pipeline_succeeds" in options:
        merging.accept(ctx, merge_request, merging.MergeOptions(merge_when_pipeline_succeeds=True))


def _creation_params(
    ctx: WriteContext, project: Project, branch: str, target: str, options: PushOptions
) -> MergeRequestParams:
    """Return the parameters of a new merge request; title and description default to those of the newest commit."""
    git = repositories.open_repository(ctx.world, project)
    title, _, rest = git.commit(branch).message.strip("\n").partition("\n")
    return {
        "title": title or branch,
        "description": rest.strip("\n"),
        **_update_params(options),
        "source_branch": branch,
        "target_branch": target,
    }


def _update_params(options: PushOptions) -> MergeRequestParams:
    params: MergeRequestParams = {}
    if target := _last_value(options, "target"):
        params["target_branch"] = target
    if title := _last_value(options, "title"):
        params["title"] = title
    if description := _last_value(options, "description"):
        params["description"] = description
    if "remove_source_branch" in options:
        params["force_remove_source_branch"] = True
    # Labels change by addition and removal, so that those set on earlier pushes stay.
    if "label" in options:
        params["add_labels"] = options["label"]
    if "unlabel" in options:
        params["remove_labels"] = options["unlabel"]
    return params


def _act_as(ctx: WriteContext, user: User) -> WriteContext:
    """Return a context that acts as the user who pushed, in the same world and with the same queue of deliveries."""
    if ctx.user is not None and ctx.user.id == user.id:
        return ctx
    user_ctx = WriteContext(ctx.world, Caller(user), ctx.services, ctx.origin)
    user_ctx.outgoing = ctx.outgoing
    return user_ctx
