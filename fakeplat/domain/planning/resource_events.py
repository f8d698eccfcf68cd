"""How labels, milestones, states and weights of things change over time. Source: docs/platform/issues.md ('Resource
events').

Only what somebody does is recorded; what a scenario says or the platform does by itself is not.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from attrs import evolve

from fakeplat.core.store.table import DraftTable
from fakeplat.domain.people.members import container_of
from fakeplat.model.resource_events import Action, LabelEvent, MilestoneEvent, StateEvent, WeightEvent
from fakeplat.model.users import User
from fakeplat.model.world import WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

Subject = tuple[str, int]
TABLES: Final = ("label_events", "milestone_events", "state_events", "weight_events")


def record_labels(ctx: WriteContext, subject: Subject, user: User, before: Sequence[int], after: Sequence[int]) -> None:
    """Labels came and went."""
    changes: list[tuple[int, Action]] = [(id_, "add") for id_ in after if id_ not in before]
    changes += [(id_, "remove") for id_ in before if id_ not in after]
    table, now = ctx.world.label_events, ctx.now_iso
    for id_, action in changes:
        table.add(LabelEvent(table.next_id(), subject, user.id, id_, action, now))


def record_milestone(
    ctx: WriteContext, subject: Subject, user: User, before: int | None, after: int | None, state: str
) -> None:
    """A milestone was set, or taken away; one in the place of another is only set."""
    id_ = after if after is not None else before
    if before == after or id_ is None:
        return
    table, action = ctx.world.milestone_events, _action(after)
    table.add(MilestoneEvent(table.next_id(), subject, user.id, id_, action, state, ctx.now_iso))


def _action(after: int | None) -> Action:
    return "remove" if after is None else "add"


def record_state(
    ctx: WriteContext, subject: Subject, user: User, state: Literal["closed", "reopened", "merged"]
) -> None:
    """The subject was closed, reopened or merged."""
    table = ctx.world.state_events
    table.add(StateEvent(table.next_id(), subject, user.id, state, ctx.now_iso))


def record_weight(ctx: WriteContext, subject: Subject, user: User, before: int | None, after: int | None) -> None:
    """The weight is another one."""
    if before != after:
        table = ctx.world.weight_events
        table.add(WeightEvent(table.next_id(), subject, user.id, after, ctx.now_iso))


def copy_events(ctx: WriteContext, source: Subject, target: Subject) -> None:
    """Give a thing the history of another."""
    for table in _tables(ctx.world):
        for event in list(table.where("subject", source)):
            table.add(evolve(event, id=table.next_id(), subject=target))


def _tables(world: WorldDraft) -> Iterator[DraftTable[Any]]:
    return (getattr(world, name) for name in TABLES)


def can_read_label_event(ctx: ReadContext, event: LabelEvent) -> bool:
    """Whether the caller may read the label of an event; the event of a deleted label is for everybody."""
    label = ctx.world.labels.get(event.label_id)
    return label is None or can(ctx, Ability.READ_LABEL, container_of(ctx.world, label.source))


def can_read_milestone_event(ctx: ReadContext, event: MilestoneEvent) -> bool:
    """Whether the caller may read the milestone of an event."""
    milestone = ctx.world.milestones.get(event.milestone_id)
    return milestone is None or can(ctx, Ability.READ_MILESTONE, container_of(ctx.world, milestone.source))
