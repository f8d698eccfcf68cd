"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.errors import Conflict, Forbidden, InvalidRecord, RecordNotFound
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.people import events as activity
from fakeplat.domain.people import seats
from fakeplat.domain.people.namespaces import list_descendants, owner_ids
from fakeplat.domain.purging import purge
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Member, Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe, describe_user
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import Source, ancestors

_EXPIRE: Final = "expire_membership"
PROJECT_LEVELS: Final = (Level.GUEST, Level.REPORTER, Level.DEVELOPER, Level.MAINTAINER)
GROUP_LEVELS: Final = (*PROJECT_LEVELS, Level.OWNER)
Place = Project | Namespace


def source_of(container: Place) -> Source:
    """What members of a project or group stand under."""
    return ("project" if isinstance(container, Project) else "group", container.id)


def container_of(world: World, source: Source) -> Place:
    """The project or group that something stands under."""
    kind, id_ = source
    return world.projects[id_] if kind == "project" else world.namespaces[id_]


def list_direct(world: World, container: Place) -> list[Member]:
    """The members of a place itself."""
    return list(world.members.where("source", source_of(container)))


def list_inherited(world: World, container: Place) -> list[Member]:
    """Direct and inherited members; of several memberships of a user the highest."""
    return _highest(_inherited(world, container))


def list_effective(ctx: ReadContext, container: Place) -> list[Member]:
    """List direct and inherited members, and for a project those of the invited groups that the caller sees.

    Members of an invited group, and of the groups above it, have at most the level of the invitation.
    """
    invited = _invited(ctx, container) if isinstance(container, Project) else ()
    return _highest([*_inherited(ctx.world, container), *invited])


def _inherited(world: World, container: Place) -> Iterator[Member]:
    return (member for source in _sources(world, container) for member in world.members.where("source", source))


def _invited(ctx: ReadContext, project: Project) -> Iterator[Member]:
    for share in ctx.world.shares.where("source", source_of(project)):
        for group in ancestors(ctx.world, share.group_id):
            if not can_see(ctx, group):
                continue
            for member in ctx.world.members.where("source", source_of(group)):
                yield evolve(member, access_level=min(member.access_level, share.group_access))


def highest_role(world: World, user: User) -> int:
    """Return the highest level that a user's memberships give, 0 without any."""
    levels = (member.access_level for member in world.members.where("user", user.id))
    return max(levels, default=int(Level.NONE))


def _highest(members: Iterable[Member]) -> list[Member]:
    """The highest membership of each user, the first among equals, by user."""
    highest: dict[int, Member] = {}
    for member in members:
        best = highest.get(member.user_id)
        if best is None or member.access_level > best.access_level:
            highest[member.user_id] = member
    return sorted(highest.values(), key=lambda member: member.user_id)


def known_in_hierarchy(ctx: ReadContext, group: Group) -> set[int]:
    """The users of a group, the groups above and below it and their projects who belong to a group the caller sees."""
    world = ctx.world
    below = [group, *list_descendants(world, group)]
    hierarchy = [*(above for above in ancestors(world, group.id) if isinstance(above, Group)), *below]
    projects = [project for container in below for project in world.projects.where("namespace", container.id)]
    places: list[Place] = [*hierarchy, *projects]
    found = {member.user_id for container in places for member in list_direct(world, container)}
    return {id_ for id_ in found if _belongs_to_visible_group(ctx, id_)}


def _belongs_to_visible_group(ctx: ReadContext, user_id: int) -> bool:
    sources = (member.source for member in ctx.world.members.where("user", user_id))
    groups = (ctx.world.namespaces[id_] for kind, id_ in sources if kind == "group")
    return any(can_see(ctx, group) for group in groups)


def _sources(world: World, container: Place) -> list[Source]:
    start = container.namespace_id if isinstance(container, Project) else container.id
    groups = [("group", above.id) for above in ancestors(world, start) if isinstance(above, Group)]
    return [source_of(container), *groups] if isinstance(container, Project) else list(groups)


def get_member(world: World, container: Place, user_id: int) -> Member:
    """A direct member, or 404."""
    found = world.members.find("pair", (source_of(container), user_id))
    if found is None:
        raise RecordNotFound(
            reason=lambda: f"{describe_user(world, user_id)} is no direct member of {describe(world, container)}"
        )
    return found


def find_member(world: World, container: Place, user: User) -> Member | None:
    """A direct member, or None."""
    return world.members.find("pair", (source_of(container), user.id))


def add_member(
    ctx: WriteContext,
    container: Place,
    user: User,
    access_level: int,
    expires_at: str | None = None,
    *,
    came_first: bool = False,
) -> Member:
    """Make a user a member; at a level below an inherited one only if this membership came first."""
    table, source = ctx.world.members, source_of(container)
    if table.find("pair", (source, user.id)):
        raise Conflict("Member already exists")
    _check(ctx, container, user, access_level, expires_at, came_first=came_first)
    seats.record_seats(ctx, container)
    created_by = ctx.actor.id if ctx.actor else None
    _grant(ctx, source, user)
    member = table.add(Member(table.next_id(), source, user.id, access_level, ctx.now_iso, created_by, expires_at))
    _schedule(ctx, member)
    if ctx.user is not None and isinstance(container, Project):
        activity.record_event(ctx, user, "joined", container)
    ctx.emit("member_added", member)
    return member


def _grant(ctx: WriteContext, source: Source, user: User) -> None:
    """A request for what is now given is no more."""
    request = ctx.world.access_requests.find("pair", (source, user.id))
    if request is not None:
        purge(ctx, request)


