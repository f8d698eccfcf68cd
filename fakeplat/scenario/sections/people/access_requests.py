"""Access requests of groups and projects."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.people import access_requests, members
from fakeplat.model.people import AccessRequest
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization


def _create(entry: Entry) -> AccessRequest:
    user = entry.user("username")
    if members.find_member(entry.world, entry.owner, user) is not None:
        entry.fail(f"{user.username} is already a member", "username")
    return access_requests.insert_request(
        entry.ctx, entry.owner, user, str(entry.values.get("requested_at") or entry.ctx.now_iso)
    )


def _export(world: World, container: Any) -> Iterable[tuple[AccessRequest, EntryData]] | None:
    return [
        (request, _serialize(world, request)) for request in access_requests.list_requests(world, container)
    ] or None


def _serialize(world: World, request: AccessRequest) -> EntryData:
    return {"username": serialization.username_of(world, request.user_id), "requested_at": request.requested_at}


SECTION: Final = Section(
    "access_requests",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object({"username": TEXT, "requested_at": DATE_TIME}, required=("username",)),
    create=_create,
    export=_export,
    name_key="username",
    value_key="requested_at",
)
