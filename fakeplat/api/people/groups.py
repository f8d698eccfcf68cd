"""Groups.

Source: docs/platform/groups.md, docs/decisions/rulings.md (5, 11).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api import scopes
from fakeplat.api.access_levels import PLANNER_SINCE, AccessLevel
from fakeplat.api.branch_protection import BranchProtection
from fakeplat.api.projects.project_lists import ProjectFilters, matches_filters, order_by_stars, order_projects
from fakeplat.api.scopes import GROUP, get_project
from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidRecord, NotFound, NotFoundWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import CursorPaged, Cursors, Order, Paged, Paging
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain import settings
from fakeplat.domain.groups import download_limits, group_links, group_transfers, groups
from fakeplat.domain.people import member_roles, members, namespaces
from fakeplat.domain.projects import custom_attributes, shares, similarity, transfers
from fakeplat.domain.purging import purge
from fakeplat.entities.people.groups import GroupDetail, GroupWithShares
from fakeplat.entities.people.namespaces import STATISTICS, GroupView
from fakeplat.entities.projects.custom_attributes import CUSTOM_ATTRIBUTES
from fakeplat.entities.projects.projects import ADMINISTERED, ProjectSimple, ProjectView
from fakeplat.model.people import GitProtocol, Group, Level, SharedRunners, Visibility
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, can_see, decide
from fakeplat.policy.behaviours import (
    ANONYMOUS_LISTS_OF_GROUPS_END,
    GROUPS_ARE_FOUND_BELOW_OTHERS,
    GROUPS_WITHOUT_PROJECTS_HAVE_SHARES,
    INITIAL_PUSHES_ARE_PROTECTED,
    PROJECTS_BY_STARS,
    SKIPPED_PIPELINES_NEED_PIPELINES,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors, is_archived, level_within, member_level

area: Final = Area("Groups", login=Login.WRITES)


class ListGroups(Paged):
    """Filters of lists of groups."""

    statistics: bool = False
    skip_groups: CommaList[int] | None = None
    all_available: bool | None = None
    search: str | None = None
    owned: bool = False
    order_by: Annotated[Literal["name", "path", "id", "similarity"], Lifetime(since="14.1", values=("similarity",))] = (
        "name"
    )
    sort: Literal["asc", "desc"] = "asc"
    min_access_level: Annotated[AccessLevel | None, PLANNER_SINCE] = None
    top_level_only: bool = False
    with_custom_attributes: bool = False
    custom_attributes: dict[str, str] | None = None
    visibility: Annotated[Visibility | None, Lifetime(since="<=17.11")] = None
    marked_for_deletion_on: Annotated[Day | None, Lifetime(since="17.1")] = None
    active: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    archived: Annotated[bool | None, Lifetime(since="18.2")] = None
    repository_storage: Annotated[str | None, Lifetime(since="16.3")] = None


class ListAllGroups(CursorPaged, ListGroups):
    """The same for all groups, which anonymous callers can also list by cursors."""

    pagination: Annotated[str | None, ANONYMOUS_LISTS_OF_GROUPS_END] = None
    cursor: Annotated[str | None, ANONYMOUS_LISTS_OF_GROUPS_END] = None


def _order_of_cursors(ctx: ReadContext, p: ListGroups) -> Order | None:
    return (p.order_by, p.sort) if ctx.viewer is None else None


def _list_options(ctx: ReadContext, p: ListGroups, _group: Group | None) -> tuple[str, ...]:
    # Both parts are for administrators; requests of others for them are ignored.
    requested = ((STATISTICS, p.statistics), (CUSTOM_ATTRIBUTES, p.with_custom_attributes))
    return tuple(name for name, is_requested in requested if is_requested and ctx.admin)


@area.operation(
    "GET",
    "groups",
    params=ListAllGroups,
    view=GroupView,
    many=True,
    paging=Paging(
        cursors=Cursors({"name": ("asc",)}, _order_of_cursors),
        limited="Group",
        limited_in=ANONYMOUS_LISTS_OF_GROUPS_END,
        limited_anonymously=True,
    ),
    options=_list_options,
    refusals=(405,),
)
def list_groups(ctx: ReadContext, p: ListAllGroups) -> Sequence[Group]:
    """List groups: the caller's own, or all visible ones."""
    every_group = (namespace for namespace in ctx.world.namespaces.all() if isinstance(namespace, Group))
    # Only this list has the filter; lists of subgroups accept it and ignore it (ruling 11).
    return _list_matching(ctx, p, (group for group in every_group if not p.top_level_only or group.parent_id is None))


