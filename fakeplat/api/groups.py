"""Groups.

Source: docs/platform/specification.md ('Groups'), docs/platform/groups.md, docs/decisions/rulings.md (5, 11).
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from fakeplat.api.project_lists import ProjectFilters, matches, ordered
from fakeplat.api.scopes import GROUP, find_group, find_project
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import Forbidden, NotFoundAs
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.domain.people import groups, namespaces
from fakeplat.domain.projects import custom_attributes, projects, shares, similarity
from fakeplat.entities.custom_attributes import SHOWN
from fakeplat.entities.groups import GroupDetail
from fakeplat.entities.namespaces import STATISTICS, GroupView
from fakeplat.entities.projects import ADMINISTERED, ProjectSimple, ProjectView
from fakeplat.model.levels import Level, Visibility
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has
from fakeplat.policy.levels import chain, level_within, member_level
from fakeplat.policy.rulings import can, demand, rule, sees

area: Final = Area("Groups", login=Login.WRITES)

AccessLevel = Literal[10, 20, 30, 40, 50]


class ListGroups(Paged):
    """Filters of lists of groups."""

    statistics: bool = False
    skip_groups: CommaList[int] | None = None
    all_available: bool | None = None
    search: str | None = None
    owned: bool = False
    order_by: Literal["name", "path", "id"] = "name"
    sort: Literal["asc", "desc"] = "asc"
    min_access_level: AccessLevel | None = None
    top_level_only: bool = False
    with_custom_attributes: bool = False
    custom_attributes: dict[str, str] | None = None


def _list_options(cx: Context, p: Any, group: Group | None) -> tuple[str, ...]:
    del group
    asked = ((STATISTICS, p.statistics), (SHOWN, p.with_custom_attributes))
    return tuple(name for name, wanted in asked if wanted and cx.admin)


@area.operation("GET", "groups", takes=ListGroups, shows=GroupView, many=True, options=_list_options)
def list_groups(cx: Context, p: ListGroups) -> Sequence[Group]:
    """List groups: the caller's own, or all visible ones."""
    found = (space for space in cx.world.namespaces.all() if isinstance(space, Group))
    return _listed(cx, p, (group for group in found if not p.top_level_only or group.parent_id is None))


@area.operation("GET", "subgroups", under=GROUP, takes=ListGroups, shows=GroupView, many=True, options=_list_options)
def list_subgroups(cx: Context, group: Group, p: ListGroups) -> Sequence[Group]:
    """List the direct subgroups of a group."""
    found = cx.world.namespaces.where("parent", group.id)
    return _listed(cx, p, (space for space in found if isinstance(space, Group)))


@area.operation(
    "GET", "descendant_groups", under=GROUP, takes=ListGroups, shows=GroupView, many=True, options=_list_options
)
def list_descendant_groups(cx: Context, group: Group, p: ListGroups) -> Sequence[Group]:
    """List the groups below a group, at any depth."""
    return _listed(cx, p, namespaces.inside(cx.world, group))


def _listed(cx: Context, p: ListGroups, candidates: Iterable[Group]) -> Sequence[Group]:
    found = [group for group in _available(cx, p, candidates) if _matches(cx, p, group)]
    found.sort(key=lambda group: group.id)
    if p.order_by == "id":
        return found if p.sort == "asc" else found[::-1]
    return sorted(found, key=lambda group: str(getattr(group, p.order_by)), reverse=p.sort == "desc")


def _available(cx: Context, p: ListGroups, candidates: Iterable[Group]) -> Iterable[Group]:
    """Owned and least level, which shares do not give, beat what is available; nobody gets what is visible."""
    user = cx.user
    if user is not None and p.owned:
        return [group for group in candidates if member_level(cx.world, ("group", group.id), user.id) == Level.OWNER]
    if user is not None and p.min_access_level is not None:
        return [group for group in candidates if level_within(cx.world, group.id, user.id) >= p.min_access_level]
    everything = cx.admin if p.all_available is None else p.all_available
    if user is not None and not everything:
        ids = _authorized(cx.world, user.id)
        return [group for group in candidates if group.id in ids]
    return [group for group in candidates if sees(cx, group)]


def _authorized(world: World, user_id: int) -> set[int]:
    """The groups that a user is in, directly or by a project, those above them, and those below direct ones."""
    found: set[int] = set()
    for member in world.members.where("user", user_id):
        kind, id_ = member.source
        start = world.projects[id_].namespace_id if kind == "project" else id_
        found.update(place.id for place in chain(world, start) if isinstance(place, Group))
        if kind == "group":
            found.update(below.id for below in namespaces.inside(world, world.namespaces[id_]))
            found.update(_shared_with(world, id_))
    return found


