"""Users who ask to be let in, and whether they are. Source: docs/platform/project-members.md."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import Forbidden, InvalidRecord, RecordNotFound
from fakeplat.domain.people import members
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.purging import purge
from fakeplat.model.access_requests import AccessRequest
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Member, Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.authorization import level_on
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe, describe_user


def list_requests(world: World, container: Project | Group) -> Sequence[AccessRequest]:
    """Who asks to be let in."""
    return world.access_requests.where("source", source_of(container))


def find(world: World, container: Project | Group, user_id: int) -> AccessRequest:
    """A user's request, or 404."""
    found = world.access_requests.find("pair", (source_of(container), user_id))
    if found is None:
        raise RecordNotFound(
            reason=lambda: f"{describe_user(world, user_id)} does not ask to be let into {describe(world, container)}"
        )
    return found


def create_request(ctx: WriteContext, container: Project | Group) -> AccessRequest:
    """Ask to be let in, where the place lets people ask, and once."""
    user, source = ctx.signed_in_user, source_of(container)
    if not container.request_access_enabled:
        raise Forbidden(reason=lambda: f"{describe(ctx.world, container)} takes no requests")
    if isinstance(container, Project) and container.archived:
        raise Forbidden(reason=lambda: f"{describe(ctx.world, container)} is archived, so it is read only")
    if level_on(ctx, container) > Level.NONE:
        raise Forbidden(reason=lambda: f"{user.username} is in {describe(ctx.world, container)} already")
    if ctx.world.access_requests.find("pair", (source, user.id)):
        raise InvalidRecord({"user_id": ["already exists in source"]})
    return insert_request(ctx, container, user, ctx.now_iso)


def insert_request(ctx: WriteContext, container: Place, user: User, requested_at: str) -> AccessRequest:
    """Keep that a user asks to be let in since a moment."""
    table, source = ctx.world.access_requests, source_of(container)
    found = table.find("pair", (source, user.id))
    if found is not None:
        return table.change(found, requested_at=requested_at)
    request = table.add(AccessRequest(table.next_id(), source, user.id, requested_at))
    ctx.emit("access_requested", request)
    return request


def approve(ctx: WriteContext, container: Project | Group, request: AccessRequest, access_level: int) -> Member:
    """Let a user in."""
    return members.add_member(ctx, container, ctx.world.users[request.user_id], access_level)


def withdraw(ctx: WriteContext, request: AccessRequest) -> None:
    """Take a request back, or refuse it."""
    purge(ctx, request)
    ctx.emit("access_request_removed", request)
