"""External identities of users."""

from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.people import users
from fakeplat.model.users import Identity, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Identity, without=("id", "user_id"))


def _create(entry: Entry) -> Identity:
    identity = users.add_identity(entry.ctx, entry.owner, entry.values["provider"], entry.values["extern_uid"])
    return entry.world.identities.change(identity, **entry.select(_FIELDS))


def _export(world: World, user: User) -> list[tuple[Identity, EntryData]] | None:
    identities = world.identities.where("user", user.id)
    return [(identity, serialization.non_default_fields(identity, _FIELDS)) for identity in identities] or None


SECTION: Final = Section(
    "identities",
    within=("user",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("provider", "extern_uid")),
    create=_create,
    export=_export,
    name_key="provider",
    value_key="extern_uid",
)