def _shared_with(world: World, group_id: int) -> set[int]:
    return {share.source[1] for share in world.shares.where("group", group_id) if share.source[0] == "group"}


def _matches(cx: Context, p: ListGroups, group: Group) -> bool:
    if p.skip_groups and group.id in p.skip_groups:
        return False
    wanted = p.custom_attributes if cx.admin else None
    if wanted and group.id not in custom_attributes.matching(cx.world, "group", wanted):
        return False
    text = (p.search or "").strip().lower()
    return not text or _found(cx, group, text)


def _found(cx: Context, group: Group, wanted: str) -> bool:
    if wanted in group.name.lower() or wanted in group.path.lower():
        return True
    return "/" in wanted and wanted in namespaces.full_path(cx.world, group).lower()


class GetGroup(Params):
    """What else to show of a group."""

    with_projects: bool = True
    with_custom_attributes: bool = False


def _single_view(cx: Context, p: Any) -> type[Entity[Any]]:
    del cx
    return GroupDetail if p.with_projects else GroupView


def _single_options(cx: Context, p: Any, group: Group) -> tuple[str, ...]:
    asked = ((SHOWN, p.with_custom_attributes and cx.admin), (ADMINISTERED, can(cx, May.ADMIN_GROUP, group)))
    return tuple(name for name, wanted in asked if wanted)


@area.operation("GET", "", under=GROUP, takes=GetGroup, shows=_single_view, options=_single_options)
def get_group(cx: Context, group: Group, p: GetGroup) -> Group:
    """Get a group."""
    del cx, p
    return group


