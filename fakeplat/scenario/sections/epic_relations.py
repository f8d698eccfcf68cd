"""Links between epics, in the order of their creation, and boards of epics."""

from collections.abc import Iterable, Sequence
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, Choice, ListOf, Object
from fakeplat.domain.epics import epic_access, epic_boards, related_epics
from fakeplat.domain.planning import labels
from fakeplat.model.epics import EpicBoard, RelatedEpicLink
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData, Section
from fakeplat.scenario.sections.notes.threads import get_epic

_TIMES: Final = ("created_at", "updated_at")


def _create_link(entry: Entry) -> RelatedEpicLink:
    source, target = (get_epic(entry, entry.values[end], end) for end in ("source", "target"))
    if source.id == target.id:
        entry.fail("an epic cannot be linked to itself", "target")
    existing = related_epics.find_link_between(entry.world, source.id, target.id)
    link = existing or related_epics.insert(entry.ctx, source, target, entry.values.get("link_type", "relates_to"))
    times = {"created_at": entry.created_at, "updated_at": entry.created_at, **entry.select(_TIMES)}
    return entry.world.related_epic_links.change(link, **times)


def _export_links(world: World, _owner: object) -> Iterable[tuple[RelatedEpicLink, EntryData]] | None:
    return [(link, _serialize_link(world, link)) for link in world.related_epic_links.all()] or None


def _serialize_link(world: World, link: RelatedEpicLink) -> EntryData:
    ends = {"source": link.source_id, "target": link.target_id}
    data: EntryData = {end: epic_access.format_reference(world, world.epics[id_]) for end, id_ in ends.items()}
    if link.link_type != "relates_to":
        data["link_type"] = link.link_type
    times = {"created_at": link.created_at}
    return data | times | ({} if link.updated_at == link.created_at else {"updated_at": link.updated_at})


RELATED_EPIC_LINKS: Final = Section(
    "related_epic_links",
    within=(SCENARIO,),
    rank=ALERTS,
    keys=Object(
        {
            "source": TEXT,
            "target": TEXT,
            "link_type": Choice("relates_to", "blocks", "is_blocked_by"),
            "created_at": DATE_TIME,
            "updated_at": DATE_TIME,
        },
        required=("source", "target"),
        descriptions={
            "source": "The linking epic, as acme&1.",
            "target": "The linked epic, as acme&2.",
            "link_type": "How the first epic is related to the second. Default: relates_to.",
        },
    ),
    create=_create_link,
    export=_export_links,
    record=RelatedEpicLink,
)


def _create_board(entry: Entry) -> EpicBoard:
    group, name, world = entry.owner, entry.values["name"], entry.world
    existing = next((board for board in epic_boards.list_boards(world, group) if board.name == name), None)
    board = existing or epic_boards.create(entry.ctx, group, name, created_at=entry.created_at)
    fields = entry.select(("hide_backlog_list", "hide_closed_list", *_TIMES))
    if "labels" in entry.values:
        fields["label_ids"] = tuple(_get_label(entry, group, title, "labels") for title in entry.values["labels"])
    board = world.epic_boards.change(board, **fields)
    present = {column.label_id for column in epic_boards.list_columns(world, board)}
    for title in entry.values.get("lists", ()):
        label_id = _get_label(entry, group, title, "lists")
        if label_id not in present:
            epic_boards.add_column(entry.ctx, board, label_id)
    return board


def _get_label(entry: Entry, group: Group, title: str, key: str) -> int:
    label = labels.find_by_title(entry.world, group, title)
    known = [each.title for each in labels.list_available(entry.world, group)]
    return (label or entry.fail(f"unknown label {title!r}", key, nearest_name(title, known))).id


def _list_boards(world: World, group: Group) -> Sequence[EpicBoard]:
    return world.epic_boards.where("group", group.id)


def _serialize_parts(world: World, board: EpicBoard) -> EntryData:
    return {
        "labels": [world.labels[id_].title for id_ in board.label_ids],
        "lists": [world.labels[column.label_id].title for column in epic_boards.list_columns(world, board)],
    }


EPIC_BOARDS: Final = derive_section(
    "epic_boards",
    EpicBoard,
    within=("group",),
    rank=ALERTS,
    keys={
        "name": TEXT,
        "hide_backlog_list": BOOLEAN,
        "hide_closed_list": BOOLEAN,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    further_keys={"labels": ListOf(TEXT), "lists": ListOf(TEXT)},
    required=("name",),
    descriptions={
        "labels": "Titles of labels: the board shows epics with all of them.",
        "lists": "Titles of the labels of its lists, in order.",
    },
    create=_create_board,
    rows=_list_boards,
    parts=_serialize_parts,
    name_key="name",
    case_sensitive=True,
)
