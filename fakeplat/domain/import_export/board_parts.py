"""Boards with their lists, and badges, in the archive of a project or group.

As on the platform, what limits a board, and lists of milestones, are only in the archives of groups.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.import_export import serialization
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields, rows_in, text_in
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import boards
from fakeplat.domain.projects import badges
from fakeplat.model.people import Group
from fakeplat.model.planning import Board, BoardList, ListKind
from fakeplat.model.projects import Badge, Project
from fakeplat.model.world import World

_BOARD: Final = ("created_at", "updated_at", "weight")
_BADGE: Final = ("name", "link_url", "image_url", "created_at", "updated_at")


def board_rows(world: World, container: Project | Group) -> list[dict[str, Any]]:
    """Return the boards of a project or group with their lists."""
    own = world.boards.where("source", source_of(container))
    return [{**_board_row(world, board), **_limits(world, container, board)} for board in own]


def _board_row(world: World, board: Board) -> dict[str, Any]:
    fields = serialization.plain_fields(board, "milestone_id", "assignee_id", "label_ids")
    return {**fields, "lists": [_list_row(world, column) for column in boards.list_columns(world, board)]}


def _limits(world: World, container: Project | Group, board: Board) -> dict[str, Any]:
    if isinstance(container, Project):
        return {}
    assignee = serialization.user_fields(world, assignee=board.assignee_id) if board.assignee_id else None
    return {
        "milestone": serialization.milestone_field(world, board.milestone_id),
        "board_assignee": assignee,
        "labels": [serialization.label_field(world.labels[id_]) for id_ in board.label_ids],
    }


def _list_row(world: World, column: BoardList) -> dict[str, Any]:
    row = {"list_type": column.kind, "position": column.position, "created_at": column.created_at}
    if column.kind == "label":
        return {**row, "label": serialization.label_field(world.labels[column.thing_id])}
    if column.kind == "milestone":
        return {**row, "milestone": serialization.milestone_field(world, column.thing_id)}
    return {**row, **serialization.user_fields(world, user=column.thing_id)}


def import_board(resolver: Resolver, row: Row) -> None:
    """Import a board with its lists; a refusal if the project or group may not have another one."""
    fields = {**read_fields(Board, row, _BOARD), **_read_limits(resolver, row)}
    board = boards.create(resolver.ctx, resolver.container, text_in(row, "name"), **fields)
    for column in sorted(rows_in(row, "lists"), key=lambda column: int(column.get("position") or 0)):
        kind = _read_kind(column)
        id_ = _find_subject_id(resolver, kind, column) if kind is not None else None
        is_new = id_ is not None and not resolver.ctx.world.board_lists.find("thing", (board.id, kind, id_))
        if kind is not None and id_ is not None and is_new:
            boards.insert_list(resolver.ctx, board, kind, id_)


def _read_limits(resolver: Resolver, row: Row) -> dict[str, Any]:
    assignee = row.get("board_assignee")
    user = resolver.find_user(assignee, "assignee") if isinstance(assignee, Mapping) else None
    limits = {
        "milestone_id": resolver.milestone_id(row),
        "assignee_id": None if user is None else user.id,
        "label_ids": tuple(resolver.get_or_create_label(label).id for label in rows_in(row, "labels")),
    }
    return limits if isinstance(resolver.container, Group) else {}


_KINDS: Final[Mapping[str, ListKind]] = {"label": "label", "assignee": "assignee", "milestone": "milestone"}


def _read_kind(row: Row) -> ListKind | None:
    # The lists of all open and all closed issues, which are in archives too, are no records here.
    return _KINDS.get(str(row.get("list_type")))


def _find_subject_id(resolver: Resolver, kind: ListKind, row: Row) -> int | None:
    if kind == "label":
        label = row.get("label")
        return resolver.get_or_create_label(label).id if isinstance(label, Mapping) else None
    if kind == "milestone":
        return resolver.milestone_id(row) if isinstance(resolver.container, Group) else None
    user = resolver.find_user(row, "user")
    return None if user is None else user.id


def badge_rows(world: World, container: Project | Group) -> list[dict[str, Any]]:
    """Return the badges of a project or group itself."""
    source = source_of(container)
    type_ = f"{source[0].title()}Badge"
    return [{**serialization.plain_fields(badge), "type": type_} for badge in world.badges.where("source", source)]


def import_badge(resolver: Resolver, row: Row) -> None:
    """Import a badge."""
    fields = {**{name: text_in(row, name) for name in ("link_url", "image_url")}, **read_fields(Badge, row, _BADGE)}
    badges.create(resolver.ctx, resolver.container, **fields)
