"""Approving merge requests. Source: more on merge requests ('Approvals').

On the free tier anybody who may change a merge request may approve it, its author too. On paid tiers authors may not,
the project says how many are needed, and a push takes all approvals back.
"""

from fakeplat.core.errors import NotFound, Unauthorized
from fakeplat.domain import activity, merge_request_history, merging, noteables, todos
from fakeplat.domain.merge_requests import KIND
from fakeplat.model.merge_requests import Approval, MergeRequest
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.rulings import caller


def of(world: World, merge_request: MergeRequest) -> list[Approval]:
    """The approvals of a merge request, the oldest first."""
    return list(world.approvals.where("merge_request", merge_request.id))


def by(world: World, merge_request: MergeRequest, user: User | None) -> Approval | None:
    """Somebody's approval."""
    return world.approvals.find("pair", (merge_request.id, user.id)) if user else None


def can_approve(cx: Context, merge_request: MergeRequest) -> bool:
    """Whether the caller may approve, and has not yet."""
    user = cx.user
    if user is None or by(cx.world, merge_request, user) is not None:
        return False
    own = user.id == merge_request.author_id and has(cx.world, "premium", cx.place)
    return not own and noteables.may_update(cx, merge_request).allowed


def approve(cx: Doing, merge_request: MergeRequest, sha: str | None) -> MergeRequest:
    """Approve in the caller's name; 409 for another head, 401 for who may not, or did already."""
    merging.check_head(cx.world, merge_request, sha)
    if not can_approve(cx, merge_request):
        raise Unauthorized(reason=lambda: f"{caller(cx)} approved it already, or may not approve it")
    user, now = cx.someone, cx.instant
    add(cx, merge_request, user, now)
    merge_request_history.write(cx, merge_request, user, "approved this merge request")
    todos.finish(cx, user, (KIND, merge_request.id))
    activity.record(cx, user, "approved", cx.world.projects[merge_request.project_id], (KIND, merge_request.id))
    changed = cx.world.merge_requests.change(merge_request, updated_at=now)
    cx.emit("merge_request_approved", changed)
    return changed


def add(cx: Doing, merge_request: MergeRequest, user: User, at: str) -> Approval:
    """Put an approval in, unless it is there; nobody's rights are asked."""
    table = cx.world.approvals
    return by(cx.world, merge_request, user) or table.add(Approval(table.next_id(), merge_request.id, user.id, at))


def unapprove(cx: Doing, merge_request: MergeRequest) -> MergeRequest:
    """Take the caller's approval back; 404 where there is none."""
    found = by(cx.world, merge_request, cx.user)
    if found is None:
        raise NotFound(reason=lambda: f"{caller(cx)} has not approved it")
    cx.world.approvals.remove(found)
    merge_request_history.write(cx, merge_request, cx.someone, "unapproved this merge request")
    changed = cx.world.merge_requests.change(merge_request, updated_at=cx.instant)
    cx.emit("merge_request_unapproved", changed)
    return changed


def reset(cx: Doing, merge_request: MergeRequest) -> None:
    """Take all approvals back."""
    for approval in of(cx.world, merge_request):
        cx.world.approvals.remove(approval)


def needed(world: World, merge_request: MergeRequest) -> int:
    """How many approvals a merge request needs (paid): its own number if it has one, else the project's."""
    own = merge_request.approvals_before_merge
    return world.projects[merge_request.project_id].approvals_before_merge if own is None else own


def missing(world: World, merge_request: MergeRequest) -> int:
    """How many approvals are still needed (paid)."""
    return max(needed(world, merge_request) - len(world.approvals.ids("merge_request", merge_request.id)), 0)
