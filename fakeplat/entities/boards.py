"""What boards and their lists show. Source: more on boards."""

from typing import Any

from fakeplat.core.entity import Entity, attr, shown, shown_when
from fakeplat.domain import boards
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
    def label(self) -> LabelBasic:
        found: LabelBasic = self.cx.show(LabelBasic, self.cx.world.labels[self.record.label_id])
        return found

    position = attr(int)


def _paid(view: Any) -> bool:
    kind, id_ = view.record.source
    world = view.cx.world
    return has(world, "premium", world.projects[id_] if kind == "project" else world.namespaces[id_])


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
