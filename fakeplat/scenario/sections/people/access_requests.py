"""Access requests of groups and projects."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.people import access_requests, members
from fakeplat.model.people import AccessRequest
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> AccessRequest:
    user = entry.user("username")
    if members.find_member(entry.world, entry.owner, user) is not None:
        entry.fail(f"{user.username} is already a member", "username")
    requested_at = str(entry.values.get("requested_at") or entry.ctx.now_iso)
    return access_requests.insert_request(entry.ctx, entry.owner, user, requested_at)


SECTION: Final = derive_section(
    "access_requests",
    AccessRequest,
    within=("group", "project"),
    keys={"username": TEXT, "requested_at": DATE_TIME},
    references={"username": "user_id"},
    required=("username",),
    create=_create,
    name_key="username",
    value_key="requested_at",
)
