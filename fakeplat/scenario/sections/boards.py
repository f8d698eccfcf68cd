"""Boards of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.domain import boards, labels, milestones
from fakeplat.domain.members import source_of
from fakeplat.model.boards import Board
from fakeplat.model.labels import Label
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.mistakes import nearest
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import telling
from fakeplat.scenario.shapes import COUNT, NULLABLE_TEXT, TEXT, TIME, Keys, ListOf, Nullable

_TIMES: Final = ("created_at", "updated_at")


def _make(entry: Entry) -> Board:
    place, name = entry.owner, entry.said["name"]
    found = next((board for board in boards.of(entry.world, place) if board.name == name), None)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    board = found or boards.create(entry.cx, place, name, **times)
    board = entry.world.boards.change(board, **_fields(entry, place), **entry.given(_TIMES))
    for title in entry.said.get("lists", ()):
        label = _label(entry, place, title, "lists")
        if entry.world.board_lists.find("label", (board.id, label.id)) is None:
            boards.put_list(entry.cx, board, label)
    return board


def _fields(entry: Entry, place: Any) -> dict[str, Any]:
    said, found = entry.said, entry.given(("weight",))
    if "assignee" in said:
        user = entry.user_or_none("assignee")
        found["assignee_id"] = user.id if user else None
    if "milestone" in said:
        found["milestone_id"] = _milestone(entry, place, said["milestone"])
    if "labels" in said:
        found["label_ids"] = tuple(_label(entry, place, title, "labels").id for title in said["labels"])
    return found


def _label(entry: Entry, place: Any, title: str, key: str) -> Label:
    known = [label.title for label in labels.usable(entry.world, place)]
    found = labels.by_title(entry.world, place, title)
    return found or entry.wrong(f"unknown label {title!r}", key, nearest(title, known))


def _milestone(entry: Entry, place: Any, title: str | None) -> int | None:
    if title is None:
        return None
    usable = milestones.usable(entry.world, place)
    found = next((one for one in usable if one.title == title), None)
    known = [one.title for one in usable]
    return found.id if found else entry.wrong(f"unknown milestone {title!r}", "milestone", nearest(title, known))


def _tell(world: World, place: Any) -> Iterable[tuple[Board, Told]] | None:
    return [(board, _told(world, board)) for board in world.boards.where("source", source_of(place))] or None


def _told(world: World, board: Board) -> Told:
    milestone = world.milestones.get(board.milestone_id) if board.milestone_id is not None else None
    found: Told = {
        "assignee": telling.username(world, board.assignee_id),
        "milestone": milestone.title if milestone else None,
        "labels": [world.labels[id_].title for id_ in board.label_ids],
        "lists": [world.labels[one.label_id].title for one in boards.lists_of(world, board)],
    }
    own = telling.without(telling.told(board, (*_TIMES, "weight")), updated_at=board.created_at)
    return {"name": board.name, **own, **{name: value for name, value in found.items() if value}}


SECTION: Final = Section(
    "boards",
    under=("group", "project"),
    rank=ISSUES,
    keys=Keys(
        {
            "name": TEXT,
            "lists": ListOf(TEXT),
            "milestone": NULLABLE_TEXT,
            "assignee": NULLABLE_TEXT,
            "labels": ListOf(TEXT),
            "weight": Nullable(COUNT),
            "created_at": TIME,
            "updated_at": TIME,
        },
        needs=("name",),
        about={"lists": "Titles of labels, in the order of the lists.", "labels": "Titles.", "assignee": "A username."},
    ),
    make=_make,
    tell=_tell,
    named="name",
    cased=True,
)
