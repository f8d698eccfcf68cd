"""Approving merge requests. Source: docs/platform/merge-requests.md ('Approvals').

On the free tier anybody who may change a merge request may approve it, its author too. On paid tiers the project says
who may not, rules say who must, and a push takes all approvals back, unless the project keeps them.
"""

from fakeplat.core.operations.errors import NotFound, Unauthorized
from fakeplat.domain.merge_requests import approval_rules, merge_request_history, merging
from fakeplat.domain.merge_requests.merge_requests import KIND
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.people import activity
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
    return not _is_barred(cx.world, merge_request, user) and noteables.may_update(cx, merge_request).allowed


def _is_barred(world: World, merge_request: MergeRequest, user: User) -> bool:
    paid = has(world, "premium", world.projects[merge_request.project_id])
    return paid and user.id in approval_rules.barred_from(world, merge_request)


def approve(cx: Doing, merge_request: MergeRequest, sha: str | None, password: str | None = None) -> MergeRequest:
    """Approve in the caller's name.

    409 for another head; 401 for who may not, did already, or does not give the password that the project asks for.
    """
    merging.check_head(cx.world, merge_request, sha)
    if not can_approve(cx, merge_request):
        raise Unauthorized(reason=lambda: f"{caller(cx)} approved it already, or may not approve it")
    if asks_for_password(cx.world, merge_request) and (not password or password != cx.someone.password):
        raise Unauthorized(reason=lambda: f"approval_password is not the password of {caller(cx)}")
    user, now = cx.someone, cx.instant
    add(cx, merge_request, user, now)
    merge_request_history.write(cx, merge_request, user, "approved this merge request")
    todos.finish(cx, user, (KIND, merge_request.id))
    activity.record(cx, user, "approved", cx.world.projects[merge_request.project_id], (KIND, merge_request.id))
    changed = cx.world.merge_requests.change(merge_request, updated_at=now)
    cx.emit("merge_request_approved", changed)
    return changed


def asks_for_password(world: World, merge_request: MergeRequest) -> bool:
    """Return whether approvers must give their password."""
    project = world.projects[merge_request.project_id]
    return project.require_password_to_approve and has(world, "premium", project)


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


def follow_push(cx: Doing, merge_request: MergeRequest) -> None:
    """What was approved is another thing now: on paid tiers all approvals go, unless the project keeps them."""
    project = cx.world.projects[merge_request.project_id]
    if project.reset_approvals_on_push and has(cx.world, "premium", project):
        for approval in of(cx.world, merge_request):
            cx.world.approvals.remove(approval)
