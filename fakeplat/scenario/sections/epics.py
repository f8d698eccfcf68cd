"""Epics of groups, with their issues in order."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE, NULLABLE_TEXT, TEXT, Integer, ListOf, Nullable, Object
from fakeplat.domain.epics import epic_access, epic_issues, epics
from fakeplat.domain.planning import labels
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issues import format_reference, get_issue
from fakeplat.scenario.sections.notes.threads import get_epic

_DATE: Final = Nullable(DATE)
_FIELDS: Final = fields(
    Epic,
    without=("id", "group_id", "author_id", "parent_id", "label_ids", "closed_by_id"),
    iid=Integer(minimum=1),
    start_date_fixed=_DATE,
    due_date_fixed=_DATE,
)


def _create(entry: Entry) -> Epic:
    group, table = entry.owner, entry.world.epics
    values = {**entry.select(_FIELDS), **_resolve_references(entry, group)}
    existing = _find_existing(entry, group)
    epic = _insert(entry, group, values) if existing is None else table.change(existing, **values)
    entry.defer(lambda: _connect(entry))
    return epic


def _find_existing(entry: Entry, group: Group) -> Epic | None:
    if "iid" in entry.values:
        return entry.world.epics.find("iid", (group.id, entry.values["iid"]))
    in_group = entry.world.epics.where("group", group.id)
    return next((epic for epic in in_group if epic.title == entry.values.get("title")), None)


def _insert(entry: Entry, group: Group, values: dict[str, Any]) -> Epic:
    if "title" not in values:
        entry.fail("needs 'title'")
    if "author_id" not in values:
        entry.fail("needs 'author'")
    defaults = {"created_at": entry.created_at}
    if values.get("state") == "closed":
        times = {**defaults, **values}
        defaults |= {"closed_at": times.get("updated_at", times["created_at"]), "closed_by_id": values["author_id"]}
    return epics.insert(entry.ctx, group, **{**defaults, **values})


def _resolve_references(entry: Entry, group: Group) -> dict[str, Any]:
    values, references = entry.values, dict[str, Any]()
    if "author" in values:
        references["author_id"] = entry.user("author").id
    if "closed_by" in values:
        user = entry.user_or_none("closed_by")
        references["closed_by_id"] = user.id if user else None
    if "labels" in values:
        references["label_ids"] = tuple(_get_label(entry, group, title) for title in dict.fromkeys(values["labels"]))
    return references


def _get_label(entry: Entry, group: Group, title: str) -> int:
    label = labels.find_by_title(entry.world, group, title)
    return label.id if label else labels.insert(entry.ctx, group, title=title).id


def _connect(entry: Entry) -> None:
    """Set the parent of an epic and its issues, once all epics and issues exist."""
    epic, values = entry.record(), entry.values
    if values.get("parent") is not None:
        entry.world.epics.change(epic, parent_id=get_epic(entry, values["parent"], "parent").id)
    for reference in values.get("issues", ()):
        epic_issues.move(entry.ctx, get_issue(entry, reference, "issues"), epic)


def _export(world: World, group: Group) -> Iterable[tuple[Epic, EntryData]] | None:
    return [(epic, _serialize(world, epic)) for epic in world.epics.where("group", group.id)] or None


def _serialize(world: World, epic: Epic) -> EntryData:
    data = serialization.non_default_fields(epic, _FIELDS)
    parent = world.epics.get(epic.parent_id or 0)
    issues = [world.issues[link.issue_id] for link in epic_issues.list_links(world, epic)]
    optional = {
        "labels": [world.labels[id_].title for id_ in epic.label_ids],
        "parent": None if parent is None else epic_access.format_reference(world, parent),
        "closed_by": serialization.username_of(world, epic.closed_by_id),
        "issues": [format_reference(world, issue) for issue in issues],
    }
    return {
        **serialization.remove_defaults(data, updated_at=epic.created_at),
        "author": serialization.username_of(world, epic.author_id),
        **{name: value for name, value in optional.items() if value},
    }


SECTION: Final = Section(
    "epics",
    within=("group",),
    rank=ISSUES,
    keys=Object(
        {
            **_FIELDS,
            "author": TEXT,
            "closed_by": NULLABLE_TEXT,
            "labels": ListOf(TEXT),
            "parent": NULLABLE_TEXT,
            "issues": ListOf(TEXT),
        },
        descriptions={
            "author": "Username.",
            "closed_by": "Username. Default: the author.",
            "labels": "Titles. Missing labels are created in the group.",
            "parent": "The epic above it, as acme&1.",
            "issues": "Issues as acme/site#7, in order.",
        },
    ),
    create=_create,
    export=_export,
    name_key="title",
    identity_key="iid",
    case_sensitive=True,
    kind="epic",
)
