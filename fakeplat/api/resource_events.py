"""How labels, milestones, states and weights of issues and merge requests changed.

Source: docs/platform/issues.md ('Resource events').
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from fakeplat.api.issues import ISSUE
from fakeplat.api.noteables import NOTED_MERGE_REQUEST
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import FilteredPages, Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import resource_events
from fakeplat.entities.resource_events import LabelEventView, MilestoneEventView, StateEventView, WeightEventView
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext

Subject = Issue | MergeRequest
CanRead = Callable[[ReadContext, Any], bool]
FilterEvents = Callable[[ReadContext, Sequence[Any]], Sequence[Any]]
area: Final = Area("Resource events", login=Login.ALWAYS)


def _listing(table: str, filter_events: FilterEvents) -> Callable[..., Sequence[Any]]:
    def list_events(ctx: ReadContext, project: Project, record: Subject, p: Paged) -> Sequence[Any]:
        del project, p
        return filter_events(ctx, getattr(ctx.world, table).where("subject", noteables.subject_of(record)))

    return list_events


def _getting(table: str, can_read: CanRead, entity: str) -> Callable[..., Any]:
    def get_event(ctx: ReadContext, project: Project, record: Subject, event_id: int) -> Any:
        del project
        event = getattr(ctx.world, table).get(event_id)
        if event is None or event.subject != noteables.subject_of(record):
            whose = noteables.noteable_of(record).words
            raise RecordNotFound(reason=f"{whose} {record.iid} has no {table.replace('_', ' ')[:-1]} {event_id}")
        if not can_read(ctx, event):
            raise NotFound(entity, reason=lambda: f"what event {event_id} names is hidden from {caller_name(ctx)}")
        return event

    return get_event


def _all(ctx: ReadContext, events: Sequence[Any]) -> Sequence[Any]:
    del ctx
    return events


def _anybody(ctx: ReadContext, event: Any) -> bool:
    del ctx, event
    return True


def _readable_label_events(ctx: ReadContext, events: Sequence[Any]) -> Sequence[Any]:
    """Leave out the events of hidden labels after the list was cut into pages, as the platform does."""
    return FilteredPages(events, partial(resource_events.can_read_label_event, ctx))


def _readable_milestone_events(ctx: ReadContext, events: Sequence[Any]) -> Sequence[Any]:
    return [event for event in events if resource_events.can_read_milestone_event(ctx, event)]


def _declare(
    kind: str,
    view: type[Entity[Any]],
    *places: Scope,
    tier: str = "",
    filter_events: FilterEvents = _all,
    can_read: CanRead = _anybody,
) -> None:
    """Declare the list and the single event of a kind."""
    name, table = f"resource_{kind}_events", f"{kind}_events"
    lists, gets = _listing(table, filter_events), _getting(table, can_read, f"Resource{kind.title()}Event")
    lists.__doc__, gets.__doc__ = f"List the changes of {kind}s.", f"Get a change of a {kind}."
    shared: dict[str, Any] = {"scope": places, "view": view, "tier": tier}
    area.operation("GET", name, name=f"list_{{scope}}_{name}", params=Paged, many=True, **shared)(lists)
    area.operation("GET", f"{name}/:event_id", name=f"get_{{scope}}_{name[:-1]}", refusals=(404,), **shared)(gets)


_declare(
    "label",
    LabelEventView,
    ISSUE,
    NOTED_MERGE_REQUEST,
    filter_events=_readable_label_events,
    can_read=resource_events.can_read_label_event,
)
_declare(
    "milestone",
    MilestoneEventView,
    ISSUE,
    NOTED_MERGE_REQUEST,
    filter_events=_readable_milestone_events,
    can_read=resource_events.can_read_milestone_event,
)
_declare("state", StateEventView, ISSUE, NOTED_MERGE_REQUEST)
_declare("weight", WeightEventView, ISSUE, tier="premium")
