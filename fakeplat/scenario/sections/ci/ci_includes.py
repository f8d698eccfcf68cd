"""Files in scenarios that CI configurations include from outside the instance."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.ci import ci_files
from fakeplat.model.ci import CiInclude
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section

_FIELDS: Final = fields(CiInclude, without=("id",))


def _create(entry: Entry) -> CiInclude:
    return ci_files.set_content(entry.ctx, entry.values["location"], entry.values["content"])


def _export(world: World, _container: Any) -> Iterable[tuple[CiInclude, EntryData]] | None:
    rows = world.ci_includes.all()
    return [(row, {"location": row.location, "content": row.content}) for row in rows] or None


SECTION: Final = Section(
    "ci_includes",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("location", "content")),
    create=_create,
    export=_export,
    name_key="location",
    value_key="content",
    case_sensitive=True,
)
