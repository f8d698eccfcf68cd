"""Users who ask to be let in, and whether they are. Source: docs/platform/project-members.md."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import Forbidden, InvalidRecord, RecordNotFound
from fakeplat.domain.people import members
from fakeplat.domain.people.members import Place, source_of
from fakeplat.model.access_requests import AccessRequest
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Member, Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Doing
from fakeplat.policy.naming import named, person
from fakeplat.policy.rulings import level_on


def of(world: World, place: Project | Group) -> Sequence[AccessRequest]:
    """Who asks to be let in."""
    return world.access_requests.where("source", source_of(place))


def find(world: World, place: Project | Group, user_id: int) -> AccessRequest:
    """A user's request, or 404."""
    found = world.access_requests.find("pair", (source_of(place), user_id))
    if found is None:
        raise RecordNotFound(
            reason=lambda: f"{person(world, user_id)} does not ask to be let into {named(world, place)}"
        )
    return found


def ask(cx: Doing, place: Project | Group) -> AccessRequest:
    """Ask to be let in, where the place lets people ask, and once."""
    user, source = cx.someone, source_of(place)
    if not place.request_access_enabled:
        raise Forbidden(reason=lambda: f"{named(cx.world, place)} takes no requests")
    if isinstance(place, Project) and place.archived:
        raise Forbidden(reason=lambda: f"{named(cx.world, place)} is archived, so it is read only")
    if level_on(cx, place) > Level.NONE:
        raise Forbidden(reason=lambda: f"{user.username} is in {named(cx.world, place)} already")
    if cx.world.access_requests.find("pair", (source, user.id)):
        raise InvalidRecord({"user_id": ["already exists in source"]})
    return put(cx, place, user, cx.instant)


def put(cx: Doing, place: Place, user: User, requested_at: str) -> AccessRequest:
    """Keep that a user asks to be let in since a moment."""
    table, source = cx.world.access_requests, source_of(place)
    found = table.find("pair", (source, user.id))
    if found is not None:
        return table.change(found, requested_at=requested_at)
    request = table.add(AccessRequest(table.next_id(), source, user.id, requested_at))
    cx.emit("access_requested", request)
    return request


def approve(cx: Doing, place: Project | Group, request: AccessRequest, access_level: int) -> Member:
    """Let a user in."""
    return members.add(cx, place, cx.world.users[request.user_id], access_level)


def withdraw(cx: Doing, request: AccessRequest) -> None:
    """Take a request back, or refuse it."""
    cx.world.access_requests.remove(request)
    cx.emit("access_request_removed", request)
