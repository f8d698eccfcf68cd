"""What pushes mean for merge requests: new versions, merges from outside, and what push options ask for.

Source: docs/platform/merge-requests.md, docs/platform/git-over-http.md ('Push effects').
"""

from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.merge_requests import (
    approvals,
    closing,
    diff_versions,
    merge_checks,
    merge_request_history,
    merge_requests,
    merging,
)
from fakeplat.domain.notes import outdating, todos
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import ZERO, Push
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import can

if TYPE_CHECKING:
    from fakeplat.git.records import Commit

_LISTED: Final = 100
_OPTION: Final = "merge_request."


def follow(cx: Doing, push: Push) -> None:
    """A branch moved."""
    if not push.ref.startswith(BRANCHES):
        return
    branch = push.ref.removeprefix(BRANCHES)
    user = cx.world.users.get(push.user_id) if push.user_id is not None else None
    _merged_by_push(cx, push, branch, user)
    for merge_request in list(cx.world.merge_requests.where("open_from", (push.project_id, branch))):
        _pushed_to(cx, merge_request, push, user)
    if push.after != ZERO and push.before != ZERO:
        _forced(cx, push, branch, user)
    if user is not None and push.options and push.after != ZERO:
        _obey(cx, push, branch, user)


def _merged_by_push(cx: Doing, push: Push, branch: str, user: User | None) -> None:
    """What came to the target branch may be what somebody wanted merged."""
    world = cx.world
    if ZERO in (push.before, push.after) or not world.merge_requests.ids("open_to", (push.project_id, branch)):
        return
    for sha in _new_commits(cx, push):
        for version in list(world.diff_versions.where("head", sha)):
            found = world.merge_requests[version.merge_request_id]
            here = (found.project_id, found.target_branch) == (push.project_id, branch)
            if here and found.is_open and diff_versions.newest(world, found) == version:
                _mark_merged(cx, found, push, user)


def _new_commits(cx: Doing, push: Push) -> list[str]:
    from fakeplat.git.history import History

    objects = repositories.opened(cx.world, cx.world.projects[push.project_id]).objects
    history = History.of(objects)
    after, before = (history.ancestors(objects, sha) for sha in (push.after, push.before))
    return history.shas(after & ~before) if after & ~before else []


def _mark_merged(cx: Doing, merge_request: MergeRequest, push: Push, user: User | None) -> None:
    git = repositories.opened(cx.world, cx.world.projects[push.project_id])
    head = diff_versions.head(cx.world, merge_request)
    landed = diff_versions.landed_between(git, head, push.after) if head else None
    merged = merge_requests.come_to(
        cx,
        merge_request,
        "merged",
        user,
        merged_at=cx.instant,
        merged_by_id=user.id if user else None,
        merge_commit_sha=landed.sha if landed else None,
        merge_when_pipeline_succeeds=False,
    )
    if user is not None:
        closing.close_named(cx, merged, user)


def _pushed_to(cx: Doing, merge_request: MergeRequest, push: Push, user: User | None) -> None:
    """The source branch moved: another version, and all that was found of the old one is stale."""
    fresh = merge_checks.go_stale(cx, merge_request)
    if push.after == ZERO:
        return
    before, found = diff_versions.refs(cx.world, fresh), diff_versions.standing(cx.world, fresh)
    if found == before:
        return
    diff_versions.put(cx, fresh, cx.instant, found)
    outdating.follow(cx, fresh, before, user)
    approvals.follow_push(cx, fresh)
    if fresh.merge_when_pipeline_succeeds:
        fresh = merging.wait_no_more(cx, fresh)
        body = "aborted the automatic merge because source branch was updated"
        merge_request_history.write(cx, fresh, user, body)
    fresh = merge_requests.name_closed(cx, cx.world.merge_requests.change(fresh, updated_at=cx.instant))
    if found is not None and push.before != ZERO:
        merge_request_history.write(cx, fresh, user, _told(_added(cx, fresh, push)))
    todos.finish(cx, user, merge_request_history.subject(fresh))
    cx.emit("merge_request_pushed", (cx.world.merge_requests[fresh.id], push.before))


