"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.errors import Conflict, Forbidden, InvalidRecord, RecordNotFound
from fakeplat.core.stamps import moment
from fakeplat.core.store.agenda import Due, work
from fakeplat.domain.people import activity, seats
from fakeplat.domain.people.namespaces import inside, owners
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Member, Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.levels import Source, chain
from fakeplat.policy.naming import named, person
from fakeplat.policy.rulings import sees

_EXPIRE: Final = "expire_membership"
PROJECT_LEVELS: Final = (Level.GUEST, Level.REPORTER, Level.DEVELOPER, Level.MAINTAINER)
GROUP_LEVELS: Final = (*PROJECT_LEVELS, Level.OWNER)
Place = Project | Namespace


def source_of(place: Place) -> Source:
    """What members of a project or group stand under."""
    return ("project" if isinstance(place, Project) else "group", place.id)


def place_of(world: World, source: Source) -> Place:
    """The project or group that something stands under."""
    kind, id_ = source
    return world.projects[id_] if kind == "project" else world.namespaces[id_]


def direct(world: World, place: Place) -> list[Member]:
    """The members of a place itself."""
    return list(world.members.where("source", source_of(place)))


def every(world: World, place: Place) -> list[Member]:
    """Direct and inherited members; of several memberships of a user the highest."""
    return _highest(_inherited(world, place))


def list_effective(cx: Context, place: Place) -> list[Member]:
    """List direct and inherited members, and for a project those of the invited groups that the caller sees.

    Members of an invited group, and of the groups above it, have at most the level of the invitation.
    """
    invited = _invited(cx, place) if isinstance(place, Project) else ()
    return _highest([*_inherited(cx.world, place), *invited])


def _inherited(world: World, place: Place) -> Iterator[Member]:
    return (member for source in _sources(world, place) for member in world.members.where("source", source))


def _invited(cx: Context, project: Project) -> Iterator[Member]:
    for share in cx.world.shares.where("source", source_of(project)):
        for group in chain(cx.world, share.group_id):
            if not sees(cx, group):
                continue
            for member in cx.world.members.where("source", source_of(group)):
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


def known_in_hierarchy(cx: Context, group: Group) -> set[int]:
    """The users of a group, the groups above and below it and their projects who belong to a group the caller sees."""
    world = cx.world
    below = [group, *inside(world, group)]
    hierarchy = [*(above for above in chain(world, group.id) if isinstance(above, Group)), *below]
    projects = [project for place in below for project in world.projects.where("namespace", place.id)]
    places: list[Place] = [*hierarchy, *projects]
    found = {member.user_id for place in places for member in direct(world, place)}
    return {id_ for id_ in found if _belongs_to_visible_group(cx, id_)}


def _belongs_to_visible_group(cx: Context, user_id: int) -> bool:
    sources = (member.source for member in cx.world.members.where("user", user_id))
    groups = (cx.world.namespaces[id_] for kind, id_ in sources if kind == "group")
    return any(sees(cx, group) for group in groups)


def _sources(world: World, place: Place) -> list[Source]:
    start = place.namespace_id if isinstance(place, Project) else place.id
    groups = [("group", above.id) for above in chain(world, start) if isinstance(above, Group)]
    return [source_of(place), *groups] if isinstance(place, Project) else list(groups)


def get(world: World, place: Place, user_id: int) -> Member:
    """A direct member, or 404."""
    found = world.members.find("pair", (source_of(place), user_id))
    if found is None:
        raise RecordNotFound(reason=lambda: f"{person(world, user_id)} is no direct member of {named(world, place)}")
    return found


def get_or_none(world: World, place: Place, user: User) -> Member | None:
    """A direct member, or None."""
    return world.members.find("pair", (source_of(place), user.id))


def add(
    cx: Doing, place: Place, user: User, access_level: int, expires_at: str | None = None, *, came_first: bool = False
) -> Member:
    """Make a user a member; at a level below an inherited one only if this membership came first."""
    table, source = cx.world.members, source_of(place)
    if table.find("pair", (source, user.id)):
        raise Conflict("Member already exists")
    _check(cx, place, user, access_level, expires_at, came_first=came_first)
    seats.note(cx, place)
    created_by = cx.actor.id if cx.actor else None
    _grant(cx, source, user)
    member = table.add(Member(table.next_id(), source, user.id, access_level, cx.instant, created_by, expires_at))
    _schedule(cx, member)
    if cx.user is not None and isinstance(place, Project):
        activity.record(cx, user, "joined", place)
    cx.emit("member_added", member)
    return member


def _grant(cx: Doing, source: Source, user: User) -> None:
    """A request for what is now given is no more."""
    request = cx.world.access_requests.find("pair", (source, user.id))
    if request is not None:
        cx.world.access_requests.remove(request)


def is_locked(world: World, project: Project) -> bool:
    """Whether the group of a project lets nobody become a member of the project itself."""
    group = world.namespaces[project.namespace_id]
    return isinstance(group, Group) and group.membership_lock and has(world, "premium", group)


