"""Resource events and activity events that record the changes of issues."""

from typing import Unpack

from fakeplat.domain import events
from fakeplat.domain.issuables import resource_events
from fakeplat.domain.issuables.resource_events import EventSource
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.policy.context import WriteContext


def record_created(ctx: WriteContext, issue: Issue, author: User) -> None:
    """Record that a user created an issue."""
    subject = ("issue", issue.id)
    resource_events.record_labels(ctx, subject, author, (), issue.label_ids)
    resource_events.record_milestone(ctx, subject, author, None, issue.milestone_id, issue.state)
    resource_events.record_weight(ctx, subject, author, None, issue.weight)
    resource_events.record_iteration(ctx, subject, author, None, issue.iteration_id)
    events.record_event(ctx, author, "created", ctx.world.projects[issue.project_id], subject)


def record_changed(ctx: WriteContext, before: Issue, after: Issue) -> None:
    """Record that the caller changed an issue."""
    subject, user = ("issue", after.id), ctx.user
    if user is None:
        return
    resource_events.record_labels(ctx, subject, user, before.label_ids, after.label_ids)
    resource_events.record_milestone(ctx, subject, user, before.milestone_id, after.milestone_id, after.state)
    resource_events.record_weight(ctx, subject, user, before.weight, after.weight)
    resource_events.record_iteration(ctx, subject, user, before.iteration_id, after.iteration_id)


def record_closed(ctx: WriteContext, issue: Issue, user: User | None, **source: Unpack[EventSource]) -> None:
    """Record that a user closed an issue."""
    if user is not None:
        resource_events.record_state(ctx, ("issue", issue.id), user, "closed", **source)
        events.record_event(ctx, user, "closed", ctx.world.projects[issue.project_id], ("issue", issue.id))


def record_reopened(ctx: WriteContext, issue: Issue) -> None:
    """Record that the caller reopened an issue."""
    if ctx.user is not None:
        resource_events.record_state(ctx, ("issue", issue.id), ctx.user, "reopened")
        events.record_event(ctx, ctx.user, "reopened", ctx.world.projects[issue.project_id], ("issue", issue.id))
