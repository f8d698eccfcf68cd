"""Views of links between epics, and of boards of epics. Source: docs/platform/epics.md."""

from typing import Final, cast

from fakeplat.core.operations.entity import Entity, attr, computed, constant
from fakeplat.domain.epics import epic_boards, related_epics
from fakeplat.entities.epics import EpicView
from fakeplat.entities.people.namespaces import GroupBasic
from fakeplat.entities.planning.labels import LabelBasic
from fakeplat.model.epics import EpicBoard, EpicBoardList, RelatedEpicLink
from fakeplat.model.people import Group
from fakeplat.policy.context import ReadContext

RELATED_TO: Final = "related:"


class RelatedEpicView(EpicView):
    """An epic with its link to another one, whose id is an option."""

    @computed
    def related_epic_link_id(self) -> int:
        return self._link.id

    @computed
    def link_type(self) -> str:
        return related_epics.link_type_from(self._link, self._origin_id)

    @computed
    def link_created_at(self) -> str:
        return _with_offset(self._link.created_at)

    @computed
    def link_updated_at(self) -> str:
        return _with_offset(self._link.updated_at)

    @property
    def _origin_id(self) -> int:
        return next(int(option.removeprefix(RELATED_TO)) for option in self.options if option.startswith(RELATED_TO))

    @property
    def _link(self) -> RelatedEpicLink:
        link = related_epics.find_link_between(self.ctx.world, self.record.id, self._origin_id)
        if link is None:
            raise LookupError(f"epic {self.record.id} has no link to {self._origin_id}")
        return link


def _with_offset(time: str) -> str:
    # The platform reads these times from a joined row and writes them in another form than all others.
    return time.replace("Z", "+00:00")


class RelatedEpicLinkView(Entity[RelatedEpicLink]):
    """A link with both epics, as stored."""

    ctx: ReadContext

    id = attr()

    @computed
    def source_epic(self) -> EpicView:
        return self._epic(self.record.source_id)

    @computed
    def target_epic(self) -> EpicView:
        return self._epic(self.record.target_id)

    link_type = attr()
    created_at = attr()
    updated_at = attr()

    def _epic(self, id_: int) -> EpicView:
        epic: EpicView = self.ctx.render(EpicView, self.ctx.world.epics[id_])
        return epic


class EpicBoardListView(Entity[EpicBoardList]):
    """A list of an epic board."""

    ctx: ReadContext

    id = attr()

    @computed
    def label(self) -> LabelBasic:
        # The API has lists of labels only.
        label: LabelBasic = self.ctx.render(LabelBasic, self.ctx.world.labels[self.record.label_id or 0])
        return label

    position = attr()
    list_type = constant("label", str)


class EpicBoardView(Entity[EpicBoard]):
    """A board of epics with its lists."""

    ctx: ReadContext

    id = attr()
    name = attr()
    hide_backlog_list = attr()
    hide_closed_list = attr()

    @computed
    def group(self) -> GroupBasic:
        group: GroupBasic = self.ctx.render(GroupBasic, cast(Group, self.ctx.world.namespaces[self.record.group_id]))
        return group

    @computed
    def labels(self) -> list[LabelBasic]:
        return [self.ctx.render(LabelBasic, self.ctx.world.labels[id_]) for id_ in self.record.label_ids]

    @computed
    def lists(self) -> list[EpicBoardListView]:
        return [
            self.ctx.render(EpicBoardListView, column)
            for column in epic_boards.list_columns(self.ctx.world, self.record)
        ]
