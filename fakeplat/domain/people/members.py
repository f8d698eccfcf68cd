"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import Conflict, Forbidden, InvalidRecord, RecordNotFound
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso
from fakeplat.domain import events, signals
from fakeplat.domain.people import seats
from fakeplat.domain.people.namespaces import list_descendants, owner_ids
from fakeplat.domain.purging import purge
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Member, Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe, describe_user
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import Source, ancestors, ancestors_of

_LOCKED: Final = "cannot be changed because of an existing association with a custom role"
_OTHER_LEVEL: Final = "the custom role's base access level does not match the current access level"
_EXPIRE: Final = "expire_membership"
# A project's own members are Maintainers at most; its owners come from the namespace.
PROJECT_LEVELS: Final = (Level.GUEST, Level.REPORTER, Level.DEVELOPER, Level.MAINTAINER)
GROUP_LEVELS: Final = (*PROJECT_LEVELS, Level.OWNER)


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
    """Return direct and inherited members, and for a project those of invited groups visible to the caller.

    Members of an invited group, and of the groups above it, have at most the access level of the invitation.
    """
    invited = _list_invited(ctx, container) if isinstance(container, Project) else ()
    return _highest_per_user([*_list_inherited(ctx.world, container), *invited])


def _list_inherited(world: World, container: Routable) -> Iterator[Member]:
    return (
        member for source in _hierarchy_sources(world, container) for member in world.members.where("source", source)
    )


def _list_invited(ctx: ReadContext, project: Project) -> Iterator[Member]:
    for share in ctx.world.shares.where("source", source_of(project)):
        # Members of the groups above inherit the membership in the invited group.
        for group in ancestors(ctx.world, share.group_id):
            if not can_see(ctx, group):
                continue
            for member in ctx.world.members.where("source", source_of(group)):
                # The record itself is unchanged: the cap applies only to this listing.
                yield evolve(member, access_level=min(member.access_level, share.group_access))


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
    projects = [project for container in groups for project in world.projects.where("namespace", container.id)]
    containers: list[Routable] = [*hierarchy, *projects]
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


def copy_members(ctx: WriteContext, source: Project, target: Project) -> dict[str, str]:
    """Make the direct members of a project members of another one too; return why that failed, by username."""
    failures: dict[str, str] = {}
    for member in list_direct(ctx.world, source):
        user = ctx.world.users[member.user_id]
        # Members, and the bot users of access tokens, stay what they are.
        if user.kind == "project_bot" or find_member(ctx.world, target, user) is not None:
            continue
        objection = find_membership_error(ctx, target, user, member.access_level, member.expires_at)
        if objection is None:
            add_member(ctx, target, user, member.access_level, member.expires_at)
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
    descendants = list(list_descendants(ctx.world, group))
    projects = [
        project
        for owner_group in (group, *descendants)
        for project in ctx.world.projects.where("namespace", owner_group.id)
    ]
    containers: list[Routable] = [*projects, *descendants]
    for container in containers:
        member = ctx.world.members.find("pair", (source_of(container), user_id))
        if member is not None and not _is_last_owner(ctx.world, container, member):
            _end_membership(ctx, container, member)


def record_seats_before_removal(ctx: WriteContext, member: Member) -> None:
    """Record the seats in use before a membership is deleted."""
    seats.record_seats(ctx, container_of(ctx.world, member.source))


def _validate(
    ctx: WriteContext,
    container: Routable,
    user: User,
    access_level: int,
    expires_at: str | None,
    *,
    is_older: bool = False,
) -> None:
    if access_level not in (PROJECT_LEVELS if isinstance(container, Project) else GROUP_LEVELS):
        allowed_levels = PROJECT_LEVELS if isinstance(container, Project) else GROUP_LEVELS
        reason = (
            f"access_level must be one of {', '.join(f'{level:d}' for level in allowed_levels)}, not {access_level}"
        )
        raise InvalidRecord({"access_level": ["is not included in the list"]}, reason=reason)
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
