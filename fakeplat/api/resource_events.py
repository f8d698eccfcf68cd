"""How labels, milestones, states and weights of issues and merge requests changed.

Source: docs/platform/issues.md ('Resource events').
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from fakeplat.api.issues import ISSUE
from fakeplat.api.noteables import NOTED_MERGE_REQUEST
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.domain.notes import noteables
from fakeplat.entities.resource_events import LabelEventView, MilestoneEventView, StateEventView, WeightEventView
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

Subject = Issue | MergeRequest
area: Final = Area("Resource events", login=Login.ALWAYS)


def _listing(table: str) -> Callable[..., Sequence[Any]]:
    def list_them(ctx: ReadContext, project: Project, record: Subject, p: Paged) -> Sequence[Any]:
        del project, p
        found: Sequence[Any] = getattr(ctx.world, table).where("subject", noteables.subject_of(record))
        return found

    return list_them


def _getting(table: str) -> Callable[..., Any]:
    def get_it(ctx: ReadContext, project: Project, record: Subject, event_id: int) -> Any:
        del project
        found = getattr(ctx.world, table).get(event_id)
        if found is None or found.subject != noteables.subject_of(record):
            whose = noteables.noteable_of(record).words
            raise RecordNotFound(reason=f"{whose} {record.iid} has no {table.replace('_', ' ')[:-1]} {event_id}")
        return found

    return get_it


def _declare(kind: str, view: type[Entity[Any]], *places: Scope, tier: str = "") -> None:
    """The list and the single event of a kind."""
    name, table = f"resource_{kind}_events", f"{kind}_events"
    lists, gets = _listing(table), _getting(table)
    lists.__doc__, gets.__doc__ = f"List the changes of {kind}s.", f"Get a change of a {kind}."
    shared: dict[str, Any] = {"scope": places, "view": view, "tier": tier}
    area.operation("GET", name, name=f"list_{{scope}}_{name}", params=Paged, many=True, **shared)(lists)
    area.operation("GET", f"{name}/:event_id", name=f"get_{{scope}}_{name[:-1]}", refusals=(404,), **shared)(gets)


_declare("label", LabelEventView, ISSUE, NOTED_MERGE_REQUEST)
_declare("milestone", MilestoneEventView, ISSUE, NOTED_MERGE_REQUEST)
_declare("state", StateEventView, ISSUE, NOTED_MERGE_REQUEST)
_declare("weight", WeightEventView, ISSUE, tier="premium")
