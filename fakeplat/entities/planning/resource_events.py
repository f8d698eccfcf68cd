"""Views of resource events: changes of labels, milestones, states and weights.

Source: docs/platform/issues.md ('Resource events').
"""

from typing import Final, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.epics import epic_access
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.planning.labels import IterationView, LabelBasic, MilestoneView
from fakeplat.model.planning import IterationEvent, LabelEvent, MilestoneEvent, StateEvent, WeightEvent
from fakeplat.policy.behaviours import NOTES_OF_EPICS_NAME_THE_WORK_ITEM
from fakeplat.policy.context import ReadContext

E = TypeVar("E", LabelEvent, MilestoneEvent, StateEvent, WeightEvent, IterationEvent)
_TYPES: Final = {"issue": "Issue", "merge_request": "MergeRequest", "epic": "Epic"}


class _BaseEvent(Entity[E]):
    """The user and the time of an event."""

    ctx: ReadContext

    id = attr()

    @computed
    def user(self) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return user

    created_at = attr()


class _ResourceEvent(_BaseEvent[E]):
    """An event with the resource it happened to."""

    @computed
    def resource_type(self) -> str:
        return _TYPES[self.record.subject[0]]

    @computed
    def resource_id(self) -> int:
        return int(self.record.subject[1])

    # Epics have the id of their work item here.
    @computed_if(
        since=NOTES_OF_EPICS_NAME_THE_WORK_ITEM.since, when=lambda view: view.record.subject[0] == epic_access.KIND
    )
    def resource_work_item_id(self) -> int:
        return int(self.record.subject[1])


class LabelEventView(_ResourceEvent[LabelEvent]):
    """A label was added or removed; ``label`` is null once it is deleted."""

    @computed
    def label(self) -> LabelBasic | None:
        label: LabelBasic | None = self.ctx.render(LabelBasic, self.ctx.world.labels.get(self.record.label_id))
        return label

    action = attr()


class MilestoneEventView(_ResourceEvent[MilestoneEvent]):
    """A milestone was set or removed."""

    @computed
    def milestone(self) -> MilestoneView | None:
        milestone: MilestoneView | None = self.ctx.render(
            MilestoneView, self.ctx.world.milestones.get(self.record.milestone_id)
        )
        return milestone

    action = attr()
    state = attr()


class StateEventView(_ResourceEvent[StateEvent]):
    """The issuable was closed, reopened or merged."""

    source_commit = attr(since="<=18.9")
    source_merge_request_id = attr(since="<=18.9")
    state = attr()


class WeightEventView(_BaseEvent[WeightEvent]):
    """The weight was changed."""

    # Only issues have a weight, so these events name the issue instead of a type and an id.
    @computed
    def issue_id(self) -> int:
        return self.record.subject[1]

    weight = attr()


class IterationEventView(_ResourceEvent[IterationEvent]):
    """An iteration was set or removed."""

    @computed
    def iteration(self) -> IterationView | None:
        iteration = self.ctx.world.iterations.get(self.record.iteration_id)
        view: IterationView | None = self.ctx.render(IterationView, iteration)
        return view

    action = attr()