@area.operation("GET", "subgroups", scope=GROUP, params=ListGroups, view=GroupView, many=True, options=_list_options)
def list_subgroups(ctx: ReadContext, group: Group, p: ListGroups) -> Sequence[Group]:
    """List the direct subgroups of a group."""
    children = ctx.world.namespaces.where("parent", group.id)
    return _list_matching(ctx, p, (namespace for namespace in children if isinstance(namespace, Group)))


@area.operation(
    "GET", "descendant_groups", scope=GROUP, params=ListGroups, view=GroupView, many=True, options=_list_options
)
def list_descendant_groups(ctx: ReadContext, group: Group, p: ListGroups) -> Sequence[Group]:
    """List the groups below a group, at any depth."""
    return _list_matching(ctx, p, namespaces.list_descendants(ctx.world, group))


def _list_matching(ctx: ReadContext, p: ListGroups, candidates: Iterable[Group]) -> Sequence[Group]:
    matching = [group for group in _filter_available(ctx, p, candidates) if _matches(ctx, p, group)]
    return order_groups(matching, p.order_by, p.sort, p.search)


def order_groups(groups: list[Group], order_by: str, sort: str, search: str | None) -> Sequence[Group]:
    """Sort groups by a column, or by their similarity to a text."""
    # Sorting is stable, so groups of equal names stay in ascending order of ids, whatever the direction.
    groups = sorted(groups, key=lambda group: group.id)
    if order_by == "id":
        return groups if sort == "asc" else groups[::-1]
    if order_by == "similarity" and search:
        return similarity.order_groups_by_similarity(groups, search)
    key = "name" if order_by == "similarity" else order_by
    return sorted(groups, key=lambda group: str(getattr(group, key)), reverse=sort == "desc")


def _filter_available(ctx: ReadContext, p: ListGroups, candidates: Iterable[Group]) -> Iterable[Group]:
    """Return the candidates available to the caller: owned, from a minimum level on (without shares), or visible."""
    # The platform applies the first of these filters only: owned, then min_access_level, then all_available.
    # Anonymous callers have no memberships, so they always get all visible groups.
    user = ctx.viewer
    if user is not None and p.owned:
        return [group for group in candidates if member_level(ctx.world, ("group", group.id), user.id) == Level.OWNER]
    if user is not None and p.min_access_level is not None:
        return [group for group in candidates if level_within(ctx.world, group.id, user.id) >= p.min_access_level]
    # By default administrators list every group, other users only their own.
    all_visible = ctx.admin if p.all_available is None else p.all_available
    if user is not None and not all_visible:
        authorized_ids = _find_authorized_group_ids(ctx.world, user.id)
        return [group for group in candidates if group.id in authorized_ids]
    return [group for group in candidates if can_see(ctx, group)]


def _find_authorized_group_ids(world: World, user_id: int) -> set[int]:
    """Return the ids of a user's groups and of the groups of the user's projects, with their ancestors.

    Descendants, and groups that share themselves, count for the groups of direct memberships only.
    """
    ids: set[int] = set()
    for member in world.members.where("user", user_id):
        kind, source_id = member.source
        namespace_id = world.projects[source_id].namespace_id if kind == "project" else source_id
        ids.update(container.id for container in ancestors(world, namespace_id) if isinstance(container, Group))
        if kind == "group":
            ids.update(descendant.id for descendant in namespaces.list_descendants(world, world.namespaces[source_id]))
            ids.update(_find_groups_shared_with(world, source_id))
    return ids


