"""The columns of a board: its lists, between those of open and of closed issues, which have no records.

Source: docs/platform/boards.md.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, Literal

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues import issue_order, issues
from fakeplat.domain.issues.issues import IssueParams
from fakeplat.domain.planning import boards
from fakeplat.model.issues import Issue
from fakeplat.model.planning import Board, BoardList, ListKind
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

ColumnKind = Literal["backlog", "closed"] | ListKind
_OPEN_ISSUES: Final = 10**12
_CLOSED_ISSUES: Final = 2 * 10**12
"""The lists without records have the number of their board above one of these."""
_TITLES: Final = {"backlog": "Open", "closed": "Closed"}
_SHOWN_KINDS: Final = ("issue", "incident", "ticket")


@frozen
class Column:
    """A column of a board. ``listed`` is the record of the list, unless the column is for open or closed issues."""

    board: Board
    kind: ColumnKind
    listed: BoardList | None = None

    @property
    def id(self) -> int:
        """The number of the list."""
        if self.listed is not None:
            return self.listed.id
        return self.board.id + (_OPEN_ISSUES if self.kind == "backlog" else _CLOSED_ISSUES)

    @property
    def position(self) -> int | None:
        """The place among the lists that can be moved."""
        return self.listed.position if self.listed is not None else None

    def subject_id(self, kind: ListKind) -> int | None:
        """Return the id of what the list is for, if it is of a kind."""
        return self.listed.thing_id if self.listed is not None and self.kind == kind else None


def list_columns(world: World, board: Board) -> Sequence[Column]:
    """Return the columns of a board that are not hidden, from left to right."""
    first = () if board.hide_backlog_list else (Column(board, "backlog"),)
    last = () if board.hide_closed_list else (Column(board, "closed"),)
    between = (Column(board, listed.kind, listed) for listed in boards.list_columns(world, board))
    return [*first, *between, *last]


def find_column(world: World, id_: int) -> Column | None:
    """Return the column with a number."""
    if id_ > _OPEN_ISSUES:
        is_closed = id_ > _CLOSED_ISSUES
        board = world.boards.get(id_ - (_CLOSED_ISSUES if is_closed else _OPEN_ISSUES))
        return Column(board, "closed" if is_closed else "backlog") if board is not None else None
    listed = world.board_lists.get(id_)
    return Column(world.boards[listed.board_id], listed.kind, listed) if listed is not None else None


def get_backlog(board: Board) -> Column:
    """Return the column of the open issues."""
    return Column(board, "backlog")


def title_of(world: World, column: Column) -> str:
    """Return the title: that of the label, milestone or iteration, or the name of the user."""
    if column.listed is None:
        return _TITLES[column.kind]
    id_ = column.listed.thing_id
    if column.kind == "label":
        return world.labels[id_].title
    if column.kind == "milestone":
        return world.milestones[id_].title
    if column.kind == "assignee":
        return f"@{world.users[id_].username}"
    return world.iterations[id_].title or ""


def keep_shown(candidates: Iterable[Issue]) -> Sequence[Issue]:
    """Return the issues of the types that boards show."""
    return [issue for issue in candidates if issue.kind in _SHOWN_KINDS]


def select(world: World, column: Column, shown: Sequence[Issue]) -> Sequence[Issue]:
    """Return those of the issues on a board that are in a column; closed ones with the last one first."""
    if column.kind == "closed":
        closed = [issue for issue in shown if issue.state == "closed"]
        return sorted(closed, key=lambda issue: (issue.closed_at or "", issue.id), reverse=True)
    opened = [issue for issue in shown if issue.state == "opened"]
    if column.listed is not None:
        return [issue for issue in opened if _is_listed(issue, column.listed)]
    lists = boards.list_columns(world, column.board)
    return [issue for issue in opened if not any(_is_listed(issue, listed) for listed in lists)]


def _is_listed(issue: Issue, listed: BoardList) -> bool:
    if listed.kind == "label":
        return listed.thing_id in issue.label_ids
    if listed.kind == "assignee":
        return listed.thing_id in issue.assignee_ids
    return listed.thing_id == (issue.milestone_id if listed.kind == "milestone" else issue.iteration_id)


def move_issue(ctx: WriteContext, issue: Issue, source: Column, target: Column) -> Issue:
    """Move an issue to another column: its labels, assignees, milestone or state change."""
    if source.id == target.id:
        return issue
    project, changes = ctx.world.projects[issue.project_id], _label_changes(ctx.world, source, target)
    if target.listed is not None or source.listed is not None:
        changes |= _assignee_changes(issue, source, target) | _milestone_changes(source, target)
    if "closed" in (source.kind, target.kind):
        changes["state_event"] = "reopen" if source.kind == "closed" else "close"
    return issues.update(ctx, project, issue, **changes)


def _label_changes(world: World, source: Column, target: Column) -> IssueParams:
    """Return the label of the target, and those that the issue loses: on open and closed issues, all of the board."""
    if target.listed is None:
        lost = [listed.thing_id for listed in boards.list_columns(world, source.board) if listed.kind == "label"]
    else:
        is_replaced = source.kind == target.kind == "label"
        lost = [source.listed.thing_id] if is_replaced and source.listed is not None else []
    won = target.subject_id("label")
    return {
        "add_labels": [world.labels[won].title] if won is not None else [],
        "remove_labels": [world.labels[id_].title for id_ in lost],
    }


def _assignee_changes(issue: Issue, source: Column, target: Column) -> IssueParams:
    won, lost = target.subject_id("assignee"), source.subject_id("assignee")
    is_lost = source.kind == target.kind or target.kind == "backlog"
    ids = {*issue.assignee_ids, *(() if won is None else (won,))} - ({lost} if is_lost else set())
    return {"assignee_ids": sorted(ids)} if ids != set(issue.assignee_ids) else {}


def _milestone_changes(source: Column, target: Column) -> IssueParams:
    if target.kind == "backlog" and source.kind == "milestone":
        return {"milestone_id": None}
    won = target.subject_id("milestone")
    return {"milestone_id": won} if won is not None else {}


def place_issue(ctx: WriteContext, issue: Issue, before_id: int | None, after_id: int | None) -> Issue:
    """Put an issue between others, as far as there are such; ``before_id`` is that of the issue before it."""
    if before_id is None and after_id is None:
        return issue
    with suppress(Unprocessable):
        return issue_order.reorder(ctx, issue, before_id, after_id)
    return issue


def get_record(column: Column) -> BoardList:
    """Return the record of a list; 422 for that of open or closed issues, which cannot be deleted."""
    if column.listed is None:
        raise Unprocessable("Open and closed lists on a board cannot be destroyed.")
    return column.listed
