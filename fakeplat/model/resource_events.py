"""Resource events: changes of labels, milestones, states and weights of issues and merge requests.

``subject`` is (kind, id). The ids of deleted labels and users stay in their events.
"""

from typing import Literal

from fakeplat.core.store.frozen import frozen

Action = Literal["add", "remove"]


@frozen
class LabelEvent:
    """A label was added or removed."""

    id: int
    subject: tuple[str, int]
    user_id: int
    label_id: int
    action: Action
    created_at: str


@frozen
class MilestoneEvent:
    """A milestone was set or removed; ``state`` is the subject's state at that time."""

    id: int
    subject: tuple[str, int]
    user_id: int
    milestone_id: int
    action: Action
    state: str
    created_at: str


@frozen
class StateEvent:
    """The subject was closed, reopened or merged."""

    id: int
    subject: tuple[str, int]
    user_id: int
    state: Literal["closed", "reopened", "merged"]
    created_at: str


@frozen
class WeightEvent:
    """The subject's weight was set or removed."""

    id: int
    subject: tuple[str, int]
    user_id: int
    weight: int | None
    created_at: str


@frozen
class IterationEvent:
    """An iteration was set or removed."""

    id: int
    subject: tuple[str, int]
    user_id: int
    iteration_id: int
    action: Action
    created_at: str