def _find_groups_shared_with(world: World, group_id: int) -> set[int]:
    return {share.source[1] for share in world.shares.where("group", group_id) if share.source[0] == "group"}


def _matches(ctx: ReadContext, p: ListGroups, group: Group) -> bool:
    if p.skip_groups and group.id in p.skip_groups:
        return False
    if p.visibility not in (None, group.visibility) or p.marked_for_deletion_on not in (
        None,
        group.marked_for_deletion_on,
    ):
        return False
    archived = p.archived is not None and is_archived(ctx.world, group)
    if p.archived not in (None, archived):
        return False
    if p.active is not None and p.active != _is_active(ctx, group):
        return False
    # The repository of each group is on the default storage; others than administrators do not filter by it.
    if p.repository_storage not in (None, DEFAULT_STORAGE) and ctx.admin:
        return False
    # For callers who are not administrators the filter is ignored, not refused.
    attributes = p.custom_attributes if ctx.admin else None
    if attributes and group.id not in custom_attributes.find_matching_ids(ctx.world, "group", attributes):
        return False
    text = (p.search or "").strip().lower()
    return not text or _matches_search(ctx, group, text, is_among_all=isinstance(p, ListAllGroups))


def _is_active(ctx: ReadContext, group: Group) -> bool:
    """Return whether a group is neither marked for deletion nor archived."""
    return group.marked_for_deletion_on is None and not is_archived(ctx.world, group)


def _matches_search(ctx: ReadContext, group: Group, text: str, *, is_among_all: bool) -> bool:
    if text in group.name.lower() or text in group.path.lower():
        return True
    if ctx.profile.has(GROUPS_ARE_FOUND_BELOW_OTHERS):
        # The names of the groups above count only where all groups are listed.
        return is_among_all and (
            text in namespaces.full_path(ctx.world, group).lower()
            or text in namespaces.full_name(ctx.world, group).lower()
        )
    # As on the platform, full paths are searched only for a text that contains a slash.
    return "/" in text and text in namespaces.full_path(ctx.world, group).lower()


class GetGroup(Params):
    """Optional parts of a group."""

    with_projects: bool = True
    with_custom_attributes: bool = False
    # The filter of lists is accepted here, too, and does not filter a single group.
    custom_attributes: Annotated[dict[str, str] | None, Lifetime(since="<=18.9")] = None


def _single_view(ctx: ReadContext, p: GetGroup) -> type[GroupView]:
    if p.with_projects:
        return GroupDetail
    return GroupWithShares if ctx.profile.has(GROUPS_WITHOUT_PROJECTS_HAVE_SHARES) else GroupView


def _single_options(ctx: ReadContext, p: GetGroup, group: Group) -> tuple[str, ...]:
    options = (
        (CUSTOM_ATTRIBUTES, p.with_custom_attributes and ctx.admin),
        (ADMINISTERED, can(ctx, Ability.ADMIN_GROUP, group)),
    )
    return tuple(name for name, is_shown in options if is_shown)


@area.operation("GET", "", scope=GROUP, params=GetGroup, view=_single_view, options=_single_options)
def get_group(_ctx: ReadContext, group: Group) -> Group:
    """Get a group."""
    return group


class ListGroupProjects(ProjectFilters):
    """Filters of the list of a group's projects."""

    order_by: Annotated[
        Literal["id", "name", "path", "created_at", "updated_at", "last_activity_at", "similarity", "star_count"],
        Lifetime(since=PROJECTS_BY_STARS.since, values=("star_count",)),
    ] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    simple: bool = False
    with_shared: bool = True
    include_subgroups: bool = False
    with_custom_attributes: bool = False
    with_security_reports: bool = False
    include_ancestor_groups: Annotated[bool, Lifetime(since="<=18.9")] = False
    active: Annotated[bool | None, Lifetime(since="18.8")] = None


