"""Links between epics, and boards of epics."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, ListOf
from fakeplat.domain.epics import epic_access, epic_boards, related_epics
from fakeplat.domain.planning import labels
from fakeplat.model.epics import EpicBoard, RelatedEpicLink
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.link_sections import build_link_section
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, EntryData
from fakeplat.scenario.sections.issues.issuables import get_epic


def _format_end(world: World, epic_id: int) -> str:
    return epic_access.format_reference(world, world.epics[epic_id])


RELATED_EPIC_LINKS: Final = build_link_section(
    "related_epic_links",
    RelatedEpicLink,
    "epic",
    ("acme&1", "acme&2"),
    get_end=get_epic,
    find=related_epics.find_link_between,
    insert=related_epics.insert,
    format_end=_format_end,
)


def _create_board(entry: Entry) -> EpicBoard:
    group, name, world = entry.owner, entry.values["name"], entry.world
    existing = next((board for board in epic_boards.list_boards(world, group) if board.name == name), None)
    board = existing or epic_boards.create(entry.ctx, group, name, created_at=entry.created_at)
    fields = entry.select(("hide_backlog_list", "hide_closed_list", "display_colors", "created_at", "updated_at"))
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
        "lists": [epic_boards.title_of(world, column) for column in epic_boards.list_columns(world, board)],
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
        "display_colors": BOOLEAN,
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
