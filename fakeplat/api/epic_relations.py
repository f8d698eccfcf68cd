"""Links between epics, and boards of epics. Source: docs/platform/epics.md ('Linked epics', 'Boards')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.epic_scopes import READABLE
from fakeplat.api.scopes import GROUP, get_group
from fakeplat.core.operations.errors import Forbidden, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Moment, Params
from fakeplat.domain.epics import epic_access, epic_boards, related_epics
from fakeplat.domain.epics.related_epics import Type
from fakeplat.entities.epic_relations import (
    RELATED_TO,
    EpicBoardListView,
    EpicBoardView,
    RelatedEpicLinkView,
    RelatedEpicView,
)
from fakeplat.entities.epics import FROM_GROUP
from fakeplat.model.epics import Epic, EpicBoard, EpicBoardList, RelatedEpicLink
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Epics", login=Login.WRITES, dashed="epics")
group_area: Final = Area("Epics", login=Login.WRITES)
boards_area: Final = Area("Epics", login=Login.ALWAYS)


def _get_epic(ctx: ReadContext, group: Group, iid: int, ability: Ability) -> Epic:
    """Return the epic of a group; 404 without one, 403 without the ability."""
    epic = ctx.world.epics.find("iid", (group.id, iid))
    if epic is None:
        raise RecordNotFound(reason=lambda: f"{describe(ctx.world, group)} has no epic {iid}")
    decision = epic_access.decide_on(ctx, epic, ability)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    return epic


def _get_linkable(ctx: ReadContext, group: Group, iid: int) -> Epic:
    return _get_epic(ctx, group, iid, epic_access.linking_ability(ctx))


LINKABLE: Final = GROUP / Segment("epics/:epic_iid", kind="integer", locate=_get_linkable, word="epic", tier="ultimate")


def _related_options(ctx: ReadContext, _p: object, _epic: Epic | None) -> tuple[str, ...]:
    # The records are those of the path in its order: the group, then the epic.
    return (f"{RELATED_TO}{ctx.records[1].id}", f"{FROM_GROUP}{ctx.container.id}")


@area.operation(
    "GET",
    "related_epics",
    scope=READABLE,
    view=RelatedEpicView,
    many=True,
    paging=None,
    options=_related_options,
    tier="ultimate",
    refusals=(403,),
    since="14.9",
)
def list_related_epics(ctx: ReadContext, _group: Group, epic: Epic) -> Sequence[Epic]:
    """List the epics that are linked to an epic."""
    return list(related_epics.list_related(ctx, epic))


class CreateRelatedEpicLink(Params):
    """The other epic and the type of the link."""

    target_group_id: str
    target_epic_iid: int
    link_type: Type = "relates_to"


@area.operation(
    "POST",
    "related_epics",
    scope=LINKABLE,
    params=CreateRelatedEpicLink,
    view=RelatedEpicLinkView,
    tier="ultimate",
    refusals=(403, 404, 409, 422),
    since="14.9",
)
def create_related_epic_link(ctx: WriteContext, _group: Group, epic: Epic, p: CreateRelatedEpicLink) -> RelatedEpicLink:
    """Link an epic to another one."""
    target = _get_epic(ctx, get_group(ctx, p.target_group_id), p.target_epic_iid, Ability.READ_EPIC)
    return related_epics.create(ctx, epic, target, p.link_type)


@area.operation(
    "DELETE",
    "related_epics/:related_epic_link_id",
    scope=LINKABLE,
    view=RelatedEpicLinkView,
    status=200,
    tier="ultimate",
    refusals=(403, 404),
    since="14.9",
)
def delete_related_epic_link(
    ctx: WriteContext, _group: Group, epic: Epic, related_epic_link_id: int
) -> RelatedEpicLink:
    """Delete a link between epics and return it as it was."""
    link = related_epics.get_link(ctx.world, epic, related_epic_link_id)
    related_epics.delete(ctx, link)
    return link


class ListRelatedEpicLinks(Paged):
    """Filters of a list of links by their times."""

    created_after: Moment | None = None
    created_before: Moment | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None


@group_area.operation(
    "GET",
    "related_epic_links",
    scope=GROUP,
    ability=Ability.READ_EPIC,
    params=ListRelatedEpicLinks,
    view=RelatedEpicLinkView,
    many=True,
    tier="ultimate",
    since="14.9",
)
def list_group_related_epic_links(ctx: ReadContext, group: Group, p: ListRelatedEpicLinks) -> Sequence[RelatedEpicLink]:
    """List the links between the epics of a group and those below it."""
    links = related_epics.list_links_within(ctx, group)
    return [
        link
        for link in links
        if (p.created_after is None or link.created_at >= p.created_after)
        and (p.created_before is None or link.created_at <= p.created_before)
        and (p.updated_after is None or link.updated_at >= p.updated_after)
        and (p.updated_before is None or link.updated_at <= p.updated_before)
    ]


@boards_area.operation(
    "GET",
    "epic_boards",
    scope=GROUP,
    ability=Ability.READ_EPIC_BOARD,
    params=Paged,
    view=EpicBoardView,
    many=True,
    tier="premium",
    since="15.9",
)
def list_group_epic_boards(ctx: ReadContext, group: Group) -> Sequence[EpicBoard]:
    """List the epic boards of a group."""
    return epic_boards.list_boards(ctx.world, group)


@boards_area.operation(
    "GET",
    "epic_boards/:board_id",
    scope=GROUP,
    ability=Ability.READ_EPIC_BOARD,
    view=EpicBoardView,
    tier="premium",
    refusals=(404,),
    since="15.9",
)
def get_group_epic_board(ctx: ReadContext, group: Group, board_id: int) -> EpicBoard:
    """Get an epic board of a group."""
    return epic_boards.get_board(ctx.world, group, board_id)


@boards_area.operation(
    "GET",
    "epic_boards/:board_id/lists",
    scope=GROUP,
    ability=Ability.READ_EPIC_BOARD,
    params=Paged,
    view=EpicBoardListView,
    many=True,
    tier="premium",
    refusals=(404,),
    since="15.9",
)
def list_group_epic_board_lists(ctx: ReadContext, group: Group, board_id: int) -> Sequence[EpicBoardList]:
    """List the lists of labels of an epic board."""
    return epic_boards.list_columns(ctx.world, epic_boards.get_board(ctx.world, group, board_id))


@boards_area.operation(
    "GET",
    "epic_boards/:board_id/lists/:list_id",
    scope=GROUP,
    ability=Ability.READ_EPIC_BOARD,
    view=EpicBoardListView,
    tier="premium",
    refusals=(404,),
    since="15.9",
)
def get_group_epic_board_list(ctx: ReadContext, group: Group, board_id: int, list_id: int) -> EpicBoardList:
    """Get a list of an epic board."""
    return epic_boards.get_column(ctx.world, epic_boards.get_board(ctx.world, group, board_id), list_id)
