"""What the history of labels, milestones, states and weights shows.

Source: docs/platform/issues.md ('Resource events').
"""

from typing import Final, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.labels import LabelBasic, MilestoneView
from fakeplat.entities.users import UserBasic
from fakeplat.model.resource_events import LabelEvent, MilestoneEvent, StateEvent, WeightEvent
from fakeplat.policy.context import ReadContext

E = TypeVar("E", LabelEvent, MilestoneEvent, StateEvent, WeightEvent)
_TYPES: Final = {"issue": "Issue", "merge_request": "MergeRequest"}


class _Done(Entity[E]):
    """Who did it, and when."""

    ctx: ReadContext

    id = attr()

    @computed
    def user(self) -> UserBasic | None:
        found: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return found

    created_at = attr()


class _DoneTo(_Done[E]):
    """And to what."""

    @computed
    def resource_type(self) -> str:
        return _TYPES[self.record.subject[0]]

    @computed
    def resource_id(self) -> int:
        return int(self.record.subject[1])


class LabelEventView(_DoneTo[LabelEvent]):
    """A label came or went; a deleted one is null."""

    @computed
    def label(self) -> LabelBasic | None:
        found: LabelBasic | None = self.ctx.render(LabelBasic, self.ctx.world.labels.get(self.record.label_id))
        return found

    action = attr()


class MilestoneEventView(_DoneTo[MilestoneEvent]):
    """A milestone was set or taken away."""

    @computed
    def milestone(self) -> MilestoneView | None:
        found: MilestoneView | None = self.ctx.render(
            MilestoneView, self.ctx.world.milestones.get(self.record.milestone_id)
        )
        return found

    action = attr()
    state = attr()


class StateEventView(_DoneTo[StateEvent]):
    """Closed, reopened or merged."""

    state = attr()


class WeightEventView(_Done[WeightEvent]):
    """Another weight."""

    @computed
    def issue_id(self) -> int:
        return self.record.subject[1]

    weight = attr()