def objection(cx: Doing, place: Place, user: User, access_level: int, expires_at: str | None) -> str | None:
    """What speaks against a membership, in one sentence, or nothing."""
    if get_or_none(cx.world, place, user):
        return "Member already exists"
    try:
        _check(cx, place, user, access_level, expires_at)
    except InvalidRecord as refusal:
        return refusal.sentence()
    return None


def change(cx: Doing, place: Place, member: Member, **changes: Any) -> Member:
    """Give a member another level or expiry."""
    user = cx.world.users[member.user_id]
    _check(cx, place, user, changes.get("access_level", member.access_level), changes.get("expires_at"))
    seats.note(cx, place)
    changed = cx.world.members.change(member, **changes)
    if changed.expires_at != member.expires_at:
        _schedule(cx, changed)
    cx.emit("member_updated", changed)
    return changed


def remove(cx: Doing, place: Place, member: Member, *, below: bool = True) -> None:
    """Take a membership away, with the same user's memberships below a group; the last owner of a group stays.

    Without ``below`` the memberships in subgroups and projects stay.
    """
    world = cx.world
    if _is_last_owner(world, place, member):
        raise Forbidden(reason=lambda: f"{person(world, member.user_id)} is the last owner of {named(world, place)}")
    _leave(cx, place, member)
    if below and isinstance(place, Group):
        _leave_below(cx, place, member.user_id)


def _is_last_owner(world: World, place: Place, member: Member) -> bool:
    return isinstance(place, Group) and owners(world, place) == [member.user_id]


def _leave(cx: Doing, place: Place, member: Member) -> None:
    forget(cx, member)
    if isinstance(place, Project):
        activity.record(cx, cx.world.users[member.user_id], "left", place)
    cx.emit("member_removed", member)


def _leave_below(cx: Doing, group: Group, user_id: int) -> None:
    """End a user's direct memberships in the projects and subgroups of a group; sole owners of a subgroup stay."""
    subgroups = list(inside(cx.world, group))
    projects = [project for one in (group, *subgroups) for project in cx.world.projects.where("namespace", one.id)]
    below: list[Place] = [*projects, *subgroups]
    for place in below:
        member = cx.world.members.find("pair", (source_of(place), user_id))
        if member is not None and not _is_last_owner(cx.world, place, member):
            _leave(cx, place, member)


def forget(cx: Doing, member: Member) -> None:
    """Remove a membership and what is planned for it."""
    seats.note(cx, place_of(cx.world, member.source))
    cx.cancel(_subject(member))
    cx.world.members.remove(member)


def drop(cx: Doing, place: Place) -> None:
    """Remove all memberships of a place that goes."""
    for member in direct(cx.world, place):
        forget(cx, member)


def _check(
    cx: Doing, place: Place, user: User, access_level: int, expires_at: str | None, *, came_first: bool = False
) -> None:
    if access_level not in (PROJECT_LEVELS if isinstance(place, Project) else GROUP_LEVELS):
        known = PROJECT_LEVELS if isinstance(place, Project) else GROUP_LEVELS
        reason = f"access_level is one of {', '.join(f'{level:d}' for level in known)} here, not {access_level}"
        raise InvalidRecord({"access_level": ["is not included in the list"]}, reason=reason)
    if expires_at is not None and expires_at < cx.today:
        reason = f"expires_at is {expires_at}; it is {cx.today} in this world"
        raise InvalidRecord({"expires_at": ["cannot be a date in the past"]}, reason=reason)
    if not came_first:
        _check_inherited(cx.world, place, user, access_level)


def _check_inherited(world: World, place: Place, user: User, access_level: int) -> None:
    above_id = place.namespace_id if isinstance(place, Project) else place.parent_id
    for above in chain(world, above_id):
        if not isinstance(above, Group):
            continue
        inherited = world.members.find("pair", (("group", above.id), user.id))
        if inherited is not None and inherited.access_level > access_level:
            role = Level(inherited.access_level).name.title()
            text = f"should be greater than or equal to {role} inherited membership from group {above.name}"
            raise InvalidRecord({"access_level": [text]})


def _subject(member: Member) -> Source:
    return ("members", member.id)


def _schedule(cx: Doing, member: Member) -> None:
    cx.cancel(_subject(member))
    if member.expires_at is not None:
        cx.later(_EXPIRE, _subject(member), moment(member.expires_at))


@work(_EXPIRE)
def _expire(cx: Doing, due: Due) -> None:
    member = cx.world.members.get(due.subject[1])
    if member is not None:
        seats.note_yesterday(cx, place_of(cx.world, member.source))
        cx.world.members.remove(member)
        kind, id_ = member.source
        if kind == "project":
            activity.record(cx, cx.world.users[member.user_id], "expired", cx.world.projects[id_])
        cx.emit("member_expired", member)
