"""Epics below epics.

The parent is addressed by its number in the group, its children by their ids.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.epic_scopes import READABLE
from fakeplat.api.epics import Reorder, written_options
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Params
from fakeplat.domain.epics import epic_access, epic_tree, epics
from fakeplat.entities.epics import FROM_GROUP, EpicView, LinkedEpicView
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import CHILD_EPICS_ARE_CREATED_BY_REPORTERS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Epics", login=Login.ALWAYS, dashed="epics")


def _get_linkable(ctx: ReadContext, group: Group, iid: int) -> Epic:
    return epics.get_epic(ctx, group, iid, ability=epic_access.linking_ability(ctx))


LINKED: Final = GROUP / Segment("epics/:epic_iid", kind="integer", locate=_get_linkable, word="epic", tier="premium")


def _list_options(ctx: ReadContext, _p: object, _children: object) -> tuple[str, ...]:
    return (f"{FROM_GROUP}{ctx.container.id}",)


@area.operation(
    "GET",
    "epics",
    scope=READABLE,
    view=EpicView,
    many=True,
    paging=None,
    options=_list_options,
    tier="premium",
    refusals=(403,),
)
def list_child_epics(ctx: ReadContext, group: Group, epic: Epic) -> Sequence[Epic]:
    """List the epics right below an epic."""
    return epic_tree.list_visible_children(ctx, group, epic)


class CreateChildEpic(Params):
    """A new epic below another one."""

    title: str
    confidential: bool | None = None


@area.operation(
    "POST",
    "epics",
    scope=LINKED,
    params=CreateChildEpic,
    view=LinkedEpicView,
    tier="ultimate",
    refusals=(400, 403, 429),
)
def create_child_epic(ctx: WriteContext, group: Group, epic: Epic, p: CreateChildEpic) -> Epic:
    """Create an epic below another one."""
    if ctx.profile.has(CHILD_EPICS_ARE_CREATED_BY_REPORTERS):
        authorize(ctx, Ability.ADMIN_EPIC, group)
    return epic_tree.create_child(ctx, epic, group, p.title, p.confidential)


@area.operation(
    "POST",
    "epics/:child_epic_id",
    scope=LINKED,
    view=EpicView,
    options=written_options,
    tier="ultimate",
    refusals=(403, 404, 409, 422),
)
def add_child_epic(ctx: WriteContext, group: Group, epic: Epic, child_epic_id: int) -> Epic:
    """Add an epic below another one; it leaves the one that it was below."""
    return epic_tree.add_child(ctx, epic, epic_tree.get_eligible(ctx, group, child_epic_id))


@area.operation(
    "PUT",
    "epics/:child_epic_id",
    scope=LINKED,
    params=Reorder,
    view=EpicView,
    many=True,
    paging=None,
    options=_list_options,
    tier="ultimate",
    refusals=(403, 404),
)
def reorder_child_epic(ctx: WriteContext, group: Group, epic: Epic, child_epic_id: int, p: Reorder) -> Sequence[Epic]:
    """Reorder a child of an epic: behind the one with move_before_id, before the one with move_after_id."""
    epic_tree.reorder(ctx, epic_tree.get_child(ctx, group, epic, child_epic_id), p.move_before_id, p.move_after_id)
    return epic_tree.list_visible_children(ctx, group, epic)


@area.operation(
    "DELETE",
    "epics/:child_epic_id",
    scope=LINKED,
    view=EpicView,
    options=written_options,
    status=200,
    tier="premium",
    refusals=(403, 404),
)
def delete_child_epic(ctx: WriteContext, group: Group, epic: Epic, child_epic_id: int) -> Epic:
    """Take an epic out of the one above it."""
    return epic_tree.remove_child(ctx, epic_tree.get_child(ctx, group, epic, child_epic_id))
