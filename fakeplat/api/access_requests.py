"""Requests for access to projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.people import access_requests
from fakeplat.entities.access_requests import AccessRequestView
from fakeplat.entities.members import MemberView
from fakeplat.model.access_requests import AccessRequest
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Member, Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand

area: Final = Area("Access requests", login=Login.ALWAYS)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group


@area.operation(
    "GET", "access_requests", under=PLACES, may=May.ADMIN_MEMBERS, takes=Paged, shows=AccessRequestView, many=True
)
def list_access_requests(cx: Context, place: Place, p: Paged) -> Sequence[AccessRequest]:
    """List access requests."""
    del p
    return access_requests.of(cx.world, place)


@area.operation("POST", "access_requests", under=PLACES, shows=AccessRequestView, refuses=(400, 403))
def create_access_request(cx: Doing, place: Place) -> AccessRequest:
    """Request access to a project or group."""
    return access_requests.ask(cx, place)


class ApproveRequest(Params):
    """At which level."""

    access_level: int = int(Level.DEVELOPER)


@area.operation(
    "PUT",
    "access_requests/:user_id/approve",
    under=PLACES,
    takes=ApproveRequest,
    shows=MemberView,
    status=201,
    refuses=(400, 403, 404),
)
def approve_access_request(cx: Doing, place: Place, user_id: int, p: ApproveRequest) -> Member:
    """Approve an access request."""
    request = access_requests.find(cx.world, place, user_id)
    demand(cx, May.ADMIN_MEMBERS, place)
    return access_requests.approve(cx, place, request, p.access_level)


@area.operation("DELETE", "access_requests/:user_id", under=PLACES, refuses=(403, 404, 412))
def delete_access_request(cx: Doing, place: Place, user_id: int) -> None:
    """Delete an access request; users may withdraw their own."""
    request = access_requests.find(cx.world, place, user_id)
    if cx.someone.id != user_id:
        demand(cx, May.ADMIN_MEMBERS, place)
    cx.unmodified_since(request.requested_at)
    access_requests.withdraw(cx, request)
