"""Labels, milestones, iterations, boards, and the history of what has them."""

from collections.abc import Mapping
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject


@frozen
class Label:
    """A label. Colors have the form ``#RRGGBB``."""

    id: int
    source: tuple[str, int]
    title: str
    color: str
    created_at: str
    updated_at: str
    description: str | None = None
    archived: bool = False
    lock_on_merge: bool = False


@frozen
class LabelPriority:
    """The priority of a label in a project; 0 is the highest."""

    id: int
    project_id: int
    label_id: int
    priority: int


@frozen
class Milestone:
    """A milestone. ``state``: active or closed."""

    id: int
    iid: int
    source: tuple[str, int]
    title: str
    created_at: str
    updated_at: str
    description: str | None = None
    state: str = "active"
    due_date: str | None = None
    start_date: str | None = None


@frozen
class IterationCadence:
    """A sequence of iterations of a group; an automatic one plans its iterations itself."""

    id: int
    group_id: int
    title: str
    created_at: str
    updated_at: str
    description: str | None = None
    automatic: bool = False
    active: bool = True
    start_date: str | None = None
    duration_in_weeks: int | None = None
    iterations_in_advance: int | None = None
    roll_over: bool = False


@frozen
class Iteration:
    """An iteration. Whether it is upcoming, started or closed follows from its dates; planned ones have no title."""

    id: int
    iid: int
    group_id: int
    title: str | None
    start_date: str
    due_date: str
    created_at: str
    updated_at: str
    description: str | None = None
    cadence_id: int | None = None


FieldType = Literal["single_select", "multi_select", "number", "text"]


@frozen
class SelectOption:
    """An option of a custom field."""

    id: int
    value: str


@frozen
class CustomField:
    """A field that a top-level group adds to types of work items."""

    id: int
    group_id: int
    name: str
    field_type: FieldType
    created_at: str
    updated_at: str
    created_by_id: int | None = None
    updated_by_id: int | None = None
    archived_at: str | None = None
    select_options: tuple[SelectOption, ...] = ()
    work_item_types: tuple[str, ...] = ()


@frozen
class CustomFieldValue:
    """The value of a custom field of a work item: a text, a number, or the ids of selected options."""

    id: int
    field_id: int
    subject: Subject
    text: str | None = None
    number: float | None = None
    selected: tuple[int, ...] = ()


ListKind = Literal["label", "assignee", "milestone", "iteration"]


@frozen
class Board:
    """A board of a project or group; on paid tiers, it can be limited to a milestone, assignee, labels or weight."""

    id: int
    source: tuple[str, int]
    name: str
    created_at: str
    updated_at: str
    milestone_id: int | None = None
    assignee_id: int | None = None
    label_ids: tuple[int, ...] = ()
    weight: int | None = None
    hide_backlog_list: bool = False
    hide_closed_list: bool = False


@frozen
class MilestoneFilter:
    """A special value for a board's milestone; ``word`` is its name in issue filters."""

    id: int
    title: str
    word: str


MILESTONE_FILTERS: Final[Mapping[int, MilestoneFilter]] = {
    filter_.id: filter_
    for filter_ in (MilestoneFilter(-2, "Upcoming", "#upcoming"), MilestoneFilter(-3, "Started", "#started"))
}


@frozen
class BoardList:
    """A list of the issues with a label, or on paid tiers, an assignee, milestone or iteration.

    The positions of a board's lists start at 0 and have no gaps.
    """

    id: int
    board_id: int
    kind: ListKind
    thing_id: int
    position: int
    created_at: str
    updated_at: str


Action = Literal["add", "remove"]


@frozen
class BoardEpicPreference:
    """How a user sees an epic on a board that groups its issues by epics."""

    id: int
    user_id: int
    board_id: int
    epic_id: int
    collapsed: bool = False


@frozen
class LabelEvent:
    """A label was added or removed."""

    id: int
    subject: Subject
    user_id: int
    label_id: int
    action: Action
    created_at: str


@frozen
class MilestoneEvent:
    """A milestone was set or removed; ``state`` is the subject's state at that time."""

    id: int
    subject: Subject
    user_id: int
    milestone_id: int
    action: Action
    state: str
    created_at: str


@frozen
class StateEvent:
    """The subject was closed, reopened or merged, maybe by a commit (SHA) or a merge request."""

    id: int
    subject: Subject
    user_id: int
    state: Literal["closed", "reopened", "merged"]
    created_at: str
    source_commit: str | None = None
    source_merge_request_id: int | None = None


@frozen
class WeightEvent:
    """The subject's weight was set or removed."""

    id: int
    subject: Subject
    user_id: int
    weight: int | None
    created_at: str


@frozen
class IterationEvent:
    """An iteration was set or removed."""

    id: int
    subject: Subject
    user_id: int
    iteration_id: int
    action: Action
    created_at: str
