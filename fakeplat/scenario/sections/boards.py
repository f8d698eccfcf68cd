"""Boards of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import COUNT, DATE_TIME, NULLABLE_TEXT, TEXT, ListOf, Nullable, Object, Union
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import boards, labels, milestones
from fakeplat.model.boards import MILESTONE_FILTERS, Board, BoardList, ListKind
from fakeplat.model.labels import Label
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import serialization as telling

_TIMES: Final = ("created_at", "updated_at")
_KINDS: Final = ("label", "assignee", "milestone")
_FILTER_IDS: Final = {filter_.word: filter_.id for filter_ in MILESTONE_FILTERS.values()}
_LIST: Final = Object(dict.fromkeys(_KINDS, TEXT), one_of=_KINDS)


def _make(entry: Entry) -> Board:
    place, name = entry.owner, entry.said["name"]
    found = next((board for board in boards.list_boards(entry.world, place) if board.name == name), None)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    board = found or boards.create(entry.ctx, place, name, **times)
    board = entry.world.boards.change(board, **_fields(entry, place), **entry.given(_TIMES))
    for said in entry.said.get("lists", ()):
        kind, id_ = _listed(entry, place, said)
        if entry.world.board_lists.find("thing", (board.id, kind, id_)) is None:
            boards.insert_list(entry.ctx, board, kind, id_)
    return board


def _listed(entry: Entry, place: Any, said: Any) -> tuple[ListKind, int]:
    """What a list is of: the label of a title, or the one thing that is named."""
    ((kind, name),) = said.items() if isinstance(said, dict) else [("label", said)]
    if kind == "assignee":
        return "assignee", entry.named_user(name, "lists").id
    if kind == "milestone":
        return "milestone", _milestone(entry, place, name, "lists")
    return "label", _label(entry, place, name, "lists").id


def _fields(entry: Entry, place: Any) -> dict[str, Any]:
    said, found = entry.said, entry.given(("weight",))
    if "assignee" in said:
        user = entry.user_or_none("assignee")
        found["assignee_id"] = user.id if user else None
    if "milestone" in said:
        title = said["milestone"]
        found["milestone_id"] = None if title is None else _scope_milestone(entry, place, title)
    if "labels" in said:
        found["label_ids"] = tuple(_label(entry, place, title, "labels").id for title in said["labels"])
    return found


def _scope_milestone(entry: Entry, place: Any, title: str) -> int:
    return _FILTER_IDS.get(title) or _milestone(entry, place, title, "milestone")


def _label(entry: Entry, place: Any, title: str, key: str) -> Label:
    known = [label.title for label in labels.list_available(entry.world, place)]
    found = labels.find_by_title(entry.world, place, title)
    return found or entry.wrong(f"unknown label {title!r}", key, nearest_name(title, known))


def _milestone(entry: Entry, place: Any, title: str, key: str) -> int:
    usable = milestones.list_available(entry.world, place)
    found = next((one for one in usable if one.title == title), None)
    known = [one.title for one in usable]
    return found.id if found else entry.wrong(f"unknown milestone {title!r}", key, nearest_name(title, known))


def _tell(world: World, place: Any) -> Iterable[tuple[Board, Told]] | None:
    return [(board, _told(world, board)) for board in world.boards.where("source", source_of(place))] or None


def _told(world: World, board: Board) -> Told:
    found: Told = {
        "assignee": telling.username_of(world, board.assignee_id),
        "milestone": _told_milestone(world, board.milestone_id),
        "labels": [world.labels[id_].title for id_ in board.label_ids],
        "lists": [_told_list(world, one) for one in boards.list_columns(world, board)],
    }
    own = telling.remove_defaults(telling.non_default_fields(board, (*_TIMES, "weight")), updated_at=board.created_at)
    return {"name": board.name, **own, **{name: value for name, value in found.items() if value}}


def _told_milestone(world: World, id_: int | None) -> str | None:
    if (filter_ := MILESTONE_FILTERS.get(id_ or 0)) is not None:
        return filter_.word
    milestone = world.milestones.get(id_) if id_ is not None else None
    return milestone.title if milestone else None


def _told_list(world: World, one: BoardList) -> str | dict[str, str | None]:
    if one.kind == "assignee":
        return {one.kind: telling.username_of(world, one.thing_id)}
    if one.kind == "milestone":
        return {one.kind: world.milestones[one.thing_id].title}
    return world.labels[one.thing_id].title


_ABOUT: Final = {
    "lists": "Titles of labels, in the order of the lists; or a map that names an assignee or a milestone (paid).",
    "labels": "Titles.",
    "assignee": "A username.",
    "milestone": "A title; or `#upcoming`, `#started`.",
}
SECTION: Final = Section(
    "boards",
    under=("group", "project"),
    rank=ISSUES,
    keys=Object(
        {
            "name": TEXT,
            "lists": ListOf(Union(TEXT, _LIST)),
            "milestone": NULLABLE_TEXT,
            "assignee": NULLABLE_TEXT,
            "labels": ListOf(TEXT),
            "weight": Nullable(COUNT),
            "created_at": DATE_TIME,
            "updated_at": DATE_TIME,
        },
        required=("name",),
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    named="name",
    cased=True,
)
