"""What pushes mean for merge requests: new versions, merges from outside, and what push options ask for.

Source: docs/platform/merge-requests.md, docs/platform/git-over-http.md ('Push effects').
"""

from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.merge_requests import (
    approvals,
    diff_versions,
    merge_checks,
    merge_request_history,
    merge_requests,
    merging,
)
from fakeplat.domain.merge_requests import closing_issues as closing
from fakeplat.domain.notes import outdated_positions as outdating
from fakeplat.domain.notes import todos
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import ZERO, Push
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Commit

_LISTED: Final = 100
_OPTION: Final = "merge_request."


def follow_push(ctx: WriteContext, push: Push) -> None:
    """A branch moved."""
    if not push.ref.startswith(BRANCHES):
        return
    branch = push.ref.removeprefix(BRANCHES)
    user = ctx.world.users.get(push.user_id) if push.user_id is not None else None
    _merged_by_push(ctx, push, branch, user)
    for merge_request in list(ctx.world.merge_requests.where("open_from", (push.project_id, branch))):
        _pushed_to(ctx, merge_request, push, user)
    if push.after != ZERO and push.before != ZERO:
        _forced(ctx, push, branch, user)
    if user is not None and push.options and push.after != ZERO:
        _obey(ctx, push, branch, user)


def _merged_by_push(ctx: WriteContext, push: Push, branch: str, user: User | None) -> None:
    """What came to the target branch may be what somebody wanted merged."""
    world = ctx.world
    if ZERO in (push.before, push.after) or not world.merge_requests.ids("open_to", (push.project_id, branch)):
        return
    for sha in _new_commits(ctx, push):
        for version in list(world.diff_versions.where("head", sha)):
            found = world.merge_requests[version.merge_request_id]
            here = (found.project_id, found.target_branch) == (push.project_id, branch)
            if here and found.is_open and diff_versions.latest_version(world, found) == version:
                _mark_merged(ctx, found, push, user)


def _new_commits(ctx: WriteContext, push: Push) -> list[str]:
    from fakeplat.git.history import History

    objects = repositories.open_repository(ctx.world, ctx.world.projects[push.project_id]).objects
    history = History.of(objects)
    after, before = (history.ancestors(objects, sha) for sha in (push.after, push.before))
    return history.shas(after & ~before) if after & ~before else []


def _mark_merged(ctx: WriteContext, merge_request: MergeRequest, push: Push, user: User | None) -> None:
    git = repositories.open_repository(ctx.world, ctx.world.projects[push.project_id])
    head = diff_versions.head_sha(ctx.world, merge_request)
    landed = diff_versions.landed_between(git, head, push.after) if head else None
    merged = merge_requests.set_state(
        ctx,
        merge_request,
        "merged",
        user,
        merged_at=ctx.now_iso,
        merged_by_id=user.id if user else None,
        merge_commit_sha=landed.sha if landed else None,
        merge_when_pipeline_succeeds=False,
    )
    if user is not None:
        closing.close_referenced_issues(ctx, merged, user)


def _pushed_to(ctx: WriteContext, merge_request: MergeRequest, push: Push, user: User | None) -> None:
    """The source branch moved: another version, and all that was found of the old one is stale."""
    fresh = merge_checks.mark_unchecked(ctx, merge_request)
    if push.after == ZERO:
        return
    before, found = diff_versions.latest_refs(ctx.world, fresh), diff_versions.current_refs(ctx.world, fresh)
    if found == before:
        return
    diff_versions.insert_version(ctx, fresh, ctx.now_iso, found)
    outdating.move_positions(ctx, fresh, before, user)
    approvals.follow_push(ctx, fresh)
    if fresh.merge_when_pipeline_succeeds:
        fresh = merging.cancel_auto_merge(ctx, fresh)
        body = "aborted the automatic merge because source branch was updated"
        merge_request_history.write_system_note(ctx, fresh, user, body)
    fresh = merge_requests.name_closed(ctx, ctx.world.merge_requests.change(fresh, updated_at=ctx.now_iso))
    if found is not None and push.before != ZERO:
        merge_request_history.write_system_note(ctx, fresh, user, _told(_added(ctx, fresh, push)))
    todos.finish_pending(ctx, user, merge_request_history.subject_of(fresh))
    ctx.emit("merge_request_pushed", (ctx.world.merge_requests[fresh.id], push.before))


def _added(ctx: WriteContext, merge_request: MergeRequest, push: Push) -> "list[Commit]":
    from fakeplat.git.walk import Selection, by_date

    project = ctx.world.projects[merge_request.project_id]
    objects = repositories.open_repository(ctx.world, project).objects
    return list(by_date(objects, Selection((push.after,), (push.before,))))


def _told(commits: "list[Commit]") -> str:
    """What is said of a push: how many commits, and the first line of each."""
    count = len(commits)
    listed = "".join(f"<li>{one.sha[:8]} - {one.title}</li>" for one in reversed(commits[:_LISTED]))
    return f"added {count} commit{'' if count == 1 else 's'}\n\n<ul>{listed}</ul>"


