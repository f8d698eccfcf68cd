"""What happened to things that are planned with: labels, milestones, states and weights over time.

``subject`` is (kind, id). Labels and users that are gone leave their ids behind.
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
    """A milestone was set or taken away; ``state`` is that of the subject."""

    id: int
    subject: tuple[str, int]
    user_id: int
    milestone_id: int
    action: Action
    state: str
    created_at: str


@frozen
class StateEvent:
    """The subject came to a state: closed, reopened or merged."""

    id: int
    subject: tuple[str, int]
    user_id: int
    state: Literal["closed", "reopened", "merged"]
    created_at: str


@frozen
class WeightEvent:
    """The subject got a weight, or none."""

    id: int
    subject: tuple[str, int]
    user_id: int
    weight: int | None
    created_at: str