def is_locked(world: World, project: Project) -> bool:
    """Whether the group of a project lets nobody become a member of the project itself."""
    group = world.namespaces[project.namespace_id]
    return isinstance(group, Group) and group.membership_lock and has_feature(world, "premium", group)


def find_objection(
    ctx: WriteContext, container: Place, user: User, access_level: int, expires_at: str | None
) -> str | None:
    """What speaks against a membership, in one sentence, or nothing."""
    if find_member(ctx.world, container, user):
        return "Member already exists"
    try:
        _check(ctx, container, user, access_level, expires_at)
    except InvalidRecord as refusal:
        return refusal.sentence()
    return None


def update_member(ctx: WriteContext, container: Place, member: Member, **changes: Any) -> Member:
    """Give a member another level or expiry."""
    user = ctx.world.users[member.user_id]
    _check(ctx, container, user, changes.get("access_level", member.access_level), changes.get("expires_at"))
    seats.record_seats(ctx, container)
    changed = ctx.world.members.change(member, **changes)
    if changed.expires_at != member.expires_at:
        _schedule(ctx, changed)
    ctx.emit("member_updated", changed)
    return changed


def remove_member(ctx: WriteContext, container: Place, member: Member, *, below: bool = True) -> None:
    """Take a membership away, with the same user's memberships below a group; the last owner of a group stays.

    Without ``below`` the memberships in subgroups and projects stay.
    """
    world = ctx.world
    if _is_last_owner(world, container, member):
        raise Forbidden(
            reason=lambda: f"{describe_user(world, member.user_id)} is the last owner of {describe(world, container)}"
        )
    _leave(ctx, container, member)
    if below and isinstance(container, Group):
        _leave_below(ctx, container, member.user_id)


def _is_last_owner(world: World, container: Place, member: Member) -> bool:
    return isinstance(container, Group) and owner_ids(world, container) == [member.user_id]


def _leave(ctx: WriteContext, container: Place, member: Member) -> None:
    purge(ctx, member)
    if isinstance(container, Project):
        activity.record_event(ctx, ctx.world.users[member.user_id], "left", container)
    ctx.emit("member_removed", member)


def _leave_below(ctx: WriteContext, group: Group, user_id: int) -> None:
    """End a user's direct memberships in the projects and subgroups of a group; sole owners of a subgroup stay."""
    subgroups = list(list_descendants(ctx.world, group))
    projects = [project for one in (group, *subgroups) for project in ctx.world.projects.where("namespace", one.id)]
    below: list[Place] = [*projects, *subgroups]
    for container in below:
        member = ctx.world.members.find("pair", (source_of(container), user_id))
        if member is not None and not _is_last_owner(ctx.world, container, member):
            _leave(ctx, container, member)


def note_seats(ctx: WriteContext, member: Member) -> None:
    """Write down the seats in use before a membership is deleted."""
    seats.record_seats(ctx, container_of(ctx.world, member.source))


def _check(
    ctx: WriteContext,
    container: Place,
    user: User,
    access_level: int,
    expires_at: str | None,
    *,
    came_first: bool = False,
) -> None:
    if access_level not in (PROJECT_LEVELS if isinstance(container, Project) else GROUP_LEVELS):
        known = PROJECT_LEVELS if isinstance(container, Project) else GROUP_LEVELS
        reason = f"access_level is one of {', '.join(f'{level:d}' for level in known)} here, not {access_level}"
        raise InvalidRecord({"access_level": ["is not included in the list"]}, reason=reason)
    if expires_at is not None and expires_at < ctx.today:
        reason = f"expires_at is {expires_at}; it is {ctx.today} in this world"
        raise InvalidRecord({"expires_at": ["cannot be a date in the past"]}, reason=reason)
    if user.kind == "project_bot" and _belongs_elsewhere(ctx.world, container, user):
        raise InvalidRecord({"user_id": ["project bots cannot be added to other groups / projects"]})
    if not came_first:
        _check_inherited(ctx.world, container, user, access_level)


def _belongs_elsewhere(world: World, container: Place, bot: User) -> bool:
    """Return whether the bot of a project's token is that of another project."""
    projects = {token.project_id for token in world.tokens.where("user", bot.id)} - {None}
    sources = {member.source for member in world.members.where("user", bot.id)}
    return bool((sources | {("project", id_) for id_ in projects}) - {source_of(container)})


def _check_inherited(world: World, container: Place, user: User, access_level: int) -> None:
    above_id = container.namespace_id if isinstance(container, Project) else container.parent_id
    pairs = [
        (above, world.members.find("pair", (("group", above.id), user.id))) for above in ancestors(world, above_id)
    ]
    levels = [(member.access_level, above.name) for above, member in pairs if member is not None]
    highest, name = max(levels, default=(0, ""), key=itemgetter(0))
    if highest > access_level:
        role = Level(highest).name.title()
        text = f"should be greater than or equal to {role} inherited membership from group {name}"
        raise InvalidRecord({"access_level": [text]})


def _subject(member: Member) -> Source:
    return ("members", member.id)


def _schedule(ctx: WriteContext, member: Member) -> None:
    ctx.cancel_tasks(_subject(member))
    if member.expires_at is not None:
        ctx.schedule(_EXPIRE, _subject(member), from_iso(member.expires_at))


@task_handler(_EXPIRE)
def _expire(ctx: WriteContext, due: ScheduledTask) -> None:
    member = ctx.world.members.get(due.subject[1])
    if member is not None:
        seats.record_yesterday(ctx, container_of(ctx.world, member.source))
        purge(ctx, member)
        kind, id_ = member.source
        if kind == "project":
            activity.record_event(ctx, ctx.world.users[member.user_id], "expired", ctx.world.projects[id_])
        ctx.emit("member_expired", member)
