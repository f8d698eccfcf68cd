"""Lists of groups. Source: docs/platform/graphql.md, docs/platform/groups.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypedDict

from graphql import GraphQLError

from fakeplat.domain.groups import group_searches
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import similarity
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER, is_activity_visible
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue
from fakeplat.model.people import Group, Level, Namespace, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import is_archived

_BY_NAME: Final = ("name", False)
_COLUMNS: Final = ("id", "name", "path", "created_at", "updated_at")
_LATER: Final = '@lifetime(since: "<=18.5")'
FILTERS: Final = f"""search: String, ids: [ID!] {_LATER}, topLevelOnly: Boolean = false {_LATER},
    ownedOnly: Boolean = false {_LATER}, parentPath: ID {_LATER}, markedForDeletionOn: Date {_LATER},
    active: Boolean {_LATER}"""
"""The arguments of lists of groups from everywhere."""
SORTS: Final[Mapping[str, EnumValue]] = {
    f"{column.upper()}_{direction}": ((column, direction == "DESC"), f"By {column.replace('_', ' ')}.")
    for column in _COLUMNS
    for direction in ("ASC", "DESC")
}
Enumeration(
    "GroupSort",
    "The order of groups.",
    {"SIMILARITY": (("similarity", True), "By similarity to the text of the search."), **SORTS},
    since="<=18.5",
)
_PERMISSIONS: Final = {
    "CREATE_PROJECTS": Ability.CREATE_PROJECTS,
    "TRANSFER_PROJECTS": Ability.TRANSFER_PROJECTS,
    "IMPORT_PROJECTS": Ability.CREATE_PROJECTS,
}


Enumeration(
    "GroupPermission",
    "What the user must be allowed to do in the groups.",
    {
        "CREATE_PROJECTS": ("CREATE_PROJECTS", "Create projects."),
        "TRANSFER_PROJECTS": ("TRANSFER_PROJECTS", "Move projects into them."),
        "IMPORT_PROJECTS": ("IMPORT_PROJECTS", "Import projects into them."),
    },
    since="<=14.3",
)


class GroupFilters(TypedDict, total=False):
    """The arguments of lists of groups from everywhere."""

    search: str | None
    ids: Sequence[str] | None
    top_level_only: bool | None
    owned_only: bool | None
    sort: str | None
    parent_path: str | None
    marked_for_deletion_on: str | None
    active: bool | None
    all_available: bool | None


def list_groups(ctx: ReadContext) -> Iterable[Group]:
    """Return the groups visible to the caller."""
    groups = (record for record in ctx.world.namespaces.all() if isinstance(record, Group))
    return (group for group in groups if can_see(ctx, group))


def _order(groups: Iterable[Group], sort: tuple[str, bool] | None, search: str | None) -> Sequence[Group]:
    by_id, (column, descending) = sorted(groups, key=lambda group: group.id), sort or _BY_NAME
    if column == "similarity":
        return similarity.order_groups_by_similarity(by_id, search or "")
    return sorted(by_id, key=lambda group: getattr(group, column), reverse=descending)


def _has_text(group: Group, search: str | None) -> bool:
    text = (search or "").lower()
    return text in group.name.lower() or text in group.path.lower()


def _parse_sort(text: str | None) -> tuple[str, bool]:
    column, _, direction = (text or "name_asc").rpartition("_")
    return (column, direction == "desc") if column in _COLUMNS else _BY_NAME


@QUERY.field(
    f'groups({FILTERS}, sort: String = "name_asc" {_LATER}, allAvailable: Boolean = true {_LATER}): GroupConnection',
    since="<=16.2",
)
def groups(
    ctx: ReadContext,
    search: str | None = None,
    ids: Sequence[str] | None = None,
    top_level_only: bool | None = None,
    owned_only: bool | None = None,
    sort: str | None = None,
    parent_path: str | None = None,
    all_available: bool | None = True,
    marked_for_deletion_on: str | None = None,
    active: bool | None = None,
) -> Sequence[Group]:
    """The groups visible to the caller."""
    wanted = None if ids is None else {parse_id(ctx, text, "Group") for text in ids}
    parent = find_namespace(ctx, parent_path) if parent_path else None
    if parent_path and not (isinstance(parent, Group) and can_see(ctx, parent)):
        raise GraphQLError(f"Could not find parent group with path {parent_path}")
    found = [
        group
        for group in list_groups(ctx)
        if _has_text(group, search)
        and (wanted is None or group.id in wanted)
        and not (top_level_only and group.parent_id is not None)
        and not (owned_only and level_on(ctx, group) < Level.OWNER)
        and (not parent_path or (parent is not None and group.parent_id == parent.id))
        and (all_available is not False or level_on(ctx, group) > 0)
        and marked_for_deletion_on in (None, group.marked_for_deletion_on)
        and active in (None, _is_active(ctx, group))
    ]
    return _order(found, _parse_sort(sort), search)


def _is_active(ctx: ReadContext, group: Group) -> bool:
    return not is_archived(ctx.world, group) and group.marked_for_deletion_on is None


@GROUP.field(
    f"""descendantGroups(includeParentDescendants: Boolean = true, owned: Boolean, search: String,
        ids: [ID!] {_LATER}, sort: GroupSort {_LATER}): GroupConnection""",
    since="<=14.3",
)
def descendant_groups(
    ctx: ReadContext,
    group: Group,
    include_parent_descendants: bool | None = True,
    owned: bool | None = None,
    search: str | None = None,
    ids: Sequence[str] | None = None,
    sort: tuple[str, bool] | None = None,
) -> Sequence[Group]:
    """The groups below the group, of all levels or of the next one."""
    wanted = None if ids is None else {parse_id(ctx, text, "Group") for text in ids}
    found = [
        below
        for below in namespaces.list_descendants(ctx.world, group)
        if can_see(ctx, below)
        and (include_parent_descendants is not False or below.parent_id == group.id)
        and (not owned or level_on(ctx, below) >= Level.OWNER)
        and _has_text(below, search)
        and (wanted is None or below.id in wanted)
    ]
    return _order(found, sort, search)


@GROUP.field("sharedGroups(search: String, sort: GroupSort = NAME_ASC): GroupConnection", since="<=18.5")
def shared_groups(
    ctx: ReadContext, group: Group, search: str | None = None, sort: tuple[str, bool] | None = None
) -> Sequence[Group]:
    """The groups that are shared with the group."""
    return _order((row for row in group_searches.list_sharing(ctx, group) if _has_text(row, search)), sort, search)


@GROUP.field("descendantGroupsCount: Int!", since="<=16.9")
def descendant_groups_count(ctx: ReadContext, group: Group) -> int:
    """Number of the groups right below."""
    return sum(isinstance(below, Group) for below in ctx.world.namespaces.where("parent", group.id))


@USER.field(
    f"groups(search: String, permissionScope: GroupPermission, sort: GroupSort {_LATER}): GroupConnection",
    since="<=14.3",
)
def groups_of_user(
    ctx: ReadContext,
    user: User,
    search: str | None = None,
    permission_scope: str | None = None,
    sort: tuple[str, bool] | None = None,
) -> Sequence[Group] | None:
    """The groups that the user belongs to; only the user and administrators see them."""
    if ctx.viewer is None or not (ctx.admin or ctx.viewer.id == user.id):
        return None
    as_user = ctx.as_user(user)
    ability = _PERMISSIONS[permission_scope] if permission_scope is not None else None
    found = [
        group
        for group in _list_memberships(ctx, user)
        if _has_text(group, search) and (ability is None or can(as_user, ability, group))
    ]
    return _order(found, sort, search)


def _list_memberships(ctx: ReadContext, user: User) -> list[Group]:
    """Return the groups of a user's memberships, and those below them."""
    sources = [member.source for member in ctx.world.members.where("user", user.id)]
    direct: list[Namespace] = [ctx.world.namespaces[id_] for kind, id_ in sources if kind == "group"]
    below = [group for top in direct for group in namespaces.list_descendants(ctx.world, top)]
    unique = {group.id: group for group in (*direct, *below) if isinstance(group, Group)}
    return [*unique.values()]


@USER.field("groupCount: Int", since="<=14.0")
def group_count(ctx: ReadContext, user: User) -> int | None:
    """Number of the groups that the user belongs to; only the user and administrators see it."""
    found = groups_of_user(ctx, user) if is_activity_visible(ctx, user) else None
    return None if found is None else len(found)