class ListSharedProjects(ProjectFilters):
    """Filters of the list of projects that are shared with a group."""

    order_by: Annotated[
        Literal["id", "name", "path", "created_at", "updated_at", "last_activity_at", "star_count"],
        Lifetime(since=PROJECTS_BY_STARS.since, values=("star_count",)),
    ] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    simple: bool = False
    with_custom_attributes: bool = False


def _project_view(ctx: ReadContext, p: ListGroupProjects | ListSharedProjects) -> type[ProjectSimple | ProjectView]:
    anonymous = ctx.viewer is None and Ruling.ANONYMOUS_GROUP_PROJECTS_ARE_SIMPLE.holds(ctx.world)
    return ProjectSimple if p.simple or anonymous else ProjectView


def _project_options(
    ctx: ReadContext, p: ListGroupProjects | ListSharedProjects, _project: Project | None
) -> tuple[str, ...]:
    return (CUSTOM_ATTRIBUTES,) if p.with_custom_attributes and ctx.admin else ()


@area.operation(
    "GET", "projects", scope=GROUP, params=ListGroupProjects, view=_project_view, many=True, options=_project_options
)
def list_group_projects(ctx: ReadContext, group: Group, p: ListGroupProjects) -> Sequence[Project]:
    """List the projects of a group."""
    containers = [group, *(namespaces.list_descendants(ctx.world, group) if p.include_subgroups else ())]
    if p.include_ancestor_groups:
        containers += [
            above for above in ancestors(ctx.world, group.parent_id) if isinstance(above, Group) and can_see(ctx, above)
        ]
    # Keyed by id: a project inside the group may also be shared with it.
    candidates = {
        project.id: project
        for container in containers
        for project in ctx.world.projects.where("namespace", container.id)
    }
    if p.with_shared:
        candidates.update({project.id: project for project in _list_shared_projects(ctx.world, group)})
    matching = _filter_projects(ctx, p, candidates.values())
    if p.order_by == "star_count":
        return order_by_stars(ctx.world, matching, p.sort)
    if p.order_by == "similarity":
        return similarity.order_by_similarity(matching, p.search, p.sort)
    return order_projects(matching, p.order_by, p.sort)


@area.operation(
    "GET",
    "projects/shared",
    scope=GROUP,
    name="list_group_shared_projects",
    params=ListSharedProjects,
    view=_project_view,
    many=True,
    options=_project_options,
)
def list_group_shared_projects(ctx: ReadContext, group: Group, p: ListSharedProjects) -> Sequence[Project]:
    """List the projects that are shared with a group."""
    matching = _filter_projects(ctx, p, _list_shared_projects(ctx.world, group))
    if p.order_by == "star_count":
        return order_by_stars(ctx.world, matching, p.sort)
    return order_projects(matching, p.order_by, p.sort)


def _list_shared_projects(world: World, group: Group) -> list[Project]:
    group_shares = world.shares.where("group", group.id)
    return [world.projects[share.source[1]] for share in group_shares if share.source[0] == "project"]


def _filter_projects(ctx: ReadContext, p: ProjectFilters, candidates: Iterable[Project]) -> list[Project]:
    matching = [project for project in candidates if can_see(ctx, project) and matches_filters(ctx, p, project)]
    # `order_projects` relies on this order: for the order by id it reverses the list at most.
    return sorted(matching, key=lambda project: project.id)


