"""Boards of projects and groups."""

from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import BOOLEAN, COUNT, DATE_TIME, NULLABLE_TEXT, TEXT, ListOf, Nullable, Object, Union
from fakeplat.domain.epics import epic_access
from fakeplat.domain.planning import boards, iterations, labels, milestones
from fakeplat.model.planning import MILESTONE_FILTERS, Board, BoardEpicPreference, BoardList, Label, ListKind
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, ISSUES, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issuables import get_epic

_TIMES: Final = ("created_at", "updated_at")
_HIDDEN: Final = ("hide_backlog_list", "hide_closed_list")
_KINDS: Final = ("label", "assignee", "milestone", "iteration")
_FILTER_IDS: Final = {filter_.word: filter_.id for filter_ in MILESTONE_FILTERS.values()}
_LIST: Final = Object(dict.fromkeys(_KINDS, TEXT), one_of=_KINDS)


def _create(entry: Entry) -> Board:
    container, name = entry.owner, entry.values["name"]
    existing = next((board for board in boards.list_boards(entry.world, container) if board.name == name), None)
    board = existing or boards.create(
        entry.ctx, container, name, created_at=entry.created_at, updated_at=entry.created_at
    )
    board = entry.world.boards.change(
        board, **_resolve_references(entry, container), **entry.select((*_TIMES, *_HIDDEN))
    )
    for list_values in entry.values.get("lists", ()):
        kind, id_ = _resolve_list(entry, container, list_values)
        # Loading a fragment twice must not add a list twice.
        if entry.world.board_lists.find("thing", (board.id, kind, id_)) is None:
            boards.insert_list(entry.ctx, board, kind, id_)
    return board


def _resolve_list(entry: Entry, container: Routable, values: str | dict[str, str]) -> tuple[ListKind, int]:
    """Return the kind of a list and the id of its label (a title may stand alone), assignee, milestone or iteration."""
    # The shape allows exactly one of the keys, so there is exactly one item.
    ((kind, name),) = values.items() if isinstance(values, dict) else [("label", values)]
    if kind == "assignee":
        return "assignee", entry.get_user(name, "lists").id
    if kind == "milestone":
        return "milestone", _get_milestone(entry, container, name, "lists")
    if kind == "iteration":
        return "iteration", _get_iteration(entry, container, name, "lists")
    return "label", _get_label(entry, container, name, "lists").id


def _resolve_references(entry: Entry, container: Routable) -> EntryData:
    values, references = entry.values, entry.select(("weight",))
    if "assignee" in values:
        user = entry.user_or_none("assignee")
        references["assignee_id"] = user.id if user else None
    if "milestone" in values:
        title = values["milestone"]
        references["milestone_id"] = None if title is None else _resolve_milestone_filter(entry, container, title)
    if "labels" in values:
        references["label_ids"] = tuple(_get_label(entry, container, title, "labels").id for title in values["labels"])
    return references


def _resolve_milestone_filter(entry: Entry, container: Routable, title: str) -> int:
    # The words begin with ``#``; ids of filters are negative and never 0.
    return _FILTER_IDS.get(title) or _get_milestone(entry, container, title, "milestone")


def _get_label(entry: Entry, container: Routable, title: str, key: str) -> Label:
    titles = [label.title for label in labels.list_available(entry.world, container)]
    label = labels.find_by_title(entry.world, container, title)
    return label or entry.fail(f"unknown label {title!r}", key, nearest_name(title, titles))


def _get_milestone(entry: Entry, container: Routable, title: str, key: str) -> int:
    available = milestones.list_available(entry.world, container)
    milestone = next((candidate for candidate in available if candidate.title == title), None)
    titles = [candidate.title for candidate in available]
    return milestone.id if milestone else entry.fail(f"unknown milestone {title!r}", key, nearest_name(title, titles))


def _get_iteration(entry: Entry, container: Routable, title: str, key: str) -> int:
    iteration = iterations.find_available(entry.world, container, title)
    titles = [iterations.name_of(entry.world, one) for one in iterations.list_available(entry.world, container)]
    return iteration.id if iteration else entry.fail(f"unknown iteration {title!r}", key, nearest_name(title, titles))


def _serialize(_world: World, board: Board) -> EntryData:
    fields_ = serialization.non_default_fields(board, ("name", *_TIMES, *_HIDDEN, "weight"))
    return serialization.remove_defaults(fields_, updated_at=board.created_at)


def _serialize_parts(world: World, board: Board) -> EntryData:
    return {
        "assignee": serialization.username_of(world, board.assignee_id),
        "milestone": _serialize_milestone(world, board.milestone_id),
        "labels": [world.labels[id_].title for id_ in board.label_ids],
        "lists": [_serialize_list(world, column) for column in boards.list_columns(world, board)],
    }


def _serialize_milestone(world: World, id_: int | None) -> str | None:
    if (filter_ := MILESTONE_FILTERS.get(id_ or 0)) is not None:
        return filter_.word
    milestone = world.milestones.get(id_) if id_ is not None else None
    return milestone.title if milestone else None


def _serialize_list(world: World, column: BoardList) -> str | dict[str, str | None]:
    if column.kind == "assignee":
        return {column.kind: serialization.username_of(world, column.thing_id)}
    if column.kind == "milestone":
        return {column.kind: world.milestones[column.thing_id].title}
    if column.kind == "iteration":
        return {column.kind: iterations.name_of(world, world.iterations[column.thing_id])}
    return world.labels[column.thing_id].title


_DESCRIPTIONS: Final = {
    "lists": "Titles of labels in the order of the lists, or maps with another thing to list by (paid tiers).",
    "hide_backlog_list": "Whether the list of open issues is hidden.",
    "hide_closed_list": "Whether the list of closed issues is hidden.",
    "labels": "Titles of labels.",
    "assignee": "A username.",
    "milestone": "Title of a milestone, or `#upcoming` or `#started`.",
}
SECTION: Final = derive_section(
    "boards",
    Board,
    within=("group", "project"),
    rank=ISSUES,
    keys={
        "name": TEXT,
        "lists": ListOf(Union(TEXT, _LIST)),
        "milestone": NULLABLE_TEXT,
        "assignee": NULLABLE_TEXT,
        "labels": ListOf(TEXT),
        "weight": Nullable(COUNT),
        "hide_backlog_list": BOOLEAN,
        "hide_closed_list": BOOLEAN,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    required=("name",),
    descriptions=_DESCRIPTIONS,
    create=_create,
    serialize=_serialize,
    parts=_serialize_parts,
    name_key="name",
    case_sensitive=True,
    kind="board",
)


def _create_preference(entry: Entry) -> BoardEpicPreference:
    user, epic = entry.user("user"), get_epic(entry, entry.values["epic"], "epic")
    return boards.prefer(entry.ctx, entry.owner, epic, user, collapsed=entry.values["collapsed"])


PREFERENCES: Final = derive_section(
    "epic_preferences",
    BoardEpicPreference,
    within=("board",),
    rank=ALERTS,
    keys={"collapsed": BOOLEAN},
    further_keys={"user": TEXT, "epic": TEXT},
    references={"user": "user_id"},
    required=("user", "epic", "collapsed"),
    create=_create_preference,
    always=("collapsed",),
    parts=lambda world, preference: {"epic": epic_access.format_reference(world, world.epics[preference.epic_id])},
    descriptions={
        "user": "Username.",
        "epic": "The epic, as acme&1.",
        "collapsed": "Whether the user sees it without its issues.",
    },
)
