"""Custom roles in scenarios."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.people import member_roles
from fakeplat.model.people import MemberRole
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PEOPLE, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(MemberRole, without=("id",))


def _create(entry: Entry) -> MemberRole:
    return member_roles.create(entry.ctx, **{"created_at": entry.created_at, **entry.select(_FIELDS)})


def _export(world: World, _container: Any) -> Iterable[tuple[MemberRole, EntryData]] | None:
    return [(row, serialization.non_default_fields(row, _FIELDS)) for row in world.member_roles.all()] or None


SECTION: Final = Section(
    "member_roles",
    within=(SCENARIO,),
    rank=PEOPLE,
    keys=Object(_FIELDS, required=("base_access_level",)),
    create=_create,
    export=_export,
)