class GroupAttributes(Params):
    """The attributes of a group that can be set at creation and later."""

    description: str | None = None
    visibility: Visibility | None = None
    avatar: Upload | str | None = None
    share_with_group_lock: bool | None = None
    membership_lock: bool | None = None
    require_two_factor_authentication: bool | None = None
    two_factor_grace_period: int | None = None
    project_creation_level: Annotated[
        Literal["noone", "maintainer", "developer", "administrator", "owner"] | None,
        Lifetime(since="<=17.9", values=("administrator", "owner")),
    ] = None
    auto_devops_enabled: bool | None = None
    subgroup_creation_level: Literal["owner", "maintainer"] | None = None
    emails_disabled: bool | None = None
    mentions_disabled: bool | None = None
    lfs_enabled: bool | None = None
    request_access_enabled: bool | None = None
    default_branch_protection: Annotated[
        Literal[0, 1, 2, 3, 4] | None, Lifetime(since=INITIAL_PUSHES_ARE_PROTECTED.since, values=(4,))
    ] = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    file_template_project_id: int | None = None
    emails_enabled: Annotated[bool | None, Lifetime(since="16.5")] = None
    shared_runners_setting: Annotated[SharedRunners | None, Lifetime(since="<=13.12")] = None
    wiki_access_level: Annotated[Literal["disabled", "private", "enabled"] | None, Lifetime(since="<=16.3")] = None
    default_branch: Annotated[str | None, Lifetime(since="16.11")] = None
    show_diff_preview_in_email: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    enabled_git_access_protocol: Annotated[GitProtocol | None, Lifetime(since="16.9")] = None
    default_branch_protection_defaults: Annotated[BranchProtection | None, Lifetime(since="17.0")] = None
    ldap_cn: Annotated[str | None, Lifetime(since="<=18.9")] = None
    ldap_access: Annotated[int | None, Lifetime(since="<=18.9")] = None


class CreateGroup(GroupAttributes):
    """A new group."""

    name: str
    path: str
    parent_id: int | None = None
    organization_id: Annotated[int | None, Lifetime(since="<=17.9")] = None


_LDAP_FIELDS: Final = ("ldap_cn", "ldap_access")
DEFAULT_ORGANIZATION: Final = 1
LDAP_PROVIDER: Final = "ldapmain"
_MINUTES_LIMITS: Final = ("shared_runners_minutes_limit", "extra_shared_runners_minutes_limit")
_TEMPLATE_PROJECT: Final = "file_template_project_id"
_PROTECTION: Final = "default_branch_protection_defaults"
DEFAULT_STORAGE: Final = "default"
_PAID_FIELDS: Final = (
    *_LDAP_FIELDS,
    "membership_lock",
    "prevent_forking_outside_group",
    _TEMPLATE_PROJECT,
    *_MINUTES_LIMITS,
    "wiki_access_level",
    "allow_personal_snippets",
    "only_allow_merge_if_pipeline_succeeds",
    "allow_merge_on_skipped_pipeline",
    "only_allow_merge_if_all_discussions_are_resolved",
    "ip_restriction_ranges",
    "allowed_email_domains_list",
    "duo_features_enabled",
    "lock_duo_features_enabled",
    "auto_duo_code_review_enabled",
    "web_based_commit_signing_enabled",
    "service_access_tokens_expiration_enforced",
)
# Sent with a new group, these have no effect.
_SET_LATER: Final = ("shared_runners_setting", "enabled_git_access_protocol")
# A null clears these attributes; for all others it means unchanged.
_NULLABLE_FIELDS: Final = (
    "description",
    "auto_devops_enabled",
    "emails_disabled",
    "mentions_disabled",
    "avatar",
    _TEMPLATE_PROJECT,
    *_MINUTES_LIMITS,
    "default_branch",
    "max_artifacts_size",
    "ip_restriction_ranges",
    "allowed_email_domains_list",
)


def _collect_settable(ctx: WriteContext, p: Params) -> dict[str, Any]:
    """Return the parameters that take effect: paid ones on paid tiers only, minutes limits for administrators only."""
    params = p.given()
    if not has_feature(ctx.world, "premium", ctx.container):
        params = ctx.ignore(params, _PAID_FIELDS, "it requires the tier premium")
    elif not ctx.admin:
        params = ctx.ignore(params, _MINUTES_LIMITS, "it is for administrators")
        if not ctx.world.settings.group_owners_can_manage_default_branch_protection:
            params = ctx.ignore(
                params,
                ("default_branch_protection", _PROTECTION),
                "group_owners_can_manage_default_branch_protection is off",
            )
    if not ctx.admin:
        params = ctx.ignore(params, ("max_artifacts_size",), "it is for administrators")
    if params.get("default_branch") == "":
        params = {**params, "default_branch": None}
    if isinstance(params.get(_PROTECTION), BranchProtection):
        params = {**params, _PROTECTION: params[_PROTECTION].as_object()}
    elif params.get("default_branch_protection") is not None:
        # The older number replaces what was said in detail.
        params = {**params, _PROTECTION: {}}
    return {name: value for name, value in params.items() if value is not None or name in _NULLABLE_FIELDS}


