"""Users of other instances, under ``source_users`` of a top-level group."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT
from fakeplat.model.import_export import SourceUser
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import GENERATED, EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(SourceUser)
_USERS: Final = ("placeholder_user", "reassign_to_user", "reassigned_by_user")


def _create(entry: Entry) -> SourceUser:
    table, named = entry.world.source_users, {name: entry.user_or_none(name) for name in _USERS}
    ids = {f"{name}_id": user.id if user else None for name, user in named.items()}
    return table.add(SourceUser(id=table.next_id(), group_id=entry.owner.id, **ids, **entry.select(_FIELDS)))


def _serialize(world: World, source_user: SourceUser) -> EntryData:
    ids = {name: getattr(source_user, f"{name}_id") for name in _USERS}
    named = {name: serialization.username_of(world, id_) for name, id_ in ids.items() if id_ is not None}
    return {**serialization.non_default_fields(source_user, tuple(_FIELDS)), **named}


SECTION: Final = derive_section(
    "source_users",
    SourceUser,
    within=("group",),
    rank=GENERATED,
    keys=_FIELDS,
    further_keys=dict.fromkeys(_USERS, NULLABLE_TEXT),
    required=("source_hostname", "source_user_identifier"),
    descriptions={
        "placeholder_user": "Username of the user who stands for this one.",
        "reassign_to_user": "Username of who is to get the contributions.",
        "reassigned_by_user": "Username of who proposed that.",
    },
    create=_create,
    serialize=_serialize,
)
