"""Access requests: create, approve and deny. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import Forbidden, InvalidRecord, Reason, RecordNotFound
from fakeplat.domain import signals
from fakeplat.domain.mail.recipients import list_direct_maintainers, sort_by_activity
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.purging import purge
from fakeplat.model.people import AccessRequest, Group, Level, User
from fakeplat.model.projects import Member, Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe, describe_user

_MAX_APPROVERS: Final = 10


def list_approvers(ctx: ReadContext, container: Project | Group) -> list[User]:
    """Return the direct members who are told of access requests: those who may approve them and were there last."""
    if isinstance(container, Project):
        return list_direct_maintainers(ctx, container)[:_MAX_APPROVERS]
    owners = (ctx.world.users[id_] for id_ in namespaces.owner_ids(ctx.world, container))
    return sort_by_activity(owners)[:_MAX_APPROVERS]


def list_requests(world: World, container: Project | Group) -> Sequence[AccessRequest]:
    """Return the access requests of a project or group."""
    return world.access_requests.where("source", source_of(container))


def get_access_request(world: World, container: Project | Group, user_id: int) -> AccessRequest:
    """Return a user's access request, or raise 404."""
    request = world.access_requests.find("pair", (source_of(container), user_id))
    if request is None:
        raise RecordNotFound(
            reason=lambda: f"{describe_user(world, user_id)} has not requested access to {describe(world, container)}"
        )
    return request


def can_request(ctx: ReadContext, container: Project | Group) -> bool:
    """Return whether the caller may request access, whether or not there is a request already."""
    return ctx.viewer is not None and can_see(ctx, container) and find_objection(ctx, container, ctx.viewer) is None


def find_objection(ctx: ReadContext, container: Project | Group, user: User) -> Reason | None:
    """Return why the caller may not request access, or None."""
    # Each is 403 on the platform; the order decides only which reason is given.
    if not container.request_access_enabled:
        return lambda: f"{describe(ctx.world, container)} does not accept access requests"
    if isinstance(container, Project) and container.archived:
        return lambda: f"{describe(ctx.world, container)} is archived, so it is read only"
    if level_on(ctx, container) > Level.NONE:
        return lambda: f"{user.username} already has access to {describe(ctx.world, container)}"
    return None


def create_request(ctx: WriteContext, container: Project | Group) -> AccessRequest:
    """Request access for the caller; raises 403 or 400 if not allowed or requested already."""
    user, source = ctx.signed_in_user, source_of(container)
    objection = find_objection(ctx, container, user)
    if objection is not None:
        raise Forbidden(reason=objection)
    if ctx.world.access_requests.find("pair", (source, user.id)):
        raise InvalidRecord({"user_id": ["already exists in source"]})
    return insert_request(ctx, container, user, ctx.now_iso)


def insert_request(ctx: WriteContext, container: Routable, user: User, requested_at: str) -> AccessRequest:
    """Store an access request of a user made at a given time."""
    table, source = ctx.world.access_requests, source_of(container)
    existing = table.find("pair", (source, user.id))
    if existing is not None:
        return table.change(existing, requested_at=requested_at)
    request = table.add(AccessRequest(table.next_id(), source, user.id, requested_at))
    signals.post_create.send(ctx, request)
    return request


def approve(ctx: WriteContext, container: Project | Group, request: AccessRequest, access_level: int) -> Member:
    """Approve an access request: make the user a member."""
    # Adding the member also deletes the request.
    return members.add_member(ctx, container, ctx.world.users[request.user_id], access_level)


def withdraw(ctx: WriteContext, request: AccessRequest) -> None:
    """Withdraw or deny an access request."""
    purge(ctx, request)
