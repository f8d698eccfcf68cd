"""What boards and their lists show. Source: docs/platform/boards.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import boards
from fakeplat.entities.labels import LabelBasic, MilestoneView
from fakeplat.entities.namespaces import GroupBasic
from fakeplat.entities.projects import ProjectSimple
from fakeplat.entities.users import UserBasic, UserSafe
from fakeplat.model.boards import MILESTONE_FILTERS, Board, BoardList, MilestoneFilter
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature


class BoardListView(Entity[BoardList]):
    """A list of a board."""

    ctx: ReadContext

    id = attr()

    @computed
    def label(self) -> LabelBasic | None:
        found: LabelBasic | None = self.ctx.render(LabelBasic, self._thing("label"))
        return found

    position = attr()

    @computed_if(lambda view: view.record.kind == "assignee")
    def assignee(self) -> UserSafe | None:
        found: UserSafe | None = self.ctx.render(UserSafe, self._thing("assignee"))
        return found

    @computed_if(lambda view: view.record.kind == "milestone")
    def milestone(self) -> MilestoneView | None:
        found: MilestoneView | None = self.ctx.render(MilestoneView, self._thing("milestone"))
        return found

    max_issue_count = constant(0, int, when=lambda view: _is_paid(view.ctx, view.board))
    max_issue_weight = constant(0, int, when=lambda view: _is_paid(view.ctx, view.board))
    limit_metric = constant(None, str | None, when=lambda view: _is_paid(view.ctx, view.board))

    @property
    def board(self) -> Board:
        """The board that it stands on."""
        return self.ctx.world.boards[self.record.board_id]

    def _thing(self, kind: str) -> Any:
        """What the list is of, if that is of a kind."""
        tables: dict[str, Any] = {
            "label": self.ctx.world.labels,
            "assignee": self.ctx.world.users,
            "milestone": self.ctx.world.milestones,
        }
        return tables[kind].get(self.record.thing_id) if self.record.kind == kind else None


def _is_paid(ctx: ReadContext, board: Board) -> bool:
    return has_feature(ctx.world, "premium", container_of(ctx.world, board.source))


def _paid(view: Any) -> bool:
    return _is_paid(view.ctx, view.record)


class MilestoneFilterView(Entity[MilestoneFilter]):
    """A milestone that is chosen by the day."""

    title = attr()


class BoardView(Entity[Board]):
    """A board with its lists."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed_if(lambda view: view.record.source[0] == "project")
    def project(self) -> ProjectSimple:
        found: ProjectSimple = self.ctx.render(ProjectSimple, self.ctx.world.projects[self.record.source[1]])
        return found

    @computed_if(lambda view: view.record.source[0] == "group")
    def group(self) -> GroupBasic:
        found: GroupBasic = self.ctx.render(GroupBasic, self.ctx.world.namespaces[self.record.source[1]])
        return found

    @computed
    def lists(self) -> list[BoardListView]:
        return [self.ctx.render(BoardListView, one) for one in boards.list_columns(self.ctx.world, self.record)]

    @computed_if(_paid)
    def milestone(self) -> MilestoneView | MilestoneFilterView | None:
        id_ = self.record.milestone_id
        if (filter_ := MILESTONE_FILTERS.get(id_ or 0)) is not None:
            shown_filter: MilestoneFilterView = self.ctx.render(MilestoneFilterView, filter_)
            return shown_filter
        milestone = self.ctx.world.milestones.get(id_) if id_ is not None else None
        found: MilestoneView | None = self.ctx.render(MilestoneView, milestone)
        return found

    @computed_if(_paid)
    def assignee(self) -> UserBasic | None:
        id_ = self.record.assignee_id
        found: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return found

    @computed_if(_paid)
    def labels(self) -> list[LabelBasic]:
        return [self.ctx.render(LabelBasic, self.ctx.world.labels[id_]) for id_ in self.record.label_ids]

    weight = attr(when=_paid)