def _forced(ctx: WriteContext, push: Push, branch: str, user: User | None) -> None:
    """A target that lost commits: what wants to go there differs in another way."""
    from fakeplat.git.writing import can_fast_forward

    found = list(ctx.world.merge_requests.where("open_to", (push.project_id, branch)))
    if not found:
        return
    objects = repositories.open_repository(ctx.world, ctx.world.projects[push.project_id]).objects
    if not can_fast_forward(objects, push.before, push.after):
        for merge_request in found:
            before = diff_versions.latest_refs(ctx.world, merge_request)
            diff_versions.add_version(ctx, merge_request)
            outdating.move_positions(ctx, merge_request, before, user)


def _obey(ctx: WriteContext, push: Push, branch: str, user: User) -> None:
    """What the push options ask for; what cannot be is left, as the push itself went well."""
    wishes = _wishes(push.options)
    if not wishes:
        return
    project = ctx.world.projects[push.project_id]
    doing = _doing_as(ctx, user)
    try:
        _carry_out(doing, project, branch, user, wishes)
    except Refusal as refusal:
        ctx.emit("push_option_refused", (push, refusal.reason))


def _wishes(options: tuple[str, ...]) -> dict[str, Any]:
    wishes: dict[str, Any] = {}
    for option in options:
        name, _, value = option.removeprefix(_OPTION).partition("=")
        if not option.startswith(_OPTION):
            continue
        if name in ("label", "unlabel"):
            wishes.setdefault(name, []).append(value)
        else:
            wishes[name] = value
    return wishes


def _carry_out(ctx: WriteContext, project: Project, branch: str, user: User, wishes: dict[str, Any]) -> None:
    world = ctx.world
    target = wishes.get("target") or project.default_branch or ""
    found = next(iter(world.merge_requests.where("open_from", (project.id, branch))), None)
    if found is None and "create" in wishes:
        if not can(ctx, Ability.CREATE_MERGE_REQUEST_FROM, project) or target == branch:
            return
        found = merge_requests.create(
            ctx, project, user, source_branch=branch, target_branch=target, **_fields(ctx, project, branch, wishes)
        )
    elif found is not None:
        given = {"target_branch": wishes["target"]} if wishes.get("target") else {}
        titled = {name: wishes[name] for name in ("title", "description") if wishes.get(name)}
        found = merge_requests.update(ctx, found, **given, **titled, **_changes(wishes))
    if found is not None and "merge_when_pipeline_succeeds" in wishes:
        merging.accept(ctx, found, merging.MergeOptions(merge_when_pipeline_succeeds=True))


def _fields(ctx: WriteContext, project: Project, branch: str, wishes: dict[str, Any]) -> dict[str, Any]:
    """The title and description that are said, else those of the newest commit."""
    git = repositories.open_repository(ctx.world, project)
    title, _, rest = git.commit(branch).message.strip("\n").partition("\n")
    return {
        "title": wishes.get("title") or title or branch,
        "description": wishes.get("description") or rest.strip("\n"),
        **_changes(wishes),
    }


def _changes(wishes: dict[str, Any]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if "remove_source_branch" in wishes:
        changes["force_remove_source_branch"] = True
    if wishes.get("label"):
        changes["add_labels"] = wishes["label"]
    if wishes.get("unlabel"):
        changes["remove_labels"] = wishes["unlabel"]
    return changes


def _doing_as(ctx: WriteContext, user: User) -> WriteContext:
    """The same acting, in the name of who pushed."""
    if ctx.user is not None and ctx.user.id == user.id:
        return ctx
    rest: dict[str, Any] = {
        "clock": ctx.clock,
        "fragments": ctx.fragments,
        "limiter": ctx.limiter,
        "origin": ctx.origin,
    }
    doing = WriteContext(ctx.world, user, **rest)
    doing.events = ctx.events
    return doing


def lets_push(ctx: ReadContext, project: Project, branch: str | None) -> bool:
    """Whether somebody may push to a fork's branch because a merge request of it lets those who may merge it.

    Without a branch: whether there is a branch of the fork that they may push to.
    """
    allowing = (
        merge_request
        for merge_request in ctx.world.merge_requests.where("source_project", project.id)
        if _allows_collaboration(merge_request) and branch in (None, merge_request.source_branch)
    )
    targets = ((ctx.world.projects[allows.project_id], allows.target_branch) for allows in allowing)
    return any(protection.can_merge(ctx, target, name) for target, name in targets)


def _allows_collaboration(merge_request: MergeRequest) -> bool:
    """Whether an open merge request between forks lets those push who may merge it."""
    between_forks = merge_request.project_id != merge_request.source_project_id
    return merge_request.is_open and merge_request.allow_collaboration and between_forks


protection.COLLABORATION.append(lets_push)