class ListGroupProjects(ProjectFilters):
    """Filters of the list of a group's projects."""

    order_by: Literal["id", "name", "path", "created_at", "updated_at", "last_activity_at", "similarity"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    simple: bool = False
    with_shared: bool = True
    include_subgroups: bool = False
    with_custom_attributes: bool = False
    with_security_reports: bool = False


class ListSharedProjects(ProjectFilters):
    """Filters of the list of projects that are shared with a group."""

    order_by: Literal["id", "name", "path", "created_at", "updated_at", "last_activity_at"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    simple: bool = False
    with_custom_attributes: bool = False


def _project_view(cx: Context, p: Any) -> type[Entity[Any]]:
    anonymous = cx.user is None and Ruling.ANONYMOUS_GROUP_PROJECTS_ARE_SIMPLE.holds(cx.world)
    return ProjectSimple if p.simple or anonymous else ProjectView


def _project_options(cx: Context, p: Any, project: Project | None) -> tuple[str, ...]:
    del project
    return (SHOWN,) if p.with_custom_attributes and cx.admin else ()


@area.operation(
    "GET", "projects", under=GROUP, takes=ListGroupProjects, shows=_project_view, many=True, options=_project_options
)
def list_group_projects(cx: Context, group: Group, p: ListGroupProjects) -> Sequence[Project]:
    """List the projects of a group."""
    places = [group, *(namespaces.inside(cx.world, group) if p.include_subgroups else ())]
    found = {project.id: project for place in places for project in cx.world.projects.where("namespace", place.id)}
    if p.with_shared:
        found.update({project.id: project for project in _shared(cx.world, group)})
    chosen = _chosen(cx, p, found.values())
    if p.order_by == "similarity":
        return similarity.ordered(chosen, p.search, p.sort)
    return ordered(chosen, p.order_by, p.sort)


@area.operation(
    "GET",
    "projects/shared",
    under=GROUP,
    name="list_group_shared_projects",
    takes=ListSharedProjects,
    shows=_project_view,
    many=True,
    options=_project_options,
)
def list_group_shared_projects(cx: Context, group: Group, p: ListSharedProjects) -> Sequence[Project]:
    """List the projects that are shared with a group."""
    return ordered(_chosen(cx, p, _shared(cx.world, group)), p.order_by, p.sort)


def _shared(world: World, group: Group) -> list[Project]:
    found = world.shares.where("group", group.id)
    return [world.projects[share.source[1]] for share in found if share.source[0] == "project"]


def _chosen(cx: Context, p: ProjectFilters, candidates: Iterable[Project]) -> list[Project]:
    found = [project for project in candidates if sees(cx, project) and matches(cx, p, project)]
    return sorted(found, key=lambda project: project.id)


class GroupAttributes(Params):
    """What can be set of a group when it is made and later."""

    description: str | None = None
    visibility: Visibility | None = None
    avatar: Upload | str | None = None
    share_with_group_lock: bool | None = None
    membership_lock: bool | None = None
    require_two_factor_authentication: bool | None = None
    two_factor_grace_period: int | None = None
    project_creation_level: Literal["noone", "maintainer", "developer"] | None = None
    auto_devops_enabled: bool | None = None
    subgroup_creation_level: Literal["owner", "maintainer"] | None = None
    emails_disabled: bool | None = None
    mentions_disabled: bool | None = None
    lfs_enabled: bool | None = None
    request_access_enabled: bool | None = None
    default_branch_protection: Literal[0, 1, 2] | None = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    file_template_project_id: int | None = None


class CreateGroup(GroupAttributes):
    """A new group."""

    name: str
    path: str
    parent_id: int | None = None


_LIMITS: Final = ("shared_runners_minutes_limit", "extra_shared_runners_minutes_limit", "file_template_project_id")
_PAID: Final = ("membership_lock", *_LIMITS)
_NULLABLE: Final = ("description", "auto_devops_enabled", "emails_disabled", "mentions_disabled", "avatar", *_LIMITS)


def _settable(cx: Context, p: Params) -> dict[str, Any]:
    dropped = () if has(cx.world, "premium", cx.place) else _PAID
    given = {name: value for name, value in p.given().items() if name not in dropped}
    return {name: value for name, value in given.items() if value is not None or name in _NULLABLE}


@area.operation("POST", "groups", takes=CreateGroup, shows=GroupDetail, refuses=(400, 403, 404))
def create_group(cx: Doing, p: CreateGroup) -> Group:
    """Create a group."""
    given = _settable(cx, p)
    parent_id = given.pop("parent_id", None)
    parent = find_group(cx, str(parent_id)) if parent_id is not None else None
    _demand_create(cx, parent)
    if given.get("shared_runners_minutes_limit") is not None:
        demand(cx, May.SET_RUNNERS_MINUTES)
    return groups.create(cx, parent=parent, **given)


def _demand_create(cx: Context, parent: Group | None) -> None:
    if parent is not None:
        demand(cx, May.CREATE_SUBGROUP, parent)
    elif not (cx.someone.admin or (cx.someone.can_create_group and not cx.someone.external)):
        who = "is external" if cx.someone.external else "has can_create_group off"
        raise Forbidden(reason=f"create_group: {cx.someone.username} {who}")


class UpdateGroup(GroupAttributes):
    """Changes of a group. An empty ``avatar`` removes it."""

    name: str | None = None
    path: str | None = None


@area.operation("PUT", "", under=GROUP, may=May.ADMIN_GROUP, takes=UpdateGroup, shows=GroupDetail)
def update_group(cx: Doing, group: Group, p: UpdateGroup) -> Group:
    """Update a group."""
    return groups.update(cx, group, **_settable(cx, p))


@area.operation("DELETE", "", under=GROUP, may=May.ADMIN_GROUP, status=202, refuses=(400, 412))
def delete_group(cx: Doing, group: Group) -> dict[str, str]:
    """Delete a group with all its contents, or mark it for deletion where the tier delays that."""
    cx.unmodified_since(group.updated_at)
    groups.delete(cx, group)
    return {"message": "202 Accepted"}


@area.operation("POST", "restore", under=GROUP, may=May.ADMIN_GROUP, shows=GroupDetail, tier="premium", refuses=(400,))
def restore_group(cx: Doing, group: Group) -> Group:
    """Restore a group that is marked for deletion."""
    return groups.restore(cx, group)


@area.operation(
    "POST",
    "projects/:project_id",
    under=GROUP,
    may=May.ADMIN_USERS,
    shows=GroupDetail,
    refuses=(400, 404),
)
def transfer_project_to_group(cx: Doing, group: Group, project_id: str) -> Group:
    """Transfer a project to a group. Administrators only."""
    projects.transfer(cx, find_project(cx, project_id), group)
    return group


class ShareGroup(Params):
    """With whom, and how far."""

    group_id: int
    group_access: AccessLevel
    expires_at: Day | None = None


@area.operation("POST", "share", under=GROUP, takes=ShareGroup, shows=GroupDetail, refuses=(404, 409))
def share_group(cx: Doing, group: Group, p: ShareGroup) -> Group:
    """Share a group with another group."""
    other = find_group(cx, str(p.group_id))
    ruling = rule(cx, May.ADMIN_MEMBERS, group)
    if not ruling.allowed:
        raise NotFoundAs("Not Found", reason=ruling.why)
    shares.add_group(cx, group, other, p.group_access, p.expires_at)
    return group


@area.operation("DELETE", "share/:group_id", under=GROUP, refuses=(404,))
def unshare_group(cx: Doing, group: Group, group_id: int) -> None:
    """Stop sharing a group with another group. The link stays where the caller may not administer the group."""
    share = shares.find(cx.world, group, group_id)
    if can(cx, May.ADMIN_GROUP, group):
        shares.remove(cx, share)
