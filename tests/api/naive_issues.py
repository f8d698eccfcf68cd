"""A reference implementation of issue lists, computed issue by issue from the JSON of responses.

It does not use the package. Source: docs/platform/issues.md ('Lists'), docs/decisions/rulings.md (6, 8).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from attrs import field, frozen

Row = Mapping[str, Any]
Query = Mapping[str, Any]


@frozen
class SideData:
    """Data that the responses lack: visibility, reactions, priorities, positions, all milestones, the date."""

    today: date
    readers: Mapping[int, frozenset[str | None]] = field(factory=dict)
    reporters: Mapping[int, frozenset[str]] = field(factory=dict)
    archived: frozenset[int] = frozenset()
    reactions: frozenset[tuple[int, str, str]] = frozenset()
    priorities: Mapping[tuple[int, str], int] = field(factory=dict)
    positions: Mapping[int, int] = field(factory=dict)
    milestones: Sequence[Row] = ()


def list_ids(
    rows: Iterable[Row], query: Query, viewer: str | None, side: SideData, project_ids: Iterable[int] | None = None
) -> list[int]:
    """Return the ids in a viewer's list of the issues of some projects (default: all), in order."""
    included = None if project_ids is None else set(project_ids)
    only_active = str(query.get("non_archived", "true")) == "true"
    selected = [
        row
        for row in rows
        if (included is None or row["project_id"] in included)
        and not (only_active and row["project_id"] in side.archived)
        and is_visible(row, viewer, side)
        and matches_filters(row, query, viewer, side)
    ]
    return [
        row["id"] for row in sort_rows(selected, query.get("order_by", "created_at"), query.get("sort", "desc"), side)
    ]


def count_states(
    rows: Iterable[Row], query: Query, viewer: str | None, side: SideData, project_ids: Any = None
) -> dict[str, int]:
    """Return the counts of the statistics."""
    rows = list(rows)
    states = {row["id"]: row["state"] for row in rows}
    listed_states = [states[id_] for id_ in list_ids(rows, query, viewer, side, project_ids)]
    return {"all": len(listed_states), "closed": listed_states.count("closed"), "opened": listed_states.count("opened")}


def is_visible(row: Row, viewer: str | None, side: SideData) -> bool:
    """Return whether the viewer sees an issue; confidential ones need Reporter, or being the author or an assignee."""
    project = row["project_id"]
    if viewer not in side.readers[project]:
        return False
    return not row["confidential"] or viewer in side.reporters[project] or viewer in list_involved(row)


def list_involved(row: Row) -> set[str]:
    return {row["author"]["username"], *(user["username"] for user in row["assignees"])}


def matches_filters(row: Row, query: Query, viewer: str | None, side: SideData) -> bool:
    """Return whether an issue matches all filters and no negated filter."""
    for name, rule in RULES.items():
        if query.get(name) not in (None, "") and not rule(row, query[name], viewer, side):
            return False
    for name, rule in NEGATED_RULES.items():
        if query.get(f"not[{name}]") not in (None, "") and rule(row, query[f"not[{name}]"], viewer, side):
            return False
    for prefix, expected in (("{}", True), ("not[{}]", False)):
        text = query.get(prefix.format("search"))
        if text and matches_search(row, text, query.get(prefix.format("in"))) is not expected:
            return False
    return True


