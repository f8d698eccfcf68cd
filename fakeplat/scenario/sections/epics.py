"""Epics of groups, with their issues in order."""

from typing import Final

from fakeplat.core.schema.shapes import DATE, NULLABLE_TEXT, TEXT, Integer, ListOf, Nullable
from fakeplat.domain.epics import epic_access, epic_issues, epics
from fakeplat.domain.planning import labels
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ISSUES, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issuables import get_epic
from fakeplat.scenario.sections.issues.issues import format_reference, get_issue

_DATE: Final = Nullable(DATE)
_FIELDS: Final = own_fields(
    Epic,
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


def _insert(entry: Entry, group: Group, values: EntryData) -> Epic:
    if "title" not in values:
        entry.fail("needs 'title'")
    if "author_id" not in values:
        entry.fail("needs 'author'")
    defaults = {"created_at": entry.created_at}
    if values.get("state") == "closed":
        times = {**defaults, **values}
        defaults |= {"closed_at": times.get("updated_at", times["created_at"]), "closed_by_id": values["author_id"]}
    return epics.insert(entry.ctx, group, **{**defaults, **values})


def _resolve_references(entry: Entry, group: Group) -> EntryData:
    values, references = entry.values, EntryData()
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
    # Each issue comes before those that are in the epic already.
    for reference in reversed(values.get("issues", ())):
        epic_issues.move(entry.ctx, get_issue(entry, reference, "issues"), epic)


def _serialize_parts(world: World, epic: Epic) -> EntryData:
    parent = world.epics.get(epic.parent_id or 0)
    issues = [world.issues[link.issue_id] for link in epic_issues.list_links(world, epic)]
    return {
        "labels": [world.labels[id_].title for id_ in epic.label_ids],
        "parent": None if parent is None else epic_access.format_reference(world, parent),
        "closed_by": serialization.username_of(world, epic.closed_by_id),
        "issues": [format_reference(world, issue) for issue in issues],
    }


SECTION: Final = derive_section(
    "epics",
    Epic,
    within=("group",),
    rank=ISSUES,
    keys=_FIELDS,
    further_keys={
        "author": TEXT,
        "closed_by": NULLABLE_TEXT,
        "labels": ListOf(TEXT),
        "parent": NULLABLE_TEXT,
        "issues": ListOf(TEXT),
    },
    references={"author": "author_id"},
    descriptions={
        "author": "Username.",
        "last_edited_at": "Time of the last change of the description.",
        "closed_by": "Username. Default: the author.",
        "labels": "Titles. Missing labels are created in the group.",
        "parent": "The epic above it, as acme&1.",
        "issues": "Issues as acme/site#7, in order.",
    },
    create=_create,
    always=("author",),
    parts=_serialize_parts,
    name_key="title",
    identity_key="iid",
    case_sensitive=True,
    kind="epic",
)