@area.operation("POST", "groups", params=CreateGroup, view=GroupDetail, refusals=(400, 403, 404))
def create_group(ctx: WriteContext, p: CreateGroup) -> Group:
    """Create a group."""
    attributes = ctx.ignore(_collect_settable(ctx, p), _SET_LATER, "it is not for new groups")
    parent_id = attributes.pop("parent_id", None)
    parent = scopes.get_group(ctx, str(parent_id)) if parent_id is not None else None
    authorize_create_group(ctx, parent)
    # Free tiers ignore the limit, so they do not require the right to set it either.
    if p.shared_runners_minutes_limit is not None and has_feature(ctx.world, "premium", ctx.container):
        authorize(ctx, Ability.SET_RUNNERS_MINUTES)
    check_organization(attributes.pop("organization_id", None))
    cn, access = (attributes.pop(name, None) for name in _LDAP_FIELDS)
    group = groups.create(ctx, parent=parent, **{**settings.new_group_fields(ctx.world.settings), **attributes})
    _link_ldap(ctx, group, cn, access)
    return group


def check_organization(id_: int | None) -> None:
    """Refuse with 404 any organization but the one that the instance has."""
    if id_ not in (None, DEFAULT_ORGANIZATION):
        raise NotFound("Organization", reason=f"the only organization is {DEFAULT_ORGANIZATION}")


def _link_ldap(ctx: WriteContext, group: Group, cn: str | None, access: int | None) -> None:
    """Link a group of the directory, if the request names one and a level."""
    if cn and access is not None:
        group_links.add_ldap_link(ctx, group, cn=cn, group_access=access, provider=LDAP_PROVIDER)


def _is_closed_at_top(ctx: ReadContext) -> bool:
    """Return whether there are no new top-level groups, not even those of administrators unless it is hosted."""
    if ctx.world.settings.top_level_group_creation_enabled or not ctx.instance.has("premium"):
        return False
    return not (ctx.instance.hosted and ctx.admin)


def authorize_create_group(ctx: ReadContext, parent: Group | None) -> None:
    """Raise 403 unless the caller may create groups in a group, or at the top level."""
    if parent is not None:
        authorize(ctx, Ability.CREATE_SUBGROUP, parent)
    elif _is_closed_at_top(ctx):
        raise Forbidden(reason="the setting top_level_group_creation_enabled is off")
    elif not (ctx.admin or (ctx.signed_in_user.can_create_group and not ctx.signed_in_user.external)):
        objection = "is external" if ctx.signed_in_user.external else "has can_create_group off"
        raise Forbidden(reason=f"create_group: {ctx.signed_in_user.username} {objection}")
    elif not members.may_create_own(ctx.world, ctx.signed_in_user):
        raise Forbidden(reason="allow_project_creation_for_guest_and_below is off, and the caller is a guest at most")


