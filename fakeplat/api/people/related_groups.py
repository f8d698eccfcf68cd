"""Groups that a project or group is shared with, or could be transferred to.

Source: docs/platform/later-releases.md.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from fakeplat.api.access_levels import AccessLevel
from fakeplat.api.people.groups import order_groups
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList
from fakeplat.domain.groups import group_searches
from fakeplat.domain.groups.group_searches import DIRECT, INHERITED
from fakeplat.domain.people import namespaces
from fakeplat.entities.people.namespaces import GroupPublic, GroupView
from fakeplat.entities.projects.custom_attributes import CUSTOM_ATTRIBUTES
from fakeplat.model.people import Group, Visibility
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import level_on
from fakeplat.policy.context import ReadContext

area: Final = Area("Groups", login=Login.WRITES)


class SearchGroups(Paged):
    """What the names of the groups contain."""

    search: str | None = None


def _search(groups: Iterable[Group], text: str | None) -> list[Group]:
    lowered = (text or "").lower()
    return [group for group in groups if lowered in group.name.lower() or lowered in group.path.lower()]


def _has_level(ctx: ReadContext, group: Group, level: int | None) -> bool:
    return level is None or level_on(ctx, group) >= level


class ListInvitedGroups(SearchGroups):
    """How the groups were invited, and the caller's level in them."""

    relation: CommaList[Literal["direct", "inherited"]] | None = None
    min_access_level: AccessLevel | None = None
    with_custom_attributes: bool = False


def _options(ctx: ReadContext, p: "ListInvitedGroups | ListSharedGroups", _group: Group | None) -> tuple[str, ...]:
    return (CUSTOM_ATTRIBUTES,) if p.with_custom_attributes and ctx.admin else ()


@area.operation(
    "GET",
    "invited_groups",
    name="list_{scope}_invited_groups",
    scope=(PROJECT, GROUP),
    params=ListInvitedGroups,
    view=GroupView,
    many=True,
    options=_options,
    since=("<=17.4", "<=17.10"),
)
def list_invited_groups(ctx: ReadContext, container: Container, p: ListInvitedGroups) -> Sequence[Group]:
    """List the groups that a project or group is shared with."""
    groups = group_searches.list_invited(ctx, container, p.relation or (DIRECT, INHERITED))
    return [group for group in _search(groups, p.search) if _has_level(ctx, group, p.min_access_level)]


class ListSharedGroups(SearchGroups):
    """Filters and order of the groups that are shared with a group."""

    skip_groups: CommaList[int] | None = None
    visibility: Visibility | None = None
    min_access_level: AccessLevel | None = None
    order_by: Literal["name", "path", "id", "similarity"] = "name"
    sort: Literal["asc", "desc"] = "asc"
    with_custom_attributes: bool = False


@area.operation(
    "GET",
    "groups/shared",
    name="get_group_shared",
    scope=GROUP,
    params=ListSharedGroups,
    view=GroupView,
    many=True,
    options=_options,
    since="<=17.10",
)
def list_shared_groups(ctx: ReadContext, group: Group, p: ListSharedGroups) -> Sequence[Group]:
    """List the groups that are shared with a group."""
    matching = [
        other
        for other in _search(group_searches.list_sharing(ctx, group), p.search)
        if other.id not in (p.skip_groups or ())
        and p.visibility in (None, other.visibility)
        and _has_level(ctx, other, p.min_access_level)
    ]
    return order_groups(matching, p.order_by, p.sort, p.search)


@area.operation(
    "GET",
    "transfer_locations",
    name="list_project_transfer_locations",
    scope=PROJECT,
    ability=Ability.CHANGE_NAMESPACE,
    params=SearchGroups,
    view=GroupPublic,
    many=True,
    since="15.4",
)
def list_project_transfer_locations(ctx: ReadContext, project: Project, p: SearchGroups) -> Sequence[Group]:
    """List the groups that the caller may transfer a project to."""
    return _search(group_searches.list_homes_of_project(ctx, project), p.search)


@area.operation(
    "GET",
    "transfer_locations",
    name="list_group_transfer_locations",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=SearchGroups,
    view=GroupPublic,
    many=True,
    since="15.4",
)
def list_group_transfer_locations(ctx: ReadContext, group: Group, p: SearchGroups) -> Sequence[Group]:
    """List the groups that the caller may transfer a group to."""
    return _search(group_searches.list_homes_of_group(ctx, group), p.search)


@area.operation(
    "GET",
    "share_locations",
    name="list_project_share_locations",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=SearchGroups,
    view=GroupPublic,
    many=True,
    since="<=16.0",
)
def list_project_share_locations(ctx: ReadContext, project: Project, p: SearchGroups) -> Sequence[Group]:
    """List the groups that the caller may share a project with."""
    targets = group_searches.list_share_targets(ctx, project)
    matching = {group.id for group in _search(targets, p.search)}
    # A full path finds its group, too.
    full_path = (p.search or "").lower()
    return [
        group
        for group in targets
        if group.id in matching or namespaces.full_path(ctx.world, group).lower() == full_path
    ]
