"""Accounts of users elsewhere."""

from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.people import users
from fakeplat.model.users import Identity, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = fields(Identity, without=("id", "user_id"))


def _make(entry: Entry) -> Identity:
    identity = users.add_identity(entry.ctx, entry.owner, entry.said["provider"], entry.said["extern_uid"])
    return entry.world.identities.change(identity, **entry.given(_OWN))


def _tell(world: World, user: User) -> list[tuple[Identity, Told]] | None:
    found = world.identities.where("user", user.id)
    return [(identity, telling.non_default_fields(identity, _OWN)) for identity in found] or None


SECTION: Final = Section(
    "identities",
    under=("user",),
    rank=FURTHER,
    keys=Object(_OWN, required=("provider", "extern_uid")),
    make=_make,
    tell=_tell,
    named="provider",
    value="extern_uid",
)
