"""Epics of groups, and the issues in them."""

from typing import Literal

from fakeplat.core.store.frozen import frozen


@frozen
class Epic:
    """An epic. Its dates are the fixed ones if they are marked as fixed, else those of its issues' milestones."""

    id: int
    iid: int
    group_id: int
    title: str
    author_id: int
    created_at: str
    updated_at: str
    description: str | None = None
    state: Literal["opened", "closed"] = "opened"
    confidential: bool = False
    parent_id: int | None = None
    relative_position: int | None = None
    start_date_fixed: str | None = None
    start_date_is_fixed: bool = False
    due_date_fixed: str | None = None
    due_date_is_fixed: bool = False
    label_ids: tuple[int, ...] = ()
    closed_at: str | None = None
    closed_by_id: int | None = None


@frozen
class EpicIssue:
    """An issue in an epic; an issue is in one at most. Issues of an epic are sorted by ascending position."""

    id: int
    epic_id: int
    issue_id: int
    relative_position: int
