"""Resource events: changes of labels, milestones, states and weights. Source: docs/platform/issues.md ('Resource
events').

Only changes by users are recorded, not the initial contents of a scenario or automatic changes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.store.references import Subject
from fakeplat.core.store.table import DraftTable
from fakeplat.domain.people.members import container_of
from fakeplat.model.people import User
from fakeplat.model.planning import Action, IterationEvent, LabelEvent, MilestoneEvent, StateEvent, WeightEvent
from fakeplat.model.world import WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

TABLES: Final = ("label_events", "milestone_events", "state_events", "weight_events", "iteration_events")


def record_labels(ctx: WriteContext, subject: Subject, user: User, before: Sequence[int], after: Sequence[int]) -> None:
    """Record labels that were added or removed."""
    changes: list[tuple[int, Action]] = [(id_, "add") for id_ in after if id_ not in before]
    changes += [(id_, "remove") for id_ in before if id_ not in after]
    table, now = ctx.world.label_events, ctx.now_iso
    for id_, action in changes:
        table.add(LabelEvent(table.next_id(), subject, user.id, id_, action, now))


def record_milestone(
    ctx: WriteContext, subject: Subject, user: User, before: int | None, after: int | None, state: str
) -> None:
    """Record that a milestone was set or removed; a replacement is recorded as set."""
    id_ = after if after is not None else before
    if before == after or id_ is None:
        return
    table, action = ctx.world.milestone_events, _milestone_action(after)
    table.add(MilestoneEvent(table.next_id(), subject, user.id, id_, action, state, ctx.now_iso))


def _milestone_action(after: int | None) -> Action:
    return "remove" if after is None else "add"


def record_iteration(ctx: WriteContext, subject: Subject, user: User, before: int | None, after: int | None) -> None:
    """Record that an iteration was set or removed; a replacement is recorded as set."""
    id_ = after if after is not None else before
    if before == after or id_ is None:
        return
    table = ctx.world.iteration_events
    table.add(IterationEvent(table.next_id(), subject, user.id, id_, _milestone_action(after), ctx.now_iso))


class EventSource(TypedDict, total=False):
    """What changed a state: a commit (SHA) or a merge request."""

    source_commit: str
    source_merge_request_id: int


def record_state(
    ctx: WriteContext,
    subject: Subject,
    user: User,
    state: Literal["closed", "reopened", "merged"],
    **source: Unpack[EventSource],
) -> None:
    """Record that the subject was closed, reopened or merged."""
    table = ctx.world.state_events
    table.add(StateEvent(table.next_id(), subject, user.id, state, ctx.now_iso, **source))


def record_weight(ctx: WriteContext, subject: Subject, user: User, before: int | None, after: int | None) -> None:
    """Record a changed weight."""
    if before != after:
        table = ctx.world.weight_events
        table.add(WeightEvent(table.next_id(), subject, user.id, after, ctx.now_iso))


def copy_events(ctx: WriteContext, source: Subject, target: Subject) -> None:
    """Copy the events of a subject to another."""
    for table in _tables(ctx.world):
        for event in list(table.where("subject", source)):
            table.add(evolve(event, id=table.next_id(), subject=target))


def _tables(world: WorldDraft) -> Iterator[DraftTable[Any]]:
    return (getattr(world, name) for name in TABLES)


def can_read_label_event(ctx: ReadContext, event: LabelEvent) -> bool:
    """Return whether the caller may read the label of an event; events of deleted labels are public."""
    label = ctx.world.labels.get(event.label_id)
    return label is None or can(ctx, Ability.READ_LABEL, container_of(ctx.world, label.source))


def can_read_milestone_event(ctx: ReadContext, event: MilestoneEvent) -> bool:
    """Return whether the caller may read the milestone of an event."""
    milestone = ctx.world.milestones.get(event.milestone_id)
    return milestone is None or can(ctx, Ability.READ_MILESTONE, container_of(ctx.world, milestone.source))
