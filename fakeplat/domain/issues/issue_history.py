"""What is recorded of issues as they change: resource events, and the activity of who changes them."""

from fakeplat.domain.people import activity
from fakeplat.domain.planning import resource_events
from fakeplat.model.issues import Issue
from fakeplat.model.users import User
from fakeplat.policy.context import Doing


def begun(cx: Doing, issue: Issue, author: User) -> None:
    """Somebody made an issue."""
    subject = ("issue", issue.id)
    resource_events.labelled(cx, subject, author, (), issue.label_ids)
    resource_events.scheduled(cx, subject, author, None, issue.milestone_id, issue.state)
    resource_events.weighed(cx, subject, author, None, issue.weight)
    activity.record(cx, author, "created", cx.world.projects[issue.project_id], subject)


def changed(cx: Doing, before: Issue, after: Issue) -> None:
    """The caller changed an issue."""
    subject, user = ("issue", after.id), cx.user
    if user is None:
        return
    resource_events.labelled(cx, subject, user, before.label_ids, after.label_ids)
    resource_events.scheduled(cx, subject, user, before.milestone_id, after.milestone_id, after.state)
    resource_events.weighed(cx, subject, user, before.weight, after.weight)


def closed(cx: Doing, issue: Issue, user: User | None) -> None:
    """Somebody closed an issue."""
    if user is not None:
        resource_events.came_to(cx, ("issue", issue.id), user, "closed")
        activity.record(cx, user, "closed", cx.world.projects[issue.project_id], ("issue", issue.id))


def reopened(cx: Doing, issue: Issue) -> None:
    """The caller reopened an issue."""
    if cx.user is not None:
        resource_events.came_to(cx, ("issue", issue.id), cx.user, "reopened")
        activity.record(cx, cx.user, "reopened", cx.world.projects[issue.project_id], ("issue", issue.id))


def drop(cx: Doing, issue: Issue) -> None:
    """Remove what is known of an issue that goes."""
    resource_events.drop(cx, ("issue", issue.id))
    activity.forget_target(cx, "issue", issue.id)
