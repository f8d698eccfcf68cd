"""Changes of labels, milestones, states and weights of issues and merge requests, and of the labels of epics.

Source: docs/platform/issues.md ('Resource events').
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from fakeplat.api.epic_scopes import BY_ID as EPIC
from fakeplat.api.issues.issues import ISSUE
from fakeplat.api.notes.noteables import NOTEABLE_MERGE_REQUEST
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login, OperationOptions
from fakeplat.core.operations.paging import FilteredPages, Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.domain.issuables import resource_events
from fakeplat.domain.notes import noteables
from fakeplat.entities.planning.resource_events import (
    IterationEventView,
    LabelEventView,
    MilestoneEventView,
    StateEventView,
    WeightEventView,
)
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.planning import LabelEvent, MilestoneEvent
from fakeplat.model.projects import Routable
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext

Subject = Issue | MergeRequest | Epic
E = TypeVar("E")
CanRead = Callable[[ReadContext, Any], bool]
FilterEvents = Callable[[ReadContext, Sequence[Any]], Sequence[Any]]
area: Final = Area("Resource events", login=Login.ALWAYS)


def _make_list_operation(table: str, filter_events: FilterEvents) -> Callable[..., Sequence[Any]]:
    def list_events(ctx: ReadContext, _container: Routable, record: Subject) -> Sequence[Any]:
        return filter_events(ctx, getattr(ctx.world, table).where("subject", noteables.subject_of(record)))

    return list_events


def _make_get_operation(table: str, can_read: CanRead, entity: str) -> Callable[..., Any]:
    def get_event(ctx: ReadContext, _container: Routable, record: Subject, event_id: int) -> Any:
        event = getattr(ctx.world, table).get(event_id)
        if event is None or event.subject != noteables.subject_of(record):
            noun = noteables.noteable_of(record).words
            # Tables have plural names: ``label_events`` gives ``label event``.
            raise RecordNotFound(reason=f"{noun} {record.iid} has no {table.replace('_', ' ')[:-1]} {event_id}")
        if not can_read(ctx, event):
            raise NotFound(entity, reason=lambda: f"the subject of event {event_id} is hidden from {caller_name(ctx)}")
        return event

    return get_event


def _keep_all(_ctx: ReadContext, events: Sequence[E]) -> Sequence[E]:
    return events


def _can_always_read(_ctx: ReadContext, _event: object) -> bool:
    return True


def _filter_label_events(ctx: ReadContext, events: Sequence[LabelEvent]) -> Sequence[LabelEvent]:
    """Remove the events of hidden labels after pagination, as the platform does."""
    return FilteredPages(events, partial(resource_events.can_read_label_event, ctx))


def _filter_milestone_events(ctx: ReadContext, events: Sequence[MilestoneEvent]) -> Sequence[MilestoneEvent]:
    # Unlike events of labels, hidden ones are removed before pagination, so all pages are full.
    return [event for event in events if resource_events.can_read_milestone_event(ctx, event)]


def _declare(
    kind: str,
    view: type[Entity[Any]],
    *scopes: Scope,
    tier: str = "",
    since: str = "",
    filter_events: FilterEvents = _keep_all,
    can_read: CanRead = _can_always_read,
) -> None:
    """Declare the operations that list the events of a kind and get one of them."""
    name, table = f"resource_{kind}_events", f"{kind}_events"
    list_events, get_event = (
        _make_list_operation(table, filter_events),
        _make_get_operation(table, can_read, f"Resource{kind.title()}Event"),
    )
    # Summaries are read from docstrings, which these closures share among all kinds.
    list_events.__doc__, get_event.__doc__ = f"List the changes of {kind}s.", f"Get a change of a {kind}."
    shared: OperationOptions = {"view": view, "tier": tier} if tier else {"view": view}
    listing: OperationOptions = {**shared, "params": Paged, "many": True}
    single: OperationOptions = {**shared, "refusals": (404,)}
    # The doubled braces leave ``{scope}`` in the name, to be replaced by the word of each scope.
    area.operation("GET", name, name=f"list_{{scope}}_{name}", scope=scopes, since=since, **listing)(list_events)
    area.operation("GET", f"{name}/:event_id", name=f"get_{{scope}}_{name[:-1]}", scope=scopes, since=since, **single)(
        get_event
    )


_declare(
    "label",
    LabelEventView,
    ISSUE,
    NOTEABLE_MERGE_REQUEST,
    EPIC,
    filter_events=_filter_label_events,
    can_read=resource_events.can_read_label_event,
)
_declare(
    "milestone",
    MilestoneEventView,
    ISSUE,
    NOTEABLE_MERGE_REQUEST,
    filter_events=_filter_milestone_events,
    can_read=resource_events.can_read_milestone_event,
)
_declare("state", StateEventView, ISSUE, NOTEABLE_MERGE_REQUEST)
_declare("state", StateEventView, EPIC, since="<=18.9")
_declare("weight", WeightEventView, ISSUE, tier="premium")
_declare("iteration", IterationEventView, ISSUE, tier="premium")
