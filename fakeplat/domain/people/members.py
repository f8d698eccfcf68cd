"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Collection, Iterable, Iterator
from operator import itemgetter
from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import Conflict, Forbidden, InvalidRecord, RecordNotFound, UnprocessableWithCode
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso
from fakeplat.domain import events, signals
from fakeplat.domain.people import seats
from fakeplat.domain.people.namespaces import list_descendants, list_projects_within, owner_ids
from fakeplat.domain.purging import purge
from fakeplat.model.people import Group, Level, Namespace, User, UserNamespace
from fakeplat.model.projects import Member, Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, can_see, is_member
from fakeplat.policy.behaviours import (
    IMPORTED_BOTS_ARE_FAILURES,
    INVITED_GROUPS_ARE_INHERITED,
    LOCKED_IMPORTS_HAVE_A_CODE,
    PLANNERS,
    PROJECTS_HAVE_OWNERS,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe, describe_user
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import Source, ancestors, ancestors_of, project_level

_LOCKED: Final = "cannot be changed because of an existing association with a custom role"
_OTHER_LEVEL: Final = "the custom role's base access level does not match the current access level"
_EXPIRE: Final = "expire_membership"
MOST_INVITED: Final = 100
"""How many users and addresses one request may name."""
TOO_MANY_INVITED: Final = f"Too many users specified (limit is {MOST_INVITED})"
_LEVELS: Final = (Level.GUEST, Level.PLANNER, Level.REPORTER, Level.DEVELOPER, Level.MAINTAINER, Level.OWNER)


def list_levels(world: World, container: Routable) -> list[Level]:
    """Return the access levels that members of a project or group can have."""
    absent = {Level.PLANNER} if not world.profile.has(PLANNERS) else set()
    if isinstance(container, Project) and not world.profile.has(PROJECTS_HAVE_OWNERS):
        absent.add(Level.OWNER)
    lowest = [Level.MINIMAL] if _has_minimal_access(world, container) else []
    return [*lowest, *(level for level in _LEVELS if level not in absent)]


def _has_minimal_access(world: World, container: Routable) -> bool:
    """Return whether members may have minimal access, which is a paid feature of top-level groups."""
    return isinstance(container, Group) and container.parent_id is None and has_feature(world, "premium", container)


def authorize_owners(ctx: ReadContext, container: Routable, *levels: int | None) -> None:
    """Raise Forbidden if one of the levels is that of a project's Owners, and the caller does not own the project."""
    if not _may_manage(ctx, container, *levels):
        authorize(ctx, Ability.MANAGE_OWNERS, container)


def _may_manage(ctx: ReadContext, container: Routable, *levels: int | None) -> bool:
    of_owners = Level.OWNER in levels and isinstance(container, Project) and ctx.profile.has(PROJECTS_HAVE_OWNERS)
    return not of_owners or can(ctx, Ability.MANAGE_OWNERS, container)


def holds(world: World, container: Routable, user_id: int) -> bool:
    """Return whether a project is in the namespace of the user, whose membership nobody changes."""
    if not isinstance(container, Project):
        return False
    namespace = world.namespaces[container.namespace_id]
    return isinstance(namespace, UserNamespace) and namespace.owner_id == user_id


def refuse_holder(world: World, container: Routable, user_id: int) -> None:
    """Raise Forbidden if a project is in the namespace of the user."""
    if holds(world, container, user_id):
        raise Forbidden(reason="the user owns the namespace of the project, so the membership stays")


def source_of(container: Routable) -> Source:
    """Return the key of a project or group in memberships."""
    return ("project" if isinstance(container, Project) else "group", container.id)


def container_of(world: World, source: Source) -> Routable:
    """Return the project or group of a membership's key."""
    kind, id_ = source
    return world.projects[id_] if kind == "project" else world.namespaces[id_]


def list_direct(world: World, container: Routable) -> list[Member]:
    """Return the direct members of a project or group."""
    return list(world.members.where("source", source_of(container)))


def list_inherited(world: World, container: Routable) -> list[Member]:
    """Return direct and inherited members, each user with the highest membership."""
    return _highest_per_user(_list_inherited(world, container))


def list_effective(ctx: ReadContext, container: Routable) -> list[Member]:
    """Return direct and inherited members, and those of invited groups that the caller may know.

    These are the visible groups that a project is shared with; later also those that a group or the groups above are
    shared with, and hidden ones for members of what is shared. Members of an invited group, and of the groups above
    it, have at most the access level of the invitation.
    """
    return _highest_per_user([*_list_inherited(ctx.world, container), *_list_invited(ctx, container)])


def _list_inherited(world: World, container: Routable) -> Iterator[Member]:
    return (
        member for source in _hierarchy_sources(world, container) for member in world.members.where("source", source)
    )


def _list_invited(ctx: ReadContext, container: Routable) -> Iterator[Member]:
    may_inherit = ctx.profile.has(INVITED_GROUPS_ARE_INHERITED)
    if may_inherit:
        return list_shared(ctx, container, _hierarchy_sources(ctx.world, container))
    return list_shared(ctx, container, [source_of(container)] if isinstance(container, Project) else [])


def list_shared(ctx: ReadContext, container: Routable, sources: Iterable[Source]) -> Iterator[Member]:
    """Yield the members of the groups that a container, or those above it among the sources, are shared with."""
    may_know_all = ctx.profile.has(INVITED_GROUPS_ARE_INHERITED) and is_member(ctx, container)
    for share in (share for source in sources for share in ctx.world.shares.where("source", source)):
        # Members of the groups above inherit the membership in the invited group.
        for group in ancestors(ctx.world, share.group_id):
            is_visible = can_see(ctx, group)
            if not is_visible and not may_know_all:
                continue
            creator_is_shown = is_visible or can(ctx, Ability.ADMIN_MEMBERS, container)
            for member in ctx.world.members.where("source", source_of(group)):
                # The record itself is unchanged: the cap applies only to this listing.
                level = min(member.access_level, share.group_access)
                created_by = member.created_by if creator_is_shown else None
                yield evolve(member, access_level=level, created_by=created_by)


def list_of_group(ctx: ReadContext, group: Group, relations: Collection[str]) -> list[Member]:
    """Return the members who belong to a group by some relations, each user with the highest membership.

    The relations are DIRECT, INHERITED, DESCENDANTS and SHARED_FROM_GROUPS. Minimal access does not count.
    """
    world = ctx.world
    groups: list[Namespace] = [group] if "DIRECT" in relations else []
    if "INHERITED" in relations:
        groups += [above for above in ancestors(world, group.id) if above.id != group.id]
    if "DESCENDANTS" in relations:
        groups += list_descendants(world, group)
    rows = [member for each in groups for member in world.members.where("source", ("group", each.id))]
    if "SHARED_FROM_GROUPS" in relations:
        rows += list_shared(ctx, group, _hierarchy_sources(world, group))
    return [member for member in _highest_per_user(rows) if member.access_level > Level.MINIMAL]


def list_of_project(ctx: ReadContext, project: Project, relations: Collection[str]) -> list[Member]:
    """Return the members who belong to a project by some relations, direct memberships before others.

    All but DIRECT alone bring the members of the project's group. Rows show the level that counts in the project.
    """
    direct = list_direct(ctx.world, project)
    group = ctx.world.namespaces[project.namespace_id]
    if set(relations) == {"DIRECT"}:
        return direct
    rows = direct if "DIRECT" in relations else []
    if isinstance(group, Group):
        above = {"DIRECT", "INHERITED", "DESCENDANTS"} if "DESCENDANTS" in relations else {"DIRECT", "INHERITED"}
        shared = {"SHARED_FROM_GROUPS"} if "SHARED_INTO_ANCESTORS" in relations else set()
        rows = [*rows, *list_of_group(ctx, group, above | shared)]
    elif "DIRECT" not in relations and "INVITED_GROUPS" not in relations:
        rows = direct
    if "INVITED_GROUPS" in relations:
        rows = [*rows, *_highest_per_user(list_shared(ctx, project, [source_of(project)]))]
    by_user: dict[int, Member] = {}
    for row in rows:
        by_user.setdefault(row.user_id, row)
    return [_with_effective_level(ctx.world, project, row) for row in by_user.values()]


def _with_effective_level(world: World, project: Project, member: Member) -> Member:
    level = project_level(world, project, member.user_id)
    return evolve(member, access_level=level) if level not in (0, member.access_level) else member


def highest_role(world: World, user: User) -> int:
    """Return the highest access level among a user's memberships, 0 without any."""
    levels = (member.access_level for member in world.members.where("user", user.id))
    return max(levels, default=int(Level.NONE))


def _highest_per_user(members: Iterable[Member]) -> list[Member]:
    """Return the highest membership of each user, the first among equals, ordered by user id."""
    highest: dict[int, Member] = {}
    for member in members:
        # ``>`` keeps the first of equals: direct memberships are listed before inherited ones and are preferred.
        best = highest.get(member.user_id)
        if best is None or member.access_level > best.access_level:
            highest[member.user_id] = member
    return sorted(highest.values(), key=lambda member: member.user_id)


def list_known_members(ctx: ReadContext, group: Group) -> set[int]:
    """Return the members in a group's hierarchy, projects included, who are in a group visible to the caller."""
    world = ctx.world
    groups = [group, *list_descendants(world, group)]
    # Ancestors contribute their own members only, not those of the projects below them.
    hierarchy = [*(ancestor for ancestor in ancestors(world, group.id) if isinstance(ancestor, Group)), *groups]
    containers: list[Routable] = [*hierarchy, *list_projects_within(world, group)]
    member_ids = {member.user_id for container in containers for member in list_direct(world, container)}
    return {id_ for id_ in member_ids if _belongs_to_visible_group(ctx, id_)}


def _belongs_to_visible_group(ctx: ReadContext, user_id: int) -> bool:
    sources = (member.source for member in ctx.world.members.where("user", user_id))
    groups = (ctx.world.namespaces[id_] for kind, id_ in sources if kind == "group")
    return any(can_see(ctx, group) for group in groups)


def _hierarchy_sources(world: World, container: Routable) -> list[Source]:
    groups = [("group", above.id) for above in ancestors_of(world, container) if isinstance(above, Group)]
    return [source_of(container), *groups] if isinstance(container, Project) else list(groups)


def get_member(world: World, container: Routable, user_id: int) -> Member:
    """Return a direct member, or raise 404."""
    member = world.members.find("pair", (source_of(container), user_id))
    if member is None:
        raise RecordNotFound(
            reason=lambda: f"{describe_user(world, user_id)} is not a direct member of {describe(world, container)}"
        )
    return member


def find_member(world: World, container: Routable, user: User) -> Member | None:
    """Return a direct member, or None."""
    return world.members.find("pair", (source_of(container), user.id))


def add_member(
    ctx: WriteContext,
    container: Routable,
    user: User,
    access_level: int,
    expires_at: str | None = None,
    *,
    is_older: bool = False,
    member_role_id: int | None = None,
) -> Member:
    """Add a member; a level below an inherited one is allowed if this membership is older (``is_older``)."""
    table, source = ctx.world.members, source_of(container)
    if table.find("pair", (source, user.id)):
        raise Conflict("Member already exists")
    _validate(ctx, container, user, access_level, expires_at, is_older=is_older)
    _check_role(ctx.world, access_level, member_role_id)
    # Before the insert: what was counted at midnight does not include the new member.
    seats.record_seats(ctx, container)
    created_by = ctx.actor.id if ctx.actor else None
    _delete_access_request(ctx, source, user)
    member = table.add(
        Member(
            table.next_id(),
            source,
            user.id,
            access_level,
            ctx.now_iso,
            created_by,
            expires_at,
            member_role_id=member_role_id,
        )
    )
    _schedule_expiry(ctx, member)
    if ctx.user is not None and isinstance(container, Project):
        events.record_event(ctx, user, "joined", container)
    signals.post_create.send(ctx, member)
    return member


def _delete_access_request(ctx: WriteContext, source: Source, user: User) -> None:
    """Delete the user's access request, which the new membership grants."""
    request = ctx.world.access_requests.find("pair", (source, user.id))
    if request is not None:
        purge(ctx, request)


def is_locked(world: World, project: Project) -> bool:
    """Return whether the group of a project prevents adding members to the project itself."""
    group = world.namespaces[project.namespace_id]
    return isinstance(group, Group) and group.membership_lock and has_feature(world, "premium", group)


def authorize_import(ctx: ReadContext, project: Project) -> None:
    """Refuse to add the members of another project to one whose group, or the instance, locks memberships.

    403, later 422 with a code.
    """
    settings = ctx.world.settings
    group = ctx.world.namespaces[project.namespace_id]
    by_instance = settings.lock_memberships_to_ldap or settings.lock_memberships_to_saml
    is_closed = is_locked(ctx.world, project) or (
        by_instance and isinstance(group, Group) and has_feature(ctx.world, "premium", group)
    )
    if not is_closed:
        return
    reason = f"memberships of {describe(ctx.world, project)} are locked"
    if ctx.profile.has(LOCKED_IMPORTS_HAVE_A_CODE):
        raise UnprocessableWithCode("Forbidden", "import_project_team_forbidden_error", reason=reason)
    raise Forbidden(reason=reason)


def find_membership_error(
    ctx: WriteContext,
    container: Routable,
    user: User,
    access_level: int,
    expires_at: str | None,
    member_role_id: int | None = None,
) -> str | None:
    """Return why a membership is not allowed, in one sentence, or None."""
    if find_member(ctx.world, container, user):
        return "Member already exists"
    try:
        _validate(ctx, container, user, access_level, expires_at)
        _check_role(ctx.world, access_level, member_role_id)
    except InvalidRecord as refusal:
        return refusal.sentence()
    return None


def add_or_change_member(
    ctx: WriteContext,
    container: Routable,
    user: User,
    access_level: int,
    expires_at: str | None,
    member_role_id: int | None = None,
) -> str | None:
    """Make a user a member, or give a member another level; return why that is not possible, or None."""
    member = find_member(ctx.world, container, user)
    if member is not None:
        try:
            update_member(ctx, container, member, access_level=access_level, expires_at=expires_at)
        except InvalidRecord as refusal:
            return refusal.sentence()
        return None
    objection = find_membership_error(ctx, container, user, access_level, expires_at, member_role_id)
    if objection is None:
        add_member(ctx, container, user, access_level, expires_at, member_role_id=member_role_id)
    return objection


def may_change(ctx: ReadContext, container: Routable, user: User) -> bool:
    """Return whether the caller, who manages members, may change what a user is: not the last owner, for example."""
    member = find_member(ctx.world, container, user)
    if holds(ctx.world, container, user.id) or (member and _is_last_owner(ctx.world, container, member)):
        return False
    return member is None or _may_manage(ctx, container, member.access_level)


def can_leave(ctx: ReadContext, container: Routable) -> bool:
    """Return whether the caller may end their own direct membership: neither as last owner nor as holder."""
    member = find_member(ctx.world, container, ctx.viewer) if ctx.viewer is not None else None
    if member is None or holds(ctx.world, container, member.user_id):
        return False
    return not _is_last_owner(ctx.world, container, member)


def copy_members(ctx: WriteContext, source: Project, target: Project) -> dict[str, str]:
    """Make the direct members of a project members of another one too; return why that failed, by username."""
    failures: dict[str, str] = {}
    may_add_owners = can(ctx, Ability.MANAGE_OWNERS, target)
    for member in list_direct(ctx.world, source):
        user = ctx.world.users[member.user_id]
        # Members, and the bot users of access tokens, stay what they are.
        is_skipped = user.kind == "project_bot" and not ctx.profile.has(IMPORTED_BOTS_ARE_FAILURES)
        if is_skipped or find_member(ctx.world, target, user) is not None:
            continue
        level = member.access_level if may_add_owners else min(member.access_level, Level.MAINTAINER)
        objection = find_membership_error(ctx, target, user, level, member.expires_at)
        if objection is None:
            add_member(ctx, target, user, level, member.expires_at)
        else:
            failures[user.username] = objection
    return failures


class MemberChanges(TypedDict, total=False):
    """Changes of a membership."""

    access_level: int
    expires_at: str | None
    member_role_id: int | None


def update_member(ctx: WriteContext, container: Routable, member: Member, **changes: Unpack[MemberChanges]) -> Member:
    """Change a member's access level or expiry."""
    # An expiry date that is not sent is not checked again, so a past one may stay.
    user, access_level = ctx.world.users[member.user_id], changes.get("access_level", member.access_level)
    if member.ldap and not member.override and ctx.request is not None:
        raise Forbidden(reason=f"{user.username} is a member through LDAP, and the level is not overridden")
    _validate(ctx, container, user, access_level, changes.get("expires_at"))
    role_id = changes.get("member_role_id", member.member_role_id)
    if role_id is not None and role_id == member.member_role_id and access_level != member.access_level:
        raise InvalidRecord({"access_level": [_LOCKED]}, reason="the member has a custom role")
    _check_role(ctx.world, access_level, role_id)
    seats.record_seats(ctx, container)
    changed = ctx.world.members.change(member, **changes)
    if changed.expires_at != member.expires_at:
        _schedule_expiry(ctx, changed)
    signals.post_change.send(ctx, member, changed)
    return changed


def _check_role(world: World, access_level: int, role_id: int | None) -> None:
    """Refuse a level that is not that of the custom role."""
    if role_id is not None and world.member_roles[role_id].base_access_level != access_level:
        raise InvalidRecord(
            {"member_role_id": [_OTHER_LEVEL]}, reason=f"the role has another level than {access_level}"
        )


def remove_member(ctx: WriteContext, container: Routable, member: Member, *, below: bool = True) -> None:
    """Remove a member from a project or group; 403 for the last owner of a group.

    ``below``: also end the user's memberships in subgroups and projects.
    """
    world = ctx.world
    if _is_last_owner(world, container, member):
        raise Forbidden(
            reason=lambda: f"{describe_user(world, member.user_id)} is the last owner of {describe(world, container)}"
        )
    _end_membership(ctx, container, member)
    if below and isinstance(container, Group):
        _end_memberships_below(ctx, container, member.user_id)


def _is_last_owner(world: World, container: Routable, member: Member) -> bool:
    return isinstance(container, Group) and owner_ids(world, container) == [member.user_id]


def _end_membership(ctx: WriteContext, container: Routable, member: Member) -> None:
    purge(ctx, member)
    if isinstance(container, Project):
        events.record_event(ctx, ctx.world.users[member.user_id], "left", container)


def _end_memberships_below(ctx: WriteContext, group: Group, user_id: int) -> None:
    """End a user's direct memberships in the projects and subgroups of a group, except as sole owner of a subgroup."""
    containers: list[Routable] = [
        *list_projects_within(ctx.world, group),
        *list_descendants(ctx.world, group),
    ]
    for container in containers:
        member = ctx.world.members.find("pair", (source_of(container), user_id))
        if member is not None and not _is_last_owner(ctx.world, container, member):
            _end_membership(ctx, container, member)


def record_seats_before_removal(ctx: WriteContext, member: Member) -> None:
    """Record the seats in use before a membership is deleted."""
    seats.record_seats(ctx, container_of(ctx.world, member.source))


def _explain_minimal_access(world: World, container: Routable, access_level: int) -> Iterator[str]:
    if access_level != Level.MINIMAL or not isinstance(container, Group):
        return
    if container.parent_id is not None:
        yield "supported on top level groups only"
    if not has_feature(world, "premium", container):
        yield "not supported by license"


def _validate(
    ctx: WriteContext,
    container: Routable,
    user: User,
    access_level: int,
    expires_at: str | None,
    *,
    is_older: bool = False,
) -> None:
    allowed_levels = list_levels(ctx.world, container)
    if access_level not in allowed_levels:
        reason = (
            f"access_level must be one of {', '.join(f'{level:d}' for level in allowed_levels)}, not {access_level}"
        )
        texts = ["is not included in the list", *_explain_minimal_access(ctx.world, container, access_level)]
        raise InvalidRecord({"access_level": texts}, reason=reason)
    if expires_at is not None and expires_at < ctx.today:
        reason = f"expires_at is {expires_at}; it is {ctx.today} in this world"
        raise InvalidRecord({"expires_at": ["cannot be a date in the past"]}, reason=reason)
    if user.kind == "project_bot" and _belongs_to_other_project(ctx.world, container, user):
        raise InvalidRecord({"user_id": ["project bots cannot be added to other groups / projects"]})
    if not is_older:
        _check_not_below_inherited(ctx.world, container, user, access_level)


def _belongs_to_other_project(world: World, container: Routable, bot: User) -> bool:
    """Return whether a project's bot user belongs to another project."""
    # Its token ties a bot to its project even before it is a member there.
    projects = {token.project_id for token in world.tokens.where("user", bot.id)} - {None}
    sources = {member.source for member in world.members.where("user", bot.id)}
    return bool((sources | {("project", id_) for id_ in projects}) - {source_of(container)})


def _check_not_below_inherited(world: World, container: Routable, user: User, access_level: int) -> None:
    # Starts above the container, because the direct membership is the one being written.
    parent_id = container.namespace_id if isinstance(container, Project) else container.parent_id
    memberships = [
        (group, world.members.find("pair", (("group", group.id), user.id))) for group in ancestors(world, parent_id)
    ]
    levels = [(member.access_level, group.name) for group, member in memberships if member is not None]
    highest, name = max(levels, default=(0, ""), key=itemgetter(0))
    if highest > access_level:
        role = Level(highest).name.title()
        text = f"should be greater than or equal to {role} inherited membership from group {name}"
        raise InvalidRecord({"access_level": [text]})


def _task_subject(member: Member) -> Source:
    return ("members", member.id)


def _schedule_expiry(ctx: WriteContext, member: Member) -> None:
    # Replaces the task of an earlier expiry date.
    ctx.cancel_tasks(_task_subject(member))
    if member.expires_at is not None:
        ctx.schedule(_EXPIRE, _task_subject(member), from_iso(member.expires_at))


@task_handler(_EXPIRE)
def _expire(ctx: WriteContext, due: ScheduledTask) -> None:
    member = ctx.world.members.get(due.subject[1])
    if member is not None:
        # The membership ends at midnight, which no longer counts it: record the day before first.
        seats.record_yesterday(ctx, container_of(ctx.world, member.source))
        purge(ctx, member)
        kind, id_ = member.source
        if kind == "project":
            events.record_event(ctx, ctx.world.users[member.user_id], "expired", ctx.world.projects[id_])


def may_create_own(world: World, user: User) -> bool:
    """Return whether a user may create projects of their own and top-level groups: the settings can forbid guests."""
    allowed = world.settings.allow_project_creation_for_guest_and_below
    return allowed or user.admin or highest_role(world, user) > Level.GUEST
