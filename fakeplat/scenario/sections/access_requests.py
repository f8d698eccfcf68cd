"""Users who ask to be let into groups and projects."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.people import access_requests, members
from fakeplat.model.access_requests import AccessRequest
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling


def _make(entry: Entry) -> AccessRequest:
    user = entry.user("username")
    if members.find_member(entry.world, entry.owner, user) is not None:
        entry.wrong(f"{user.username} is a member already", "username")
    return access_requests.insert_request(
        entry.ctx, entry.owner, user, str(entry.said.get("requested_at") or entry.ctx.now_iso)
    )


def _tell(world: World, place: Any) -> Iterable[tuple[AccessRequest, Told]] | None:
    return [(request, _told(world, request)) for request in access_requests.list_requests(world, place)] or None


def _told(world: World, request: AccessRequest) -> Told:
    return {"username": telling.username_of(world, request.user_id), "requested_at": request.requested_at}


SECTION: Final = Section(
    "access_requests",
    under=("group", "project"),
    rank=FURTHER,
    keys=Object({"username": TEXT, "requested_at": DATE_TIME}, required=("username",)),
    make=_make,
    tell=_tell,
    named="username",
    value="requested_at",
)
