"""Requests for access to projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.people import access_requests, members
from fakeplat.entities.people.members import AccessRequestView, MemberView
from fakeplat.model.people import AccessRequest, Level
from fakeplat.model.projects import Container, Member
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Access requests", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)


@area.operation(
    "GET",
    "access_requests",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    params=Paged,
    view=AccessRequestView,
    many=True,
)
def list_access_requests(ctx: ReadContext, container: Container) -> Sequence[AccessRequest]:
    """List access requests."""
    return access_requests.list_requests(ctx.world, container)


@area.operation("POST", "access_requests", scope=CONTAINERS, view=AccessRequestView, refusals=(400, 403))
def create_access_request(ctx: WriteContext, container: Container) -> AccessRequest:
    """Request access to a project or group."""
    return access_requests.create_request(ctx, container)


class ApproveRequest(Params):
    """The access level to grant."""

    access_level: int = int(Level.DEVELOPER)


@area.operation(
    "PUT",
    "access_requests/:user_id/approve",
    scope=CONTAINERS,
    params=ApproveRequest,
    view=MemberView,
    status=201,
    refusals=(400, 403, 404),
)
def approve_access_request(ctx: WriteContext, container: Container, user_id: int, p: ApproveRequest) -> Member:
    """Approve an access request."""
    # Looked up before the ability is checked: a missing request is 404 even for callers who may not approve it.
    request = access_requests.get_access_request(ctx.world, container, user_id)
    authorize(ctx, Ability.ADMIN_MEMBERS, container)
    members.authorize_owners(ctx, container, p.access_level)
    return access_requests.approve(ctx, container, request, p.access_level)


@area.operation("DELETE", "access_requests/:user_id", scope=CONTAINERS, refusals=(403, 404, 412))
def delete_access_request(ctx: WriteContext, container: Container, user_id: int) -> None:
    """Delete an access request; users may withdraw their own."""
    request = access_requests.get_access_request(ctx.world, container, user_id)
    if ctx.signed_in_user.id != user_id:
        authorize(ctx, Ability.ADMIN_MEMBERS, container)
    ctx.check_unmodified_since(request.requested_at)
    access_requests.withdraw(ctx, request)
