"""Audit events of the instance, of groups and of projects. They are written by the actions that they record."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BY_DESCENDING_ID, CursorPaged, Paging
from fakeplat.core.params.params import Moment, requires
from fakeplat.core.release import Lifetime
from fakeplat.domain.audit import audit_events
from fakeplat.domain.audit.audit_events import AuditFilter
from fakeplat.entities.instance.administration import AuditEventView
from fakeplat.model.activity import AuditEvent
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

area: Final = Area("Audit events", login=Login.ALWAYS, located_first=True)
_OF_INSTANCE: Final = Lifetime(since="15.11")
_OF_GROUPS: Final = Lifetime(since="15.2")
_OF_PROJECTS: Final = Lifetime(since="15.10")


class ListAuditEvents(CursorPaged):
    """A period, and the order of cursors."""

    order_by: Annotated[str | None, _OF_GROUPS] = None
    sort: Annotated[str | None, _OF_GROUPS] = None
    created_after: Moment | None = None
    created_before: Moment | None = None


class ListGroupAuditEvents(ListAuditEvents):
    """The period, and a cursor."""

    pagination: Annotated[str | None, _OF_GROUPS] = None
    cursor: Annotated[str | None, _OF_GROUPS] = None


class ListProjectAuditEvents(ListAuditEvents):
    """The period, and a cursor."""

    pagination: Annotated[str | None, _OF_PROJECTS] = None
    cursor: Annotated[str | None, _OF_PROJECTS] = None


class ListInstanceAuditEvents(ListAuditEvents):
    """A period, and what the events are about."""

    entity_type: Annotated[
        Literal["Project", "User", "Group", "Gitlab::Audit::InstanceScope"] | None,
        Lifetime(since="16.2", values=("Gitlab::Audit::InstanceScope",)),
    ] = None
    entity_id: int | None = None
    pagination: Annotated[str | None, _OF_INSTANCE] = None
    cursor: Annotated[str | None, _OF_INSTANCE] = None

    rules = (requires("entity_id", "entity_type"),)


@area.operation(
    "GET",
    "audit_events",
    ability=Ability.READ_INSTANCE_AUDIT_EVENTS,
    params=ListInstanceAuditEvents,
    view=AuditEventView,
    many=True,
    paging=Paging(cursors=BY_DESCENDING_ID),
    tier="premium",
    refusals=(405,),
)
def list_audit_events(ctx: ReadContext, p: ListInstanceAuditEvents) -> Sequence[AuditEvent]:
    """List the audit events of the instance, newest first."""
    criteria = AuditFilter(p.entity_type, p.entity_id, p.created_after, p.created_before)
    return audit_events.list_events(ctx.world, criteria)


@area.operation(
    "GET",
    "audit_events/:id",
    ability=Ability.READ_INSTANCE_AUDIT_EVENTS,
    view=AuditEventView,
    tier="premium",
    refusals=(404,),
)
def get_audit_event(ctx: ReadContext, id: int) -> AuditEvent:  # the name in the path
    """Get an audit event."""
    return audit_events.get_event(ctx.world, id)


@area.operation(
    "GET",
    "audit_events",
    # Whoever does not see a project learns only that, also without having signed in.
    login=Login.NEVER,
    scope=PROJECT,
    ability=Ability.READ_AUDIT_EVENTS,
    params=ListProjectAuditEvents,
    view=AuditEventView,
    many=True,
    paging=Paging(cursors=BY_DESCENDING_ID),
    tier="premium",
    refusals=(405,),
)
def list_project_audit_events(ctx: ReadContext, project: Project, p: ListProjectAuditEvents) -> Sequence[AuditEvent]:
    """List the audit events of a project, newest first."""
    return _list_events_of(ctx, project, p)


@area.operation(
    "GET",
    "audit_events",
    login=Login.NEVER,
    scope=GROUP,
    ability=Ability.READ_AUDIT_EVENTS,
    params=ListGroupAuditEvents,
    view=AuditEventView,
    many=True,
    paging=Paging(cursors=BY_DESCENDING_ID),
    tier="premium",
    refusals=(405,),
)
def list_group_audit_events(ctx: ReadContext, group: Group, p: ListGroupAuditEvents) -> Sequence[AuditEvent]:
    """List the audit events of a group, newest first."""
    return _list_events_of(ctx, group, p)


def _list_events_of(ctx: ReadContext, container: Routable, p: ListAuditEvents) -> Sequence[AuditEvent]:
    entity_type, author_id = _entity_type(container), _find_author(ctx, container)
    criteria = AuditFilter(entity_type, container.id, p.created_after, p.created_before, author_id)
    return audit_events.list_events(ctx.world, criteria)


@area.operation(
    "GET",
    "audit_events/:audit_event_id",
    name="get_{scope}_audit_event",
    login=Login.NEVER,
    scope=(PROJECT, GROUP),
    ability=Ability.READ_AUDIT_EVENTS,
    view=AuditEventView,
    tier="premium",
    refusals=(404,),
)
def get_container_audit_event(ctx: ReadContext, container: Routable, audit_event_id: int) -> AuditEvent:
    """Get an audit event of a project or group."""
    criteria = AuditFilter(_entity_type(container), container.id, author_id=_find_author(ctx, container))
    return audit_events.get_event(ctx.world, audit_event_id, criteria)


def _find_author(ctx: ReadContext, container: Routable) -> int | None:
    """Return whose events alone the caller reads: the own ones, unless the caller administers the container."""
    ability = Ability.ADMIN_PROJECT if isinstance(container, Project) else Ability.ADMIN_GROUP
    return None if can(ctx, ability, container) or ctx.viewer is None else ctx.viewer.id


def _entity_type(container: Routable) -> str:
    return "Project" if isinstance(container, Project) else "Group"