class UpdateGroup(GroupAttributes):
    """Changes of a group. An empty ``avatar`` removes it."""

    name: str | None = None
    path: str | None = None
    prevent_sharing_groups_outside_hierarchy: Annotated[bool | None, Lifetime(since="<=14.3")] = None
    prevent_forking_outside_group: bool | None = None
    max_artifacts_size: Annotated[int | None, Lifetime(since="<=17.9")] = None
    math_rendering_limits_enabled: Annotated[bool | None, Lifetime(since="<=17.9")] = None
    lock_math_rendering_limits_enabled: Annotated[bool | None, Lifetime(since="<=17.9")] = None
    allow_personal_snippets: Annotated[bool | None, Lifetime(since="18.9")] = None
    only_allow_merge_if_pipeline_succeeds: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    allow_merge_on_skipped_pipeline: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    only_allow_merge_if_all_discussions_are_resolved: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    ip_restriction_ranges: Annotated[str | None, Lifetime(since="15.4")] = None
    allowed_email_domains_list: Annotated[str | None, Lifetime(since="17.4")] = None
    duo_features_enabled: Annotated[bool | None, Lifetime(since="16.10")] = None
    lock_duo_features_enabled: Annotated[bool | None, Lifetime(since="16.10")] = None
    auto_duo_code_review_enabled: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    web_based_commit_signing_enabled: Annotated[bool | None, Lifetime(since="18.2")] = None
    service_access_tokens_expiration_enforced: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    unique_project_download_limit: Annotated[int | None, Lifetime(since="15.3")] = None
    unique_project_download_limit_interval_in_seconds: Annotated[int | None, Lifetime(since="15.3")] = None
    unique_project_download_limit_allowlist: Annotated[CommaList[str] | None, Lifetime(since="15.3")] = None
    unique_project_download_limit_alertlist: Annotated[list[int] | None, Lifetime(since="15.9")] = None
    auto_ban_user_on_excessive_projects_download: Annotated[bool | None, Lifetime(since="15.4")] = None


@area.operation("PUT", "", scope=GROUP, ability=Ability.ADMIN_GROUP, params=UpdateGroup, view=GroupDetail)
def update_group(ctx: WriteContext, group: Group, p: UpdateGroup) -> Group:
    """Update a group."""
    changes = _collect_settable(ctx, p)
    _check_skipped_pipelines(ctx, group, changes)
    if group.parent_id is not None:
        # Only top-level groups have these settings; subgroups ignore them.
        for name in ("prevent_forking_outside_group", "prevent_sharing_groups_outside_hierarchy"):
            changes.pop(name, None)
    if not download_limits.are_enabled(ctx, group):
        why = (
            f"only top-level groups have it, in the tier ultimate; before 18.0 with the feature {download_limits.FLAG}"
        )
        changes = ctx.ignore(changes, download_limits.FIELDS, why)
    for name in download_limits.LISTS:
        if name in changes:
            changes[name] = tuple(changes[name])
    _check_template_project(ctx, group, changes.get(_TEMPLATE_PROJECT))
    cn, access = (changes.pop(name, None) for name in _LDAP_FIELDS)
    _link_ldap(ctx, group, cn, access)
    return groups.update(ctx, group, **changes)


def _check_skipped_pipelines(ctx: ReadContext, group: Group, changes: Mapping[str, Any]) -> None:
    """Refuse to merge after skipped pipelines where no pipeline is needed."""
    skipped, needed = "allow_merge_on_skipped_pipeline", "only_allow_merge_if_pipeline_succeeds"
    is_checked = ctx.profile.has(SKIPPED_PIPELINES_NEED_PIPELINES) and changes.get(skipped)
    if is_checked and not changes.get(needed, getattr(group, needed)):
        raise BadRequest(f"400 Bad request - {skipped} can only be enabled when {needed} is true")


def _check_template_project(ctx: ReadContext, group: Group, project_id: int | None) -> None:
    """Refuse a file template project that the caller cannot read."""
    # Sending the stored project again is fine, even if the caller cannot read it any more.
    if project_id is None or project_id == group.file_template_project_id:
        return
    project = ctx.world.projects.get(project_id)
    if project is None or not can_see(ctx, project):
        raise InvalidRecord({_TEMPLATE_PROJECT: ["is invalid"]})


class DeleteGroup(Params):
    """Whether a subgroup that is marked for deletion is deleted at once; its full path confirms that."""

    permanently_remove: Annotated[bool | None, Lifetime(since="15.4")] = None
    full_path: Annotated[str | None, Lifetime(since="15.4")] = None


