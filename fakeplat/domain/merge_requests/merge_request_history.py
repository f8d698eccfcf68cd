"""What is recorded of merge requests as they change, noted on them, and whom it asks to look.

Source: docs/platform/merge-requests.md ('Effects'), docs/platform/notes-discussions.md, docs/platform/todos.md.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal

from fakeplat.domain.issues.issue_notes import ask_assigned, assigned, described, marked, tracked, whole_text
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.merge_requests.merge_requests import KIND
from fakeplat.domain.notes import mentions, notes, system_notes, todos
from fakeplat.domain.people import activity
from fakeplat.domain.planning import resource_events
from fakeplat.model.events import Action
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import can

_STATES: Final[dict[str, tuple[Literal["closed", "reopened", "merged"], Action]]] = {
    "opened": ("reopened", "reopened"),
    "closed": ("closed", "closed"),
    "merged": ("merged", "merged"),
}


def subject(merge_request: MergeRequest) -> tuple[str, int]:
    """Under what all this is kept."""
    return (KIND, merge_request.id)


def write(cx: Doing, merge_request: MergeRequest, by: User | None, body: str) -> None:
    """Note something that somebody did."""
    if by is not None:
        system_notes.write(cx, subject(merge_request), by, body)


def _made(cx: Doing, merge_request: MergeRequest) -> None:
    user = cx.user
    if user is None:
        return
    project = cx.world.projects[merge_request.project_id]
    resource_events.labelled(cx, subject(merge_request), user, (), merge_request.label_ids)
    resource_events.scheduled(cx, subject(merge_request), user, None, merge_request.milestone_id, merge_request.state)
    activity.record(cx, user, "created", project, subject(merge_request))
    ask_assigned(cx, merge_request, merge_request.assignee_ids)
    mentions.follow(cx, merge_request, whole_text(merge_request))


def _changed(cx: Doing, before: MergeRequest, after: MergeRequest) -> None:
    user = cx.user
    if user is None:
        return
    resource_events.labelled(cx, subject(after), user, before.label_ids, after.label_ids)
    resource_events.scheduled(cx, subject(after), user, before.milestone_id, after.milestone_id, after.state)
    for body in told(cx.world, before, after):
        write(cx, after, user, body)
    ask_assigned(cx, after, [id_ for id_ in after.assignee_ids if id_ not in before.assignee_ids])
    if whole_text(before) != whole_text(after):
        mentions.follow(cx, after, whole_text(after), before=whole_text(before))


def _moved(cx: Doing, merge_request: MergeRequest, user: User | None) -> None:
    if user is None or merge_request.state not in _STATES:
        return
    state, action = _STATES[merge_request.state]
    resource_events.came_to(cx, subject(merge_request), user, state)
    activity.record(cx, user, action, cx.world.projects[merge_request.project_id], subject(merge_request))
    if state != "reopened":
        todos.finish(cx, user, subject(merge_request))


def _removed(cx: Doing, merge_request: MergeRequest) -> None:
    notes.drop(cx, subject(merge_request))
    todos.drop(cx, subject(merge_request))
    resource_events.drop(cx, subject(merge_request))
    activity.forget_target(cx, *subject(merge_request))


def told(world: World, before: MergeRequest, after: MergeRequest) -> Iterator[str]:
    """What is said of each difference."""
    if after.work_in_progress != before.work_in_progress:
        yield f"{'marked' if after.work_in_progress else 'unmarked'} as a **Work In Progress**"
    elif after.title != before.title:
        old, new = marked(before.title, after.title, "-"), marked(after.title, before.title, "+")
        yield f"changed title from **{old}** to **{new}**"
    if (after.description or "") != (before.description or ""):
        yield from described(before.description or "", after.description or "")
    if after.assignee_ids != before.assignee_ids:
        yield from assigned(world, before, after)
    if bool(after.discussion_locked) != bool(before.discussion_locked):
        yield f"{'locked' if after.discussion_locked else 'unlocked'} this merge request"
    if after.target_branch != before.target_branch:
        yield f"changed target branch from `{before.target_branch}` to `{after.target_branch}`"
    yield from tracked(before, after)


def _seen(cx: Context, merge_request: Any) -> bool:
    return can(cx, May.READ_MERGE_REQUESTS, cx.world.projects[merge_request.project_id])


merge_requests.ON_CREATE.append(_made)
merge_requests.ON_CHANGE.append(_changed)
merge_requests.ON_STATE.append(_moved)
merge_requests.ON_REMOVE.append(_removed)
activity.TARGETS[KIND] = activity.Target(
    find=lambda world, id_: world.merge_requests.get(id_),
    wire=lambda _: "MergeRequest",
    iid=lambda merge_request: int(merge_request.iid),
    title=lambda _, merge_request: str(merge_request.title),
    seen=_seen,
)