def _added(cx: Doing, merge_request: MergeRequest, push: Push) -> "list[Commit]":
    from fakeplat.git.walk import Selection, by_date

    project = cx.world.projects[merge_request.project_id]
    objects = repositories.opened(cx.world, project).objects
    return list(by_date(objects, Selection((push.after,), (push.before,))))


def _told(commits: "list[Commit]") -> str:
    """What is said of a push: how many commits, and the first line of each."""
    count = len(commits)
    listed = "".join(f"<li>{one.sha[:8]} - {one.title}</li>" for one in reversed(commits[:_LISTED]))
    return f"added {count} commit{'' if count == 1 else 's'}\n\n<ul>{listed}</ul>"


def _forced(cx: Doing, push: Push, branch: str, user: User | None) -> None:
    """A target that lost commits: what wants to go there differs in another way."""
    from fakeplat.git.writing import can_fast_forward

    found = list(cx.world.merge_requests.where("open_to", (push.project_id, branch)))
    if not found:
        return
    objects = repositories.opened(cx.world, cx.world.projects[push.project_id]).objects
    if not can_fast_forward(objects, push.before, push.after):
        for merge_request in found:
            before = diff_versions.refs(cx.world, merge_request)
            diff_versions.add(cx, merge_request)
            outdating.follow(cx, merge_request, before, user)


def _obey(cx: Doing, push: Push, branch: str, user: User) -> None:
    """What the push options ask for; what cannot be is left, as the push itself went well."""
    wishes = _wishes(push.options)
    if not wishes:
        return
    project = cx.world.projects[push.project_id]
    doing = _doing_as(cx, user)
    try:
        _carry_out(doing, project, branch, user, wishes)
    except Refusal as refusal:
        cx.emit("push_option_refused", (push, refusal.reason))


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


def _carry_out(cx: Doing, project: Project, branch: str, user: User, wishes: dict[str, Any]) -> None:
    world = cx.world
    target = wishes.get("target") or project.default_branch or ""
    found = next(iter(world.merge_requests.where("open_from", (project.id, branch))), None)
    if found is None and "create" in wishes:
        if not can(cx, May.CREATE_MERGE_REQUEST_FROM, project) or target == branch:
            return
        found = merge_requests.create(
            cx, project, user, source_branch=branch, target_branch=target, **_fields(cx, project, branch, wishes)
        )
    elif found is not None:
        given = {"target_branch": wishes["target"]} if wishes.get("target") else {}
        titled = {name: wishes[name] for name in ("title", "description") if wishes.get(name)}
        found = merge_requests.update(cx, found, **given, **titled, **_changes(wishes))
    if found is not None and "merge_when_pipeline_succeeds" in wishes:
        merging.accept(cx, found, merging.Wishes(merge_when_pipeline_succeeds=True))


def _fields(cx: Doing, project: Project, branch: str, wishes: dict[str, Any]) -> dict[str, Any]:
    """The title and description that are said, else those of the newest commit."""
    git = repositories.opened(cx.world, project)
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


def _doing_as(cx: Doing, user: User) -> Doing:
    """The same acting, in the name of who pushed."""
    if cx.user is not None and cx.user.id == user.id:
        return cx
    rest = {"clock": cx.clock, "fragments": cx.fragments, "limiter": cx.limiter, "origin": cx.origin}
    doing = Doing(cx.world, user, **rest)
    doing.events = cx.events
    return doing


def lets_push(cx: Context, project: Project, branch: str | None) -> bool:
    """Whether somebody may push to a fork's branch because a merge request of it lets those who may merge it.

    Without a branch: whether there is a branch of the fork that they may push to.
    """
    allowing = (
        merge_request
        for merge_request in cx.world.merge_requests.where("source_project", project.id)
        if _allows_collaboration(merge_request) and branch in (None, merge_request.source_branch)
    )
    targets = ((cx.world.projects[allows.project_id], allows.target_branch) for allows in allowing)
    return any(protection.may_merge(cx, target, name) for target, name in targets)


def _allows_collaboration(merge_request: MergeRequest) -> bool:
    """Whether an open merge request between forks lets those push who may merge it."""
    between_forks = merge_request.project_id != merge_request.source_project_id
    return merge_request.is_open and merge_request.allow_collaboration and between_forks


repositories.ON_MOVE.append(follow)
protection.COLLABORATION.append(lets_push)
