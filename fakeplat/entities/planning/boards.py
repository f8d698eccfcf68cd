"""Views of boards and their lists. Source: docs/platform/boards.md."""

from typing import Any, cast

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import boards
from fakeplat.entities.people.namespaces import GroupBasic
from fakeplat.entities.people.users import UserBasic, UserSafe
from fakeplat.entities.planning.labels import IterationView, LabelBasic, MilestoneView
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.people import Group
from fakeplat.model.planning import MILESTONE_FILTERS, Board, BoardList, MilestoneFilter
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature


class BoardListView(Entity[BoardList]):
    """A list of a board."""

    ctx: ReadContext

    id = attr()

    @computed
    def label(self) -> LabelBasic | None:
        label: LabelBasic | None = self.ctx.render(LabelBasic, self._find_subject("label"))
        return label

    position = attr()

    @computed_if(when=lambda view: view.record.kind == "assignee")
    def assignee(self) -> UserSafe | None:
        assignee: UserSafe | None = self.ctx.render(UserSafe, self._find_subject("assignee"))
        return assignee

    @computed_if(when=lambda view: view.record.kind == "milestone")
    def milestone(self) -> MilestoneView | None:
        milestone: MilestoneView | None = self.ctx.render(MilestoneView, self._find_subject("milestone"))
        return milestone

    @computed_if(since="<=15.2", when=lambda view: view.record.kind == "iteration")
    def iteration(self) -> IterationView | None:
        iteration: IterationView | None = self.ctx.render(IterationView, self._find_subject("iteration"))
        return iteration

    # Limits of lists are not implemented; paid tiers show the platform's defaults.
    max_issue_count = constant(0, int, when=lambda view: _is_paid(view.ctx, view.board))
    max_issue_weight = constant(0, int, when=lambda view: _is_paid(view.ctx, view.board))
    limit_metric = constant(None, str | None, when=lambda view: _is_paid(view.ctx, view.board))

    @property
    def board(self) -> Board:
        """The board of the list."""
        return self.ctx.world.boards[self.record.board_id]

    def _find_subject(self, kind: str) -> Any | None:
        """Return the label, assignee, milestone or iteration of the list, if it is of that kind."""
        tables: dict[str, Any] = {
            "label": self.ctx.world.labels,
            "assignee": self.ctx.world.users,
            "milestone": self.ctx.world.milestones,
            "iteration": self.ctx.world.iterations,
        }
        return tables[kind].get(self.record.thing_id) if self.record.kind == kind else None


def _is_paid(ctx: ReadContext, board: Board) -> bool:
    return has_feature(ctx.world, "premium", container_of(ctx.world, board.source))


def _paid(view: "BoardView") -> bool:
    return _is_paid(view.ctx, view.record)


class MilestoneFilterView(Entity[MilestoneFilter]):
    """A milestone filter that depends on the date, such as upcoming milestones."""

    title = attr()


class BoardView(Entity[Board]):
    """A board with its lists."""

    ctx: ReadContext

    id = attr()
    name = attr()
    hide_backlog_list = attr(since="<=17.8")
    hide_closed_list = attr(since="<=17.8")

    @computed_if(when=lambda view: view.record.source[0] == "project")
    def project(self) -> ProjectSimple:
        project: ProjectSimple = self.ctx.render(ProjectSimple, self.ctx.world.projects[self.record.source[1]])
        return project

    @computed_if(when=lambda view: view.record.source[0] == "group")
    def group(self) -> GroupBasic:
        group: GroupBasic = self.ctx.render(GroupBasic, cast(Group, self.ctx.world.namespaces[self.record.source[1]]))
        return group

    @computed
    def lists(self) -> list[BoardListView]:
        return [
            self.ctx.render(BoardListView, board_list)
            for board_list in boards.list_columns(self.ctx.world, self.record)
        ]

    @computed_if(when=_paid)
    def milestone(self) -> MilestoneView | MilestoneFilterView | None:
        # Negative ids stand for filters by date, as on the platform.
        id_ = self.record.milestone_id
        if (filter_ := MILESTONE_FILTERS.get(id_ or 0)) is not None:
            filter_view: MilestoneFilterView = self.ctx.render(MilestoneFilterView, filter_)
            return filter_view
        milestone = self.ctx.world.milestones.get(id_) if id_ is not None else None
        milestone_view: MilestoneView | None = self.ctx.render(MilestoneView, milestone)
        return milestone_view

    @computed_if(when=_paid)
    def assignee(self) -> UserBasic | None:
        id_ = self.record.assignee_id
        assignee: UserBasic | None = self.ctx.render(
            UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None
        )
        return assignee

    @computed_if(when=_paid)
    def labels(self) -> list[LabelBasic]:
        return [self.ctx.render(LabelBasic, self.ctx.world.labels[id_]) for id_ in self.record.label_ids]

    weight = attr(when=_paid)
