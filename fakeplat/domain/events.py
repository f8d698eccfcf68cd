"""Events: the activity of users, recorded as it happens. Source: docs/platform/hooks-and-events.md
('Events').

Only actions of users are recorded, not the initial contents of a scenario or automatic changes.
"""

from fakeplat.model.activity import Action, Event, PushData
from fakeplat.model.people import User
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.context import WriteContext


def record_event(
    ctx: WriteContext,
    user: User | None,
    action: Action,
    container: Routable,
    target: tuple[str, int | None] | None = None,
    push: PushData | None = None,
) -> None:
    """Record an event by a user in a project or group, with an optional target (kind, id); None is not recorded."""
    if user is None:
        return
    table, (kind, target_id) = ctx.world.events, target or (None, None)
    container_field = {"project_id" if isinstance(container, Project) else "group_id": container.id}
    event = Event(
        table.next_id(), user.id, action, ctx.now_iso, **container_field, kind=kind, target_id=target_id, push=push
    )
    table.add(event)
    _record_activity(ctx, user.id)


def _record_activity(ctx: WriteContext, user_id: int) -> None:
    user, today = ctx.world.users[user_id], ctx.now_iso[: len("2020-11-20")]
    if user.last_activity_on != today:
        ctx.world.users.change(user, last_activity_on=today)


def clear_target(ctx: WriteContext, kind: str, id_: int) -> None:
    """Remove the reference to a record that is deleted; its events stay."""
    for event in list(ctx.world.events.where("target", (kind, id_))):
        ctx.world.events.change(event, target_id=None)
