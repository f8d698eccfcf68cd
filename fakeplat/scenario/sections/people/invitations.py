"""Invitations to groups and projects."""

from typing import Final

from fakeplat.core.schema.shapes import DATE, DATE_TIME, TEXT
from fakeplat.domain.people import invitations, members
from fakeplat.model.people import Invitation
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.sections.people.members import LEVEL


def _create(entry: Entry) -> Invitation:
    creator = entry.user_or_none("created_by")
    fields = entry.select(("access_level", "expires_at", "created_at", "invite_token"))
    email = entry.values["invite_email"]
    existing = entry.world.invitations.find("pair", (members.source_of(entry.owner), email.lower()))
    if existing is not None:
        return entry.world.invitations.change(existing, **fields)
    by = {"created_by": creator.id} if creator else {}
    return invitations.insert(entry.ctx, entry.owner, email, **{"created_at": entry.created_at, **fields, **by})


SECTION: Final = derive_section(
    "invitations",
    Invitation,
    within=("group", "project"),
    keys={
        "invite_email": TEXT,
        "access_level": LEVEL,
        "created_at": DATE_TIME,
        "created_by": TEXT,
        "expires_at": DATE,
        "invite_token": TEXT,
    },
    references={"created_by": "created_by"},
    required=("invite_email",),
    create=_create,
    name_key="invite_email",
    value_key="access_level",
)