@area.operation(
    "DELETE", "", scope=GROUP, ability=Ability.REMOVE_GROUP, params=DeleteGroup, status=202, refusals=(400, 412)
)
def delete_group(ctx: WriteContext, group: Group, p: DeleteGroup) -> dict[str, str]:
    """Delete a group with all its contents, or mark it for deletion where that is delayed."""
    ctx.check_unmodified_since(group.updated_at)
    if p.permanently_remove:
        groups.delete_permanently(ctx, group, p.full_path or "")
    else:
        groups.delete(ctx, group)
    return {"message": "202 Accepted"}


@area.operation(
    "POST",
    "restore",
    scope=GROUP,
    ability=Ability.REMOVE_GROUP,
    view=GroupDetail,
    tier="premium",
    free_since="18.0",
    refusals=(400,),
)
def restore_group(ctx: WriteContext, group: Group) -> Group:
    """Restore a group that is marked for deletion."""
    return groups.restore(ctx, group)


@area.operation(
    "POST",
    "archive",
    scope=GROUP,
    ability=Ability.ARCHIVE_GROUP,
    view=GroupView,
    since="18.9",
    refusals=(422,),
)
def archive_group(ctx: WriteContext, group: Group) -> Group:
    """Archive a group with everything below it."""
    return groups.archive(ctx, group)


@area.operation(
    "POST",
    "unarchive",
    scope=GROUP,
    name="create_group_unarchive",
    ability=Ability.ARCHIVE_GROUP,
    view=GroupView,
    since="18.9",
    refusals=(422,),
)
def unarchive_group(ctx: WriteContext, group: Group) -> Group:
    """Unarchive a group."""
    return groups.unarchive(ctx, group)


@area.operation(
    "POST",
    "projects/:project_id",
    scope=GROUP,
    ability=Ability.ADMIN_USERS,
    view=GroupDetail,
    refusals=(400, 404),
)
def transfer_project_to_group(ctx: WriteContext, group: Group, project_id: str) -> Group:
    """Transfer a project to a group. Administrators only."""
    transfers.transfer(ctx, get_project(ctx, project_id), group)
    return group


class TransferGroup(Params):
    """The new parent; without it, the group moves to the top level."""

    group_id: int | None = None


@area.operation(
    "POST",
    "transfer",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=TransferGroup,
    view=GroupDetail,
    since="14.6",
    refusals=(400, 404),
)
def transfer_group(ctx: WriteContext, group: Group, p: TransferGroup) -> Group:
    """Transfer a group to another group, or to the top level."""
    parent = scopes.get_group(ctx, str(p.group_id)) if p.group_id is not None else None
    return group_transfers.transfer(ctx, group, parent)


class ShareGroup(Params):
    """The group to share with, its access level and the expiry date."""

    group_id: int
    group_access: Annotated[AccessLevel, PLANNER_SINCE]
    expires_at: Day | None = None
    member_role_id: Annotated[int | None, Lifetime(since="<=17.10")] = None


@area.operation("POST", "share", scope=GROUP, params=ShareGroup, view=GroupDetail, refusals=(400, 404, 409))
def share_group(ctx: WriteContext, group: Group, p: ShareGroup) -> Group:
    """Share a group with another group."""
    other = scopes.get_group(ctx, str(p.group_id))
    ruling = decide(ctx, Ability.ADMIN_MEMBERS, group)
    if not ruling.allowed:
        # The platform answers 404, not 403, to callers who may not share the group.
        raise NotFoundWithMessage("Not Found", reason=ruling.why)
    role_id = member_roles.find_assignable(ctx.world, group, p.member_role_id)
    shares.add_group(ctx, group, other, p.group_access, p.expires_at, role_id)
    return group


@area.operation("DELETE", "share/:group_id", scope=GROUP, refusals=(404,))
def unshare_group(ctx: WriteContext, group: Group, group_id: int) -> None:
    """Stop sharing a group with another group. The link stays where the caller may not administer the group."""
    share = shares.get_share(ctx.world, group, group_id)
    if can(ctx, Ability.ADMIN_GROUP, group):
        purge(ctx, share)