def split_values(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    return [piece.strip() for part in parts for piece in str(part).split(",")]


def has_labels(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    titles = split_values(value)
    words = {title.lower() for title in titles}
    if words & {"none", "no label", "no+label"}:
        return not row["labels"]
    if "any" in words:
        return bool(row["labels"])
    return set(titles) <= set(row["labels"])


def has_some_label(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    return bool(set(split_values(value)) & set(row["labels"]))


def in_milestone(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    milestone, word = row["milestone"], str(value).lower()
    if word in ("none", "no milestone"):
        return milestone is None
    if milestone is None:
        return False
    if word in ("any", "any milestone"):
        return True
    if word == "#started":
        return (
            milestone["state"] == "active"
            and bool(milestone["start_date"])
            and read_date(milestone, "start") <= side.today
        )
    if word == "#upcoming":
        return bool(milestone["id"] in list_upcoming(side))
    return bool(milestone["title"] == value)


def read_date(milestone: Row, which: str) -> date:
    return date.fromisoformat(milestone[f"{which}_date"])


def list_upcoming(side: SideData) -> set[int]:
    """Return the ids of the active milestone of each project or group that is due next."""
    nearest: dict[Any, Row] = {}
    for milestone in side.milestones:
        container = (milestone.get("project_id"), milestone.get("group_id"))
        if milestone["state"] != "active" or not milestone["due_date"] or read_date(milestone, "due") <= side.today:
            continue
        if container not in nearest or milestone["due_date"] < nearest[container]["due_date"]:
            nearest[container] = milestone
    return {milestone["id"] for milestone in nearest.values()}


def assigned_to(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    word = str(value).lower()
    if word in ("none", "0"):
        return not row["assignees"]
    return bool(row["assignees"]) if word == "any" else int(value) in {user["id"] for user in row["assignees"]}


def assigned_to_all(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    return set(split_values(value)) <= {user["username"] for user in row["assignees"]}


def matches_weight(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    word = str(value).lower()
    if word in ("none", "any"):
        return (row["weight"] is None) == (word == "none")
    return bool(row["weight"] == int(value))


def matches_reaction(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    if viewer is None:
        return True
    emoji_of_viewer = {emoji for id_, username, emoji in side.reactions if id_ == row["id"] and username == viewer}
    word = str(value).lower()
    if word in ("none", "any"):
        return bool(emoji_of_viewer) == (word == "any")
    return value in emoji_of_viewer


def in_scope(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    if value == "all" or viewer is None:
        return True
    if value.replace("-", "_") == "created_by_me":
        return bool(row["author"]["username"] == viewer)
    return viewer in {user["username"] for user in row["assignees"]}


def is_due(row: Row, value: Any, viewer: str | None, side: SideData) -> bool:
    if value == "0":
        return row["due_date"] is None
    if row["due_date"] is None:
        return False
    when, today = date.fromisoformat(row["due_date"]), side.today
    if value == "overdue":
        return when < today
    if value == "week":
        return when.isocalendar()[:2] == today.isocalendar()[:2]
    if value == "month":
        return (when.year, when.month) == (today.year, today.month)
    after_next = date(today.year + (today.month + 1) // 12, (today.month + 1) % 12 + 1, 1)
    return today - timedelta(14) <= when < after_next


def matches_search(row: Row, text: str, where: str | None) -> bool:
    """Match words in any order, and quoted phrases; words below three letters must be the complete value."""
    columns = [column for column in split_values(where) if column in ("title", "description")] if where else []
    values = [(row[column] or "").lower() for column in columns or ("title", "description")]
    words = [phrase or word for phrase, word in re.findall(r'"([^"]+)"|(\S+)', text.lower())]
    return all(any(word in value if len(word) >= 3 else word == value for value in values) for word in words)


Rule = Callable[[Row, Any, str | None, SideData], bool]

RULES: dict[str, Rule] = {
    "state": lambda row, value, *_: value == "all" or row["state"] == value,
    "labels": has_labels,
    "milestone": in_milestone,
    "iids": lambda row, value, *_: str(row["iid"]) in split_values(value),
    "iids[]": lambda row, value, *_: str(row["iid"]) in split_values(value),
    "author_id": lambda row, value, *_: row["author"]["id"] == int(value),
    "author_username": lambda row, value, *_: row["author"]["username"] == value,
    "assignee_id": assigned_to,
    "assignee_username": assigned_to_all,
    "created_after": lambda row, value, *_: row["created_at"] >= value,
    "created_before": lambda row, value, *_: row["created_at"] <= value,
    "updated_after": lambda row, value, *_: row["updated_at"] >= value,
    "updated_before": lambda row, value, *_: row["updated_at"] <= value,
    "scope": in_scope,
    "my_reaction_emoji": matches_reaction,
    "confidential": lambda row, value, *_: row["confidential"] == (str(value) == "true"),
    "weight": matches_weight,
    "due_date": is_due,
}
NEGATED_RULES: dict[str, Rule] = {
    name: RULES[name] for name in ("milestone", "iids", "author_id", "author_username", "assignee_id")
} | {"labels": has_some_label, "assignee_username": assigned_to_all}


def sort_rows(rows: Iterable[Row], order_by: str, sort: str, side: SideData) -> list[Row]:
    """Sort by a value; rows without one come last, and equal ones by descending id, in both directions."""
    by_id = sorted(rows, key=lambda row: -row["id"])
    if order_by == "priority":
        by_id = _sorted(by_id, lambda row: find_highest_priority(row, side), sort)
        return _sorted(by_id, milestone_due, sort)
    values: dict[str, Callable[[Row], Any]] = {
        "relative_position": lambda row: side.positions[row["id"]],
        "label_priority": lambda row: find_highest_priority(row, side),
        "milestone_due": milestone_due,
        "popularity": lambda row: row["upvotes"],
    }
    return _sorted(by_id, values.get(order_by, lambda row: row[order_by]), sort)


def _sorted(rows: list[Row], value: Callable[[Row], Any], sort: str) -> list[Row]:
    with_value = sorted((row for row in rows if value(row) is not None), key=value, reverse=sort == "desc")
    return with_value + [row for row in rows if value(row) is None]


def find_highest_priority(row: Row, side: SideData) -> int | None:
    priorities = [side.priorities.get((row["project_id"], title)) for title in row["labels"]]
    return min((priority for priority in priorities if priority is not None), default=None)


def milestone_due(row: Row) -> Any:
    return row["milestone"]["due_date"] if row["milestone"] else None
