"""What boards and their lists show. Source: docs/platform/boards.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, constant, shown, shown_when
from fakeplat.domain.people.members import place_of
from fakeplat.domain.planning import boards
from fakeplat.entities.labels import LabelBasic, MilestoneView
from fakeplat.entities.namespaces import GroupBasic
from fakeplat.entities.projects import ProjectSimple
from fakeplat.entities.users import UserBasic
from fakeplat.model.boards import Board, BoardList
from fakeplat.policy.context import Context
from fakeplat.policy.features import has


class BoardListView(Entity[BoardList]):
    """A list of a board."""

    cx: Context

    id = attr(int)

    @shown
    def label(self) -> LabelBasic | None:
        found: LabelBasic | None = self.cx.show(LabelBasic, self._thing("label"))
        return found

    position = attr(int)

    @shown_when(lambda view: view.record.kind == "assignee")
    def assignee(self) -> UserBasic | None:
        found: UserBasic | None = self.cx.show(UserBasic, self._thing("assignee"))
        return found

    @shown_when(lambda view: view.record.kind == "milestone")
    def milestone(self) -> MilestoneView | None:
        found: MilestoneView | None = self.cx.show(MilestoneView, self._thing("milestone"))
        return found

    max_issue_count = constant(0, int, when=lambda view: _is_paid(view.cx, view.board))
    max_issue_weight = constant(0, int, when=lambda view: _is_paid(view.cx, view.board))

    @property
    def board(self) -> Board:
        """The board that it stands on."""
        return self.cx.world.boards[self.record.board_id]

    def _thing(self, kind: str) -> Any:
        """What the list is of, if that is of a kind."""
        tables: dict[str, Any] = {
            "label": self.cx.world.labels,
            "assignee": self.cx.world.users,
            "milestone": self.cx.world.milestones,
        }
        return tables[kind].get(self.record.thing_id) if self.record.kind == kind else None


def _is_paid(cx: Context, board: Board) -> bool:
    return has(cx.world, "premium", place_of(cx.world, board.source))


def _paid(view: Any) -> bool:
    return _is_paid(view.cx, view.record)


class BoardView(Entity[Board]):
    """A board with its lists."""

    cx: Context

    id = attr(int)
    name = attr(str)

    @shown_when(lambda view: view.record.source[0] == "project")
    def project(self) -> ProjectSimple:
        found: ProjectSimple = self.cx.show(ProjectSimple, self.cx.world.projects[self.record.source[1]])
        return found

    @shown_when(lambda view: view.record.source[0] == "group")
    def group(self) -> GroupBasic:
        found: GroupBasic = self.cx.show(GroupBasic, self.cx.world.namespaces[self.record.source[1]])
        return found

    @shown
    def lists(self) -> list[BoardListView]:
        return [self.cx.show(BoardListView, one) for one in boards.lists_of(self.cx.world, self.record)]

    @shown_when(_paid)
    def milestone(self) -> MilestoneView | None:
        id_ = self.record.milestone_id
        milestone = self.cx.world.milestones.get(id_) if id_ is not None else None
        found: MilestoneView | None = self.cx.show(MilestoneView, milestone)
        return found

    @shown_when(_paid)
    def assignee(self) -> UserBasic | None:
        id_ = self.record.assignee_id
        found: UserBasic | None = self.cx.show(UserBasic, self.cx.world.users.get(id_) if id_ is not None else None)
        return found

    @shown_when(_paid)
    def labels(self) -> list[LabelBasic]:
        return [self.cx.show(LabelBasic, self.cx.world.labels[id_]) for id_ in self.record.label_ids]

    weight = attr(int | None, when=_paid)
