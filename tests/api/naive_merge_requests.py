"""A reference implementation of merge request lists, computed one by one from the JSON of responses.

It does not use the package. Source: docs/platform/merge-requests.md, docs/decisions/rulings.md (7, 8, 20).
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.api.naive_issues import (
    Rule,
    SideData,
    assigned_to,
    assigned_to_all,
    has_labels,
    has_some_label,
    in_milestone,
    in_scope,
    matches_reaction,
    matches_search,
    split_values,
)

Row = Mapping[str, Any]
DRAFT = re.compile(r"\s*(\[(wip|draft)\]|\(draft\)|(wip|draft):|draft - )", re.IGNORECASE)


def list_ids(
    rows: Iterable[Row], query: Mapping[str, Any], viewer: str, side: SideData, project_ids: Iterable[int] | None = None
) -> list[int]:
    """Return the ids in a viewer's list of the merge requests of some projects (default: all), in order."""
    included = None if project_ids is None else set(project_ids)
    only_active = str(query.get("non_archived", "false")) == "true"
    selected = [
        row
        for row in rows
        if (included is None or row["project_id"] in included)
        and not (only_active and row["project_id"] in side.archived)
        and viewer in side.readers[row["project_id"]]
        and matches_filters(row, query, viewer, side)
    ]
    column, descending = query.get("order_by", "created_at"), query.get("sort", "desc") == "desc"
    return [row["id"] for row in sorted(selected, key=lambda row: (row[column], row["id"]), reverse=descending)]


def matches_filters(row: Row, query: Mapping[str, Any], viewer: str, side: SideData) -> bool:
    """Return whether a merge request matches all filters and no negated filter."""
    for name, rule in RULES.items():
        if query.get(name) not in (None, "") and not rule(row, query[name], viewer, side):
            return False
    for name, rule in NEGATED_RULES.items():
        if query.get(f"not[{name}]") not in (None, "") and rule(row, query[f"not[{name}]"], viewer, side):
            return False
    text = query.get("search")
    return not text or matches_search(row, text, query.get("in"))


RULES: dict[str, Rule] = {
    "state": lambda row, value, *_: value == "all" or row["state"] == value,
    "labels": has_labels,
    "milestone": in_milestone,
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
    "source_branch": lambda row, value, *_: row["source_branch"] == value,
    "target_branch": lambda row, value, *_: row["target_branch"] == value,
    "wip": lambda row, value, *_: (DRAFT.match(row["title"]) is not None) == (value == "yes"),
    "environment": lambda *_: False,
    "deployed_after": lambda *_: False,
    "deployed_before": lambda *_: False,
}
NEGATED_RULES: dict[str, Rule] = {
    name: RULES[name] for name in ("milestone", "author_id", "author_username", "assignee_id", "my_reaction_emoji")
} | {"labels": has_some_label, "assignee_username": assigned_to_all}
